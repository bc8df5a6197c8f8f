// What is told of a checkout before a session begins.

import { expect, it } from 'vitest';
import type { AgentSettings } from '../sessions/settings.js';
import { permissionWords, uncommittedWords } from './settings-notes.js';

it.each([
  [['a.js'], 'One uncommitted file is not part of it (a.js). Commit first if the agents should see it.'],
  [['coverage/'], 'One uncommitted folder is not part of it (coverage/). Commit first if the agents should see it.'],
  [['a.js', 'b.js'], '2 uncommitted files are not part of it (a.js, b.js). Commit first if the agents should see them.'],
  [['a/', 'b/'], '2 uncommitted folders are not part of it (a/, b/). Commit first if the agents should see them.'],
  [
    ['a.js', 'b/', 'c', 'd', 'e'],
    '5 uncommitted files and folders are not part of it (a.js, b/, c and 2 more). Commit first if the agents should see them.',
  ],
])('calls what is not committed what it is: %j', (files, words) => {
  expect(uncommittedWords(files)).toBe(`Work starts from your last commit. ${words}`);
});

const IGNORE = 'to .gitignore.';

it.each([
  [['.venv/'], `git does not ignore .venv/: add it ${IGNORE}`],
  [
    ['api/__pycache__/', 'web/node_modules', '.venv/', 'b/venv/'],
    `git does not ignore api/__pycache__/, web/node_modules, .venv/ and 1 more: add them ${IGNORE}`,
  ],
  [
    ['a.js', 'node_modules/'],
    `Work starts from your last commit. One uncommitted file is not part of it (a.js). Commit first if the agents should see it. git does not ignore node_modules/: add it ${IGNORE}`,
  ],
])('advises nobody to commit what tools make: %j', (files, words) => {
  expect(uncommittedWords(files)).toBe(words);
});

const ACP: AgentSettings = { runs: { kind: 'acp', command: 'x' }, env: {} };
const SCRIPT: AgentSettings = { runs: { kind: 'script', path: 'x' }, env: {} };

it.each<[Readonly<Record<string, string>>, readonly string[], readonly string[]]>([
  [
    { '*': 'claude', tester: 'codex' },
    ['developer'],
    [
      'claude as developer may edit files in its working folder and the session folder; run commands that only read, `npm test`, `make lint`. In other roles it changes nothing but its reports.',
      'codex as developer may write in its working folder and the session folder; run any command there without network (its own sandbox). In other roles it changes nothing but its reports.',
    ],
  ],
  [
    { '*': 'claude', reviewer: 'mine' },
    [],
    [
      'claude may edit files in the session folder alone; run commands that only read.',
      'mine may edit files in the session folder alone; run commands that only read; Umpire answers what else it asks for.',
    ],
  ],
  [{ '*': 'played', reviewer: 'person' }, ['developer'], []],
])('says what coding agents may do, before they do it: %j', (agents, writers, words) => {
  const commands = () => ['npm test', 'npm run test', 'make lint'];
  expect(permissionWords({ agents }, { agents: { mine: ACP, played: SCRIPT } }, { writers, commands })).toEqual(words);
});
