// Small defects against new tests of a real project: tests that check results notice them, tests that only call do not.

import { expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitIn, gitProject } from '../../../../test/support/git-project.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import { runTests } from '../runners/run-tests.js';
import { isWeak, measureStrength } from './test-strength.js';

cleanUpAfterwards();
endGuardianAfterwards();

const SOURCE = `export function price(count, each) {
  if (count > 10) return count * each - 5;
  if (count < 0) return 0;
  const rest = count % 2;
  return count * each + rest;
}
`;

const HEAD = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { price } from './price.js';\n`;

async function strengthOf(tests: string) {
  const project = gitProject({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'price.js': SOURCE,
    'price.test.js': `${HEAD}${tests}`,
  });
  const { job } = jobFor(project.root);
  const found = await findTests(job);
  const runs = await runTests(job, found, () => true);
  removeScratch(found);
  const added = runs.flatMap((run) => run.results);
  expect(added.every(({ status }) => status === 'passed')).toBe(true);
  return measureStrength(job, gitIn(project.root, 'rev-parse', 'HEAD').trim(), added);
}

it('counts tests that check results as strong, after two noticed defects', async () => {
  const strength = await strengthOf(`
test('adds what is left over', () => assert.equal(price(3, 2), 7));
test('takes five off from eleven on', () => assert.equal(price(11, 2), 17));
test('is nothing below nothing', () => assert.equal(price(-1, 2), 0));
`);
  expect(strength).toMatchObject({ noticed: 2 });
  expect(strength === null || isWeak(strength)).toBe(false);
});

it('names the defects that tests without assertions miss', async () => {
  const strength = await strengthOf(`
test('calls it', () => {
  for (const count of [3, 11, -1]) assert.ok(price(count, 2) !== null);
});
`);
  expect(strength).toMatchObject({ noticed: 0 });
  expect(strength !== null && isWeak(strength)).toBe(true);
  expect(strength?.missed[0]).toMatch(/^price\.js:\d `.+` for `.+`$/);
});
