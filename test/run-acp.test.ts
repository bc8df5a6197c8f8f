// Agents over ACP in `umpire until` and `umpire run`: how they are chosen, merged, recorded and refused.

import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { proseFiles } from './support/run-loop-file.js';
import { until } from './support/assignment.js';
import { cleanUpProjects, eventsOfType, makeProject, rowsOf, sessionIn, textOf } from './support/run-project.js';

cleanUpProjects();

const PEER = join(import.meta.dirname, 'support', 'acp-agent.mjs');
const ONE = proseFiles({ tasks: [{ id: 'A' }] });

it('lets an ACP agent fix the project until the command passes, and records its messages', async () => {
  const project = makeProject({ config: { agents: { mine: { acp: [process.execPath, PEER, 'file'] } } } });
  const { exit, session } = await project.umpire('until', 'test -e new.txt', '--agent', 'mine');
  expect({ exit, row: rowsOf(session)['WORK-1'] }).toMatchObject({ exit: 0, row: { status: 'completed', findings: 'done' } });
  const { out } = await project.umpire('logs', session, 'WORK-1');
  expect(out).toContain('Umpire: allowed once: edit "Write new.txt".\n');
  expect(eventsOfType(session, 'TaskSubmitted')[0]).toMatchObject({ usage: { tokens: 900, costUsd: 0.25 } });
});

it('starts the ACP agent of a preset, with changes from the settings', SOAK, async () => {
  const project = makeProject({ files: ONE, config: { agents: { 'codex-acp': { allow: ['execute'], env: { A: 'b' } } } } });
  const bin = join(project.beside, 'bin');
  mkdirSync(bin);
  const call = JSON.stringify([{ kind: 'execute', title: 'npm test' }]);
  writeFileSync(join(bin, 'codex-acp'), `#!/bin/sh\n[ "$A" = b ] && exec '${process.execPath}' '${PEER}' asks '${call}'\n`);
  chmodSync(join(bin, 'codex-acp'), 0o755);
  const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  const { exit, session } = await project.umpireWith({ env }, 'run', './prose.yaml', 'x', '--agent', 'codex-acp');
  expect({ exit, status: rowsOf(session)['A']?.['status'] }).toEqual({ exit: 0, status: 'completed' });
  const { out } = await project.umpire('logs', session, 'A');
  expect(out).toContain('Umpire: allowed once: execute "npm test".\n');
});

it('lists the known ACP agents, and refuses settings without effect', SOAK, async () => {
  const project = makeProject({ files: ONE });
  const unknown = await project.umpire('run', './prose.yaml', 'x', '--agent', 'cursor-acp');
  expect(unknown).toMatchObject({
    exit: 2,
    err: expect.stringContaining('gemini, opencode, claude-acp, codex-acp, gemini-acp, opencode-acp'),
  });
  const misplaced = async (name: string, settings: object) => {
    project.write({ 'umpire.config.yaml': JSON.stringify({ agents: { [name]: settings } }) });
    return (await project.umpire('run', './prose.yaml', 'x', '--agent', name)).err;
  };
  expect(await misplaced('claude-acp', { finish: 'SIGINT' })).toContain('agents.claude-acp.finish: an ACP agent finishes by the protocol');
  expect(await misplaced('claude', { allow: ['execute'] })).toContain(
    'agents.claude.allow: only an ACP agent such as claude-acp asks for permission',
  );
});

it('cancels the turn of an ACP agent on Ctrl-C, and runs the task again on resume', SOAK, async () => {
  const project = makeProject({ files: ONE, config: { agents: { mine: { acp: [process.execPath, PEER, 'long'], grace_seconds: 60 } } } });
  const running = project.start('run', './prose.yaml', 'x', '--agent', 'mine');
  await running.says('A started');
  const session = sessionIn(project);
  const log = () => (existsSync(join(session, 'logs', 'A-1.txt')) ? textOf(session, 'logs/A-1.txt') : '');
  // The ACP session is open, and the turn starts.
  expect(await until(() => log().includes('"sessionId"'))).toBe(true);
  running.child.kill('SIGINT');
  const { exit } = await running.ended;
  expect([exit, eventsOfType(session, 'TaskInterrupted').length, rowsOf(session)['A']?.['status']]).toEqual([130, 1, 'pending']);
  expect(log()).toContain('Umpire: asked the agent to stop.\n');
});
