// The notify command: when it runs, its environment, and that its failure does not stop a run.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { REST, validation, writer } from './support/run-evidence.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, makeProject, sessionIn, textOf } from './support/run-project.js';

cleanUpProjects();

const PAYERS = [validation(0), writer('executor'), { role: 'planner', result: { findings: 'Plan {attempt}: three steps.' } }, REST];

it('runs the notify command when a person is needed, with the session in its environment', async () => {
  const project = makeProject({ answers: PAYERS });
  const note = join(project.beside, 'note.sh');
  writeFileSync(note, `env | grep ^UMPIRE_ | sort > ${project.beside}/note.txt; echo "$1" >> ${project.beside}/calls.txt; exit 3\n`);
  const config = JSON.parse(textOf(project.root, 'umpire.config.yaml')) as object;
  project.commit({ 'umpire.config.yaml': JSON.stringify({ ...config, notify: ['sh', note, 'a word; with $(blanks)'] }) });
  const { exit, err, session } = await project.umpire('run', 'debt', 'less debt', '--mode', 'targeted');
  expect(exit).toBe(4);
  const told = textOf(project.beside, 'note.txt');
  expect(told).toContain(`UMPIRE_SESSION=${session}\n`);
  expect(told).toContain('UMPIRE_LOOP=debt\n');
  expect(told).toContain('UMPIRE_GOAL=less debt\n');
  expect(told).toContain('UMPIRE_QUESTION=approval of the plan of TDPLAN-001\n');
  expect(err).toContain('exit status 3');
  await project.umpire('resume', session);
  expect(textOf(project.beside, 'calls.txt')).toBe('a word; with $(blanks)\n');
});

it('runs the notify command in a shell, with the details in variables', SOAK, async () => {
  const project = makeProject({ answers: PAYERS });
  const notify = `echo "$UMPIRE_STATUS: $UMPIRE_QUESTION$UMPIRE_REASON ($UMPIRE_GOAL)" | tee -a "${project.beside}/told.txt" > /dev/null`;
  const config = JSON.parse(textOf(project.root, 'umpire.config.yaml')) as object;
  project.commit({ 'umpire.config.yaml': JSON.stringify({ ...config, notify }) });
  const { exit, err, session } = await project.umpire('run', 'debt', 'less `touch debt` $(touch debt)', '--mode', 'targeted');
  expect({ exit, err }).toEqual({ exit: 4, err: expect.not.stringContaining('calls a person') as string });
  const asked = 'awaiting: approval of the plan of TDPLAN-001 (less `touch debt` $(touch debt))\n';
  expect(textOf(project.beside, 'told.txt')).toBe(asked);
  // The end is notified only if configured.
  await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect(textOf(project.beside, 'told.txt')).toBe(asked);
});

it('runs the notify command at the end of a session if configured, but not after an abort', SOAK, async () => {
  const notify = 'echo "$UMPIRE_STATUS: $UMPIRE_QUESTION$UMPIRE_REASON" >> "$TOLD"; exit 4';
  const project = makeProject({ answers: PAYERS, config: { notify, notify_at_end: true } });
  const told = join(project.beside, 'told.txt');
  const umpire = (...args: readonly string[]) => project.umpireWith({ env: { TOLD: told } }, ...args);
  const { session } = await umpire('run', 'debt', 'x', '--mode', 'targeted');
  const { exit, err } = await umpire('resolve', session, 'approve', '--reason', 'fine');
  expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining('exit status 4. The session has ended.') as string });
  await umpire('resume', session);
  const other = await umpire('run', 'debt', 'x', '--mode', 'targeted');
  await umpire('resolve', other.session, 'abort', '--reason', 'fine');
  const asked = 'awaiting: approval of the plan of TDPLAN-001\n';
  expect(readFileSync(told, 'utf8')).toBe(`${asked}complete: The work was approved.\n${asked}`);
});

it('notifies of the end on resume if a kill prevented it', SOAK, async () => {
  const notify = '[ -e "$TOLD" ] || { : > "$TOLD"; kill -9 $PPID; exit; }; echo "$UMPIRE_STATUS" >> "$TOLD"';
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }] }), config: { notify, notify_at_end: true } });
  const told = join(project.beside, 'told.txt');
  const umpire = (...args: readonly string[]) => project.umpireWith({ env: { TOLD: told } }, ...args);
  expect((await umpire('run', './prose.yaml', 'x', ...project.sh('complete done'))).exit).toBe(null);
  const session = sessionIn(project);
  expect([endOf(session), readFileSync(told, 'utf8')]).toEqual(['complete unverified', '']);
  for (const _ of [1, 2]) expect((await umpire('resume', session)).exit).toBe(0);
  expect(readFileSync(told, 'utf8')).toBe('complete\n');
  expect((await umpire('replay', session)).exit).toBe(0);
});

it('says once why the notify command cannot start', SOAK, async () => {
  const project = makeProject({ answers: PAYERS, config: { notify: 'no-such-program' } });
  const { exit, err } = await project.umpire('run', 'debt', 'less debt', '--mode', 'targeted');
  expect({ exit, told: err.match(/The notify command .*/g) }).toEqual({
    exit: 4,
    told: ['The notify command (no-such-program) failed: exit status 127 (no such program). The session waits for a person.'],
  });
});
