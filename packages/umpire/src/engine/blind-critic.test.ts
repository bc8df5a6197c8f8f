// A session whose only critic has nothing to measure with asks before it pays for agents.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { functionAgent } from '../agents/function-agent.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import { run } from './session.js';

cleanUpAfterwards();

function sessionsIn(root: string): readonly string[] {
  return readdirSync(root).includes('.umpire') ? readdirSync(join(root, '.umpire/sessions')) : [];
}

async function declined(loop: string, files: Files) {
  const { root } = gitProject({ 'a.js': 'export const a = 1;\n', ...files });
  const before = sessionsIn(root);
  let [calls, asked] = [0, 0];
  const mine = functionAgent({
    name: 'mine',
    run: () => {
      calls++;
      return Promise.resolve({ kind: 'failed', findings: '', error: 'it is only a test', outputs: {}, usage: NO_USAGE });
    },
  });
  const end = await run({
    loop,
    goal: 'x',
    project: root,
    agent: ['mine', loop === 'debt' ? 'validator=builtin' : 'executor=builtin'],
    agents: { mine },
    onNote: () => undefined,
    onBlind: () => Promise.resolve(asked++ > 0),
  }).then(
    ({ status }) => status as string,
    (error: unknown) => (error as { readonly code: string }).code,
  );
  const left = sessionsIn(root).filter((name) => !before.includes(name));
  return { end, calls, asked, left };
}

it.each(['testing', 'debt'])('%s: nothing runs and nothing is left if the person declines', async (loop) => {
  expect(await declined(loop, {})).toEqual({ end: 'critic-blind', calls: 0, asked: 1, left: [] });
});

it('a broken tool is none', async () => {
  const broken = { 'package.json': '{"name":"x","devDependencies":{"typescript":"5"}}', 'tsconfig.json': '{ "files": [' };
  expect(await declined('debt', broken)).toMatchObject({ end: 'critic-blind', calls: 0 });
});

it('nobody is asked where a runner lists tests', async () => {
  const test = "import { test } from 'node:test';\ntest('a', () => {});\n";
  const { asked, calls } = await declined('debt', {
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'a.test.js': test,
  });
  expect({ asked, hasRun: calls > 0 }).toEqual({ asked: 0, hasRun: true });
});
