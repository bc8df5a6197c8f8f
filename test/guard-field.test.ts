// `npm run field` on a small history: which commits count, which fail, and what people judged of them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from './support/git-project.js';

cleanUpAfterwards();

const SCRIPT = join(import.meta.dirname, '..', 'scripts', 'guard-field.mjs');

function field(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const checks = (...lines: readonly string[]) =>
  `import { expect, it } from 'vitest';\nimport { add } from './helper.js';\n\nit('adds', () => {\n${lines.map((line) => `  ${line}\n`).join('')}});\n`;

it('counts commits that touch a test, and those that fail with what people judged', () => {
  const project = gitProject({
    'src/add.ts': 'export const add = (a: number, b: number) => a + b;\n',
    'src/helper.ts': "export * from './add.js';\n",
  });
  const first = project.commit({ 'src/add.test.ts': checks('expect(add(1, 2)).toBe(3);', 'expect(add(2, 2)).toBe(4);') });
  const weaker = project.commit({ 'src/add.test.ts': checks('expect(add(1, 2)).toBe(1 + 2);', 'expect(4).toBe(4);') });
  project.commit({ 'src/add.ts': 'export const add = (left: number, right: number) => left + right;\n' });
  const skipped = project.commit({
    'src/add.test.ts': checks('expect(add(1, 2)).toBe(1 + 2);', 'expect(4).toBe(4);').replace('it(', 'it.skip('),
  });
  const folder = temporaryFolder();
  const judged = [
    { commit: first, rule: 'test-deleted', judgement: 'fair' },
    { commit: weaker, rule: 'assertion-tautological', judgement: 'honest' },
  ].map(({ commit, ...rest }) => ({ commit: commit.slice(0, 12), ...rest, why: 'told' }));
  const list = { repository: 'small/project', set: 'check', commits: [weaker.slice(0, 12)], judgements: judged };
  writeFiles(folder, { 'lists/small-project.yaml': JSON.stringify(list) });
  const json = join(folder, 'findings.json');
  const { status, stdout, stderr } = field(project.root, '--judgements', join(folder, 'lists'), '--json', json, '--sample', '1');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('small/project (check): 3 commits, 2 (66.7 %) fail: 1 (33.3 %) judged false, 0 (0 %) fair, 1 not judged\n');
  expect(stdout).toContain(`\n  pass although judged fair: ${first.slice(0, 12)}\n`);
  expect(stdout).toMatch(/^ {2}assertion-tautological +1 +1 +1 +0$/m);
  expect(stdout).toMatch(/^ {2}test-skipped +1 +1 +0 +0$/m);
  expect(stdout).toMatch(/^small\/project [0-9a-f]{12} src\/add\.test\.ts:\d+ (?:assertion-tautological|test-skipped)$/m);
  const { repositories } = JSON.parse(readFileSync(json, 'utf8')) as {
    repositories: { results: { commit: string; findings: { rule: string; before: string }[] }[] }[];
  };
  const [last, second, earliest] = repositories[0]?.results ?? [];
  expect(last).toMatchObject({ commit: skipped, findings: [{ rule: 'test-skipped' }] });
  expect(second).toMatchObject({
    commit: weaker,
    findings: expect.arrayContaining([
      expect.objectContaining({ rule: 'assertion-tautological', before: expect.stringContaining('toBe(4)') as string }),
    ]) as unknown,
  });
  expect(earliest?.findings).toEqual([]);
});

it('says which checkout or repository is missing', () => {
  const folder = temporaryFolder();
  expect(field(folder, '--project', folder)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('name a checkout of this project with --project') as string,
  });
});
