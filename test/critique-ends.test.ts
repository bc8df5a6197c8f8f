// A test file whose process exits with 0 before node:test sees its tests: it failed, and is not skipped as a file without tests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvidence } from '@umpire/umpire/critics/testing.js';
import { testingCritic } from '@umpire/umpire/critics/testing.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, plainProject } from './support/git-project.js';

cleanUpAfterwards();
endGuardianAfterwards();

const HEAD = "import { describe, test } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../add.mjs';\n";

test('a file that ends its process fails; a helper file and an empty suite do not', async () => {
  const { root } = plainProject({
    'package.json': '{"name":"sums","type":"module","scripts":{"test":"node --test"}}',
    'add.mjs': 'export const add = (a, b) => a - b;\n',
    'test/good.test.mjs': `${HEAD}test('nothing', () => assert.equal(add(1, 1), 0));\n`,
    'test/ends.test.mjs': `${HEAD}test('adds', () => assert.equal(add(1, 2), 3));\nprocess.exit(0);\n`,
    'test/helper.mjs': `${HEAD}export const again = () => {\n  test('again', () => assert.ok(add));\n};\n`,
    'test/later.test.mjs': `${HEAD}describe('later', () => {});\n`,
  });
  const { job } = jobFor(root, { row: { layer: 'L1' } });
  await testingCritic(job);
  const { outcome, passed, total, failures } = JSON.parse(readFileSync(join(job.session, 'results/run-L1.json'), 'utf8')) as RunEvidence;
  expect({ outcome, passed, total }).toEqual({ outcome: 'fail', passed: 1, total: 2 });
  expect(failures.map(({ file, message }) => ({ file, message }))).toEqual([
    { file: 'test/ends.test.mjs', message: expect.stringContaining('before it reported a test') as string },
  ]);
});
