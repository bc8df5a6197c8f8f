// Mistyped arguments: numbers out of range and misspelled names. The message helps, the exit status is 2, and nothing is written.
// Every help text has the same form.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '@umpire/umpire/doors/cli/commands.js';
import { HELP_TOPICS, helpText } from '@umpire/umpire/doors/cli/help.js';
import { runInProcess } from './support/in-process.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

const project = makeProject();

it.each([
  [['run', 'testing', '--target', '120'], '--target takes a number from 0 to 100, or one for each layer, such as L1=90,L2=70, not "120".'],
  [['run', 'testing', '--target', '-1'], '--target takes a number from 0 to 100, or one for each layer, such as L1=90,L2=70, not "-1".'],
  [['run', 'testing', '--max-rounds', '-1'], '--max-rounds takes a whole number from 1 to 100, not "-1".'],
  [['run', 'testing', '--max-rounds', 'many'], '--max-rounds takes a whole number from 1 to 100, not "many".'],
  [['run', 'testing', '--concurrency', '0'], '--concurrency takes a whole number from 1 to 256, not "0".'],
  [['until', 'true', '--max-minutes', '0'], '--max-minutes takes a number from 0.01 to 525600, not "0".'],
  [['until', 'true', '--max-cost-usd', '1e3'], '--max-cost-usd takes a number from 0.001 to 1000000, not "1e3".'],
  [['resume', 'x', '--max-tokens', '1.5'], '--max-tokens takes a whole number from 1 to 1000000000000, not "1.5".'],
  [['decide', 'review', '.', '--round', '-1'], '--round takes a whole number from 0 to 10000, not "-1".'],
  [['decide', 'review', '.', '--deadline-ms', 'soon'], '--deadline-ms takes a whole number from 0 to 1000000000, not "soon".'],
])('names the allowed range: %j', async (args, message) => {
  const { exit, stderr } = await runInProcess(project.root, args);
  expect({ exit, first: stderr.split('\n', 1)[0] }).toEqual({ exit: 2, first: `umpire: ${message}` });
  expect(readdirSync(project.root)).not.toContain('.umpire');
});

it.each([
  [['utnil', 'true'], 'Unknown command "utnil". Did you mean "until"?'],
  [['help', 'resolv'], 'Unknown command "resolv". Did you mean "resolve"?'],
  [['run', 'testin'], 'Unknown loop "testin". Did you mean "testing"?'],
  [['check', 'revew'], 'Unknown loop "revew". Did you mean "review"?'],
  [['until', 'true', '--agnt', 'x'], 'Unknown flag "--agnt". Did you mean "--agent"?'],
  [['until', 'true', '--agent', 'cluade'], 'Unknown agent "cluade". Did you mean "claude"?'],
  [['until', 'true', '--agent', 'nobody-of-ours'], 'Unknown agent "nobody-of-ours".'],
  [
    ['resolve', 'x', 'aprove'],
    '<answer> takes one of force-approve, manual-fix, extend, abort, approve, revise, answer, take-edits, agree, insist, accept-tests, change-goal, stop, not "aprove". Did you mean "approve"?',
  ],
])('suggests the word that was meant: %j', async (args, message) => {
  const { exit, stderr } = await runInProcess(project.root, args);
  expect({ exit, first: stderr.split('\n', 1)[0] }).toEqual({ exit: 2, first: `umpire: ${message}` });
});

it('suggests the session that was meant, and finds a task of the latest session', async () => {
  const worked = makeProject();
  await worked.umpire('until', 'true', 'nothing', '--session', '.umpire/sessions/evening', ...worked.sh('complete done'));
  const slip = await worked.umpire('status', 'evenign');
  expect({ exit: slip.exit, first: slip.err.split('\n', 1)[0] }).toEqual({
    exit: 1,
    first: 'umpire: Unknown session "evenign". Did you mean "evening"?',
  });
  const silent = await worked.umpire('logs', 'CHECK-001');
  expect(silent.err).not.toContain('Unknown session');
});

it.each(HELP_TOPICS)('the help of %s fits 80 columns and has usage, exit status and examples, in this order', (command) => {
  const text = helpText(command);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text.split('\n', 1)[0]).toMatch(/^[A-Z].*\.$/);
  expect(text).toMatch(
    new RegExp(`\\nUsage: ${command === 'umpire' ? 'umpire <command>' : `umpire ${command}`}[^]*\\nExit status[^]*\\nExamples`),
  );
});

it('has a help text for every command that the overview names', () => {
  const [commands = ''] = helpText('umpire').split('\nLoops\n');
  const named = [...commands.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1] ?? '');
  expect(named.toSorted()).toEqual(['help', ...Object.keys(COMMANDS)].toSorted());
});
