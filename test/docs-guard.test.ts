// docs/guard-your-tests.md is true: its commands print what it shows, and it names every rule.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RULE_GROUPS } from '@umpire/guard/findings/rule-names.js';
import { compareBlock, openConsole } from './support/console.js';
import { readPage } from './support/page.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';

cleanUpProjects();

const page = readPage('docs/guard-your-tests.md');

it('shows the real output of the command', async () => {
  const files = Object.fromEntries(page.blocks.filter(({ name }) => name !== '').map(({ name, text }) => [name, text]));
  const project = makeProject({ files });
  symlinkSync(command, join(project.beside, 'umpire'));
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${project.beside}:${path}`;
  try {
    const inTerminal = openConsole(project.root);
    const blocks = page.blocks.filter(({ kind }) => kind === 'console');
    let commands = 0;
    for (const block of blocks) commands += compareBlock(page, block, await inTerminal(block.text), project.root);
    expect({ blocks: blocks.length, commands }).toEqual({ blocks: 2, commands: 6 });
  } finally {
    process.env['PATH'] = path;
  }
});

it('names every rule', () => {
  const rows = [...page.text.matchAll(/^\| `(\w+)` \| (`[a-z-]+`.*) \|$/gm)];
  const told = rows.flatMap(([, group = '', rules = '']) => [...rules.matchAll(/`([a-z-]+)`/g)].map(([, rule = '']) => `${group} ${rule}`));
  expect(told.toSorted()).toEqual(
    Object.entries(RULE_GROUPS)
      .map(([rule, group]) => `${group} ${rule}`)
      .toSorted(),
  );
});
