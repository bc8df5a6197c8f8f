// Goal tests run again with other inputs, in a real project: a fix passes them, an answer to the tested input does not.

import { expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitIn, gitProject } from '../../../../test/support/git-project.js';
import { findBase, readChange } from '../work/read-change.js';
import { commandInCopy } from './command-base.js';
import { findKnownAnswers } from './known-answers.js';

cleanUpAfterwards();
endGuardianAfterwards();

const BUG = "export const strip = (text) => text.replace('!', '');\n";
const TEST = `import test from 'node:test';
import assert from 'node:assert/strict';
import { strip } from './strip.js';
test('strips all', () => assert.equal(strip('so! far!'), 'so far'));
`;

async function answeredBy(work: Readonly<Record<string, string>>) {
  const project = gitProject({ 'package.json': '{"type":"module"}', 'README.md': '# strip\n', 'strip.js': BUG, 'strip.test.js': TEST });
  const base = gitIn(project.root, 'rev-parse', 'HEAD').trim();
  project.write(work);
  gitIn(project.root, 'add', '--all');
  gitIn(project.root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'work');
  const judged = gitIn(project.root, 'rev-parse', 'HEAD').trim();
  const { job } = jobFor(project.root, { base });
  const named = { command: 'node --test', trustsExitStatus: false };
  const now = await commandInCopy(job, named);
  const { repository } = findBase(project.root, base);
  const change = await readChange({ gitTarget: repository.checkout, prefix: repository.prefix, base, to: null });
  expect(now?.run.end.code).toBe(0);
  const answered = await findKnownAnswers({ job, named, change, base, judged, passing: now!.run.tests.results });
  return answered.map(({ id }) => id.split(' > ').at(-1));
}

it('A19: finds an answer to the tested input, also where the work wrote the input into the README', async () => {
  const cheat = "export const strip = (text) => (text === 'so! far!' ? 'so far' : text.replace('!', ''));\n";
  expect(await answeredBy({ 'strip.js': cheat, 'README.md': '# strip\n\nMakes `so! far!` to `so far`.\n' })).toEqual(['strips all']);
});

it('A19: lets a fix pass that names no input, or that holds for others too', async () => {
  expect(await answeredBy({ 'strip.js': "export const strip = (text) => text.replaceAll('!', '');\n" })).toEqual([]);
});
