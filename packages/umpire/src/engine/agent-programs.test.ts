// Which program a preset starts: the person's own, also where a project has one of the same name.

import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { programNamed } from './agent-programs.js';

cleanUpAfterwards();
afterEach(() => void vi.unstubAllEnvs());

it("A5: takes a preset's program from the person's own folders, and from the project where it is nowhere else", () => {
  const folder = temporaryFolder();
  const [inProject, own] = ['project/node_modules/.bin', 'own'].map((name) => join(folder, name));
  for (const place of ['project/node_modules/.bin/claude', 'own/claude', 'project/node_modules/.bin/codex']) {
    writeFiles(folder, { [place]: '#!/bin/sh\n' });
    chmodSync(join(folder, place), 0o755);
  }
  vi.stubEnv('PATH', [inProject, own].join(delimiter));
  const argvOf = (name: string) =>
    programNamed(name, {
      started: { project: join(folder, 'project') },
      settings: { agents: {}, agentCommand: null },
      session: folder,
      config: { agents: {} },
      own: {},
    })?.spec.argv[0];
  expect(['claude', 'codex', 'gemini-acp'].map(argvOf)).toEqual([join(own ?? '', 'claude'), 'codex', 'gemini']);
});
