// A person edits tasks.csv while a session waits or runs. The edit is applied, or refused with a reason and kept beside the file.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { proseFiles, reading } from './support/run-loop-file.js';
import { cleanUpProjects, eventsOfType, jsonOf, makeProject, rowsOf, standingOf, textOf, wavesRun } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const EDITED = {
  tasks: [
    { id: 'A', approve: true },
    { id: 'B', deps: ['A'] },
    { id: 'READ', role: 'reader', deps: ['B'] },
  ],
  judged: true,
};

/** A session that waits after its first task, and a function that edits its tasks.csv and continues. */
async function atRest(): Promise<{
  project: RunProject;
  session: string;
  edit: (change: (text: string) => string) => Promise<{ exit: number | null; err: string }>;
}> {
  const answers = [reading(true), { print: 'told {id}', result: { findings: '{id} is done.' } }];
  const project = makeProject({ files: proseFiles(EDITED), answers });
  const { exit, session } = await project.umpire('run', './prose.yaml', 'a book');
  expect(exit).toBe(4);
  const edit = (change: (text: string) => string) => {
    writeFileSync(join(session, 'tasks.csv'), change(textOf(session, 'tasks.csv')));
    return project.umpire('resolve', session, 'approve', '--reason', 'fine');
  };
  return { project, session, edit };
}

it('applies edits of pending tasks in tasks.csv, and keeps the person’s columns and quoting', async () => {
  const { session, edit } = await atRest();
  const { exit, err } = await edit((text) => {
    const [head = '', ...rows] = text.trimEnd().split('\n');
    const more = rows.map(
      (row) => `${row.replace(/^B,/, '"B",').replace('B of a book', '"B, with care"')},${row.startsWith('B,') ? 'mine' : ''}`,
    );
    return `${[`${head},note`, ...more, 'C,"One more",Do C.,writer,B,,csv-wave,,,,,,mine too'].join('\r\n')}\r\n`;
  });
  expect({ exit, edited: eventsOfType(session, 'TasksEdited').length, refused: eventsOfType(session, 'EditRefused') }).toEqual({
    exit: 0,
    edited: 1,
    refused: [],
  });
  expect(err).toMatch(/B: .*description.* changed/);
  expect(err).toContain('C: added');
  expect(wavesRun(session)).toEqual(['A', 'B', 'READ C']);
  const text = textOf(session, 'tasks.csv');
  expect(text.split('\r\n')[0]).toMatch(/,note$/);
  expect(text).toContain('"B",');
  expect(text).toContain('"B, with care"');
  expect(rowsOf(session)['C']).toMatchObject({ status: 'completed', note: 'mine too', title: 'One more' });
  expect(rowsOf(session)['B']).toMatchObject({ description: 'B, with care', note: 'mine', status: 'completed' });
});

// A new column contradicts nothing in the journal.
it('accepts a new column in every row, also of finished tasks and critics', SOAK, async () => {
  const { session, edit } = await atRest();
  const { exit } = await edit((text) =>
    text.replace(/$/gm, (_, at: number) => (at === text.length ? '' : at < text.indexOf('\n') + 1 ? ',note' : ',mine')),
  );
  expect({ exit, refused: eventsOfType(session, 'EditRefused') }).toEqual({ exit: 0, refused: [] });
});

it('reads a wave number in every form a spreadsheet writes', SOAK, async () => {
  const { session, edit } = await atRest();
  const waves = (text: string) =>
    text
      .replace(/csv-wave,1,/, 'csv-wave,1.0,')
      .replace(/csv-wave,2,/, 'csv-wave,"2,00",')
      .replace(/csv-wave,3,/, 'csv-wave,03,');
  const { err } = await edit((text) => waves(text).replace('B of a book', 'B with care'));
  expect({ err, refused: eventsOfType(session, 'EditRefused') }).toEqual({
    err: expect.stringContaining('B: description changed') as string,
    refused: [],
  });
  const other = await atRest();
  await other.edit((text) => text.replace(/^(A,.*)A is done/m, '$1A is great').replace(/^(B,.*),A,A,csv-wave,2,/m, '$1,,,csv-wave,1,'));
  expect(eventsOfType(other.session, 'EditRefused')).toMatchObject([{ reason: 'A: findings changed, but the task is completed' }]);
});

it('says what an edit changed in columns and waves, and reads an empty status as pending', SOAK, async () => {
  const { session, edit } = await atRest();
  const { exit, err } = await edit((text) => {
    const moved = text.trimEnd().replace(/^([^,]*),([^,]*)/gm, '$2,$1');
    return (
      `${moved.replace(/^(B,B,.*)pending/m, '$1').replace(/$/gm, ',')}\n`.replace(',\n', ',note\n') +
      'C,C,Do C.,writer,B,,csv-wave,9,,,,,\n'
    );
  });
  expect({ exit, refused: eventsOfType(session, 'EditRefused') }).toEqual({ exit: 0, refused: [] });
  expect(err).toContain('applied: C: added in wave 3, which follows from its deps; column note added; columns reordered\n');
});

const REFUSED: readonly (readonly [what: string, change: (text: string) => string, reason: string | RegExp])[] = [
  ['a finished task is changed', (text) => text.replace('A is done.', 'A is splendid.'), 'A: findings changed, but the task is completed'],
  ['a finished task is set to pending', (text) => text.replace('completed', 'pending'), 'A: status changed, but the task is completed'],
  ['a critic is skipped', (text) => text.replace(/^(READ,.*)pending/m, '$1skipped'), 'a critic cannot be skipped'],
  [
    'a critic would run before the work it judges',
    (text) => text.replace(/^(READ,[^\n]*reader,)B,B/m, '$1A,A'),
    'READ would run before B, which it judges',
  ],
  [
    'a row is deleted',
    (text) => text.replace(/^B,.*\n/m, '').replace(',B,B,', ',A,A,'),
    'the row of B was deleted; restore it and set its status to skipped',
  ],
  ['a critic’s row is deleted', (text) => text.replace(/^READ,.*\n/m, ''), /^the row of READ was deleted; restore it$/],
  [
    'tasks depend on each other in a cycle',
    (text) => text.replace(/^(B,[^\n]*writer,)A/m, '$1READ'),
    'tasks would depend on each other in a cycle: B, READ',
  ],
  ['a task depends on a missing task', (text) => text.replace(/^(B,[^\n]*writer,)A/m, '$1Z'), 'tasks would depend on missing tasks: Z'],
  ['a role is changed', (text) => text.replace(/^(B,[^\n]*),writer,/m, '$1,reader,'), 'its role cannot be changed'],
  ['a wave does not follow from deps', (text) => text.replace(/^(B,.*csv-wave,)2,/m, '$17,'), 'B: wave cannot be set to "7"'],
  [
    'an output is filled in',
    (text) => text.replace(/^(READ,.*pending,)/m, '$1It is fine.'),
    'READ: findings cannot be changed, because the agent fills it in',
  ],
  ['a cell is too long for the journal', (text) => text.replace('B of', `${'B'.repeat(1_000_000)} of`), '1,000,000'],
  ['the file is not CSV', () => 'id,title\n"A', 'tasks.csv:2'],
];

it.concurrent.each(REFUSED)('refuses an edit if %s, and keeps the file beside tasks.csv', SOAK, async (_, change, reason) => {
  const { session, edit } = await atRest();
  const before = textOf(session, 'tasks.csv');
  const { exit, err } = await edit(change);
  expect({ exit, waves: wavesRun(session), taken: eventsOfType(session, 'TasksEdited') }).toEqual({
    exit: 0,
    waves: ['A', 'B', 'READ'],
    taken: [],
  });
  expect(eventsOfType(session, 'EditRefused')).toEqual([{ reason: expect.stringMatching(reason), kept: 'tasks.refused-1.csv' }]);
  expect(err).toContain('tasks.refused-1.csv');
  expect(textOf(session, 'tasks.refused-1.csv')).toBe(change(before));
  expect(standingOf(session)).toEqual(['A completed', 'B completed', 'READ completed']);
});

// Agents can write to the session folder too: deleting two dependencies there once started the work before its plan was approved.
it('refuses an edit that lets a task run before the plan is approved', async () => {
  const { project, session } = await atRest();
  writeFileSync(join(session, 'tasks.csv'), textOf(session, 'tasks.csv').replace(/^(B,[^\n]*writer,)A,A/m, '$1,'));
  const { exit } = await project.umpire('resolve', session, 'revise', '--reason', 'Shorter.');
  expect({ exit, taken: eventsOfType(session, 'TasksEdited'), refused: eventsOfType(session, 'EditRefused') }).toEqual({
    exit: 4,
    taken: [],
    refused: [{ reason: 'B would start before a person approved A', kept: 'tasks.refused-1.csv' }],
  });
  expect(standingOf(session)).toEqual(['A completed', 'B pending', 'READ pending']);
});

it('refuses a new task that would change files before the plan is approved', SOAK, async () => {
  const tasks = [
    { id: 'PLAN', role: 'planner', approve: true },
    { id: 'B', deps: ['PLAN'] },
  ];
  const project = makeProject({ files: proseFiles({ tasks, writes: ['writer'] }), answers: [{ result: { findings: '{id} is done.' } }] });
  const { session } = await project.umpire('run', './prose.yaml', 'a book');
  const text = textOf(session, 'tasks.csv');
  const add = (deps: string) => writeFileSync(join(session, 'tasks.csv'), `${text}C,C,Do C.,writer,${deps},,csv-wave,,,,,\n`);
  add('');
  await project.umpire('resolve', session, 'revise', '--reason', 'Shorter.');
  const reason = 'the new task C would start before a person approved PLAN; add PLAN to its deps';
  expect(eventsOfType(session, 'EditRefused')).toEqual([{ reason, kept: 'tasks.refused-1.csv' }]);
  add('PLAN');
  const { exit } = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect({ exit, standing: standingOf(session) }).toEqual({ exit: 0, standing: ['PLAN completed', 'B completed', 'C completed'] });
});

it('refuses an edit that is not UTF-8, and keeps it byte for byte', SOAK, async () => {
  const { project, session } = await atRest();
  const edited = Buffer.from(textOf(session, 'tasks.csv').replace('B of a book', 'B of a café'), 'latin1');
  writeFileSync(join(session, 'tasks.csv'), edited);
  const { exit } = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect({ exit, taken: eventsOfType(session, 'TasksEdited'), refused: eventsOfType(session, 'EditRefused') }).toEqual({
    exit: 0,
    taken: [],
    refused: [{ reason: expect.stringContaining('not UTF-8'), kept: 'tasks.refused-1.csv' }],
  });
  expect(readFileSync(join(session, 'tasks.refused-1.csv'))).toEqual(edited);
});

it('applies an edit of a task named __proto__', SOAK, async () => {
  const plan = {
    tasks: [
      { id: 'A', approve: true },
      { id: 'B', deps: ['A'], approve: true },
      { id: 'C', deps: ['B'] },
    ],
  };
  const project = makeProject({ files: proseFiles(plan) });
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...project.sh('complete done'));
  const edit = (change: (text: string) => string) => {
    writeFileSync(join(session, 'tasks.csv'), change(textOf(session, 'tasks.csv')));
    return project.umpire('resolve', session, 'approve', '--reason', 'fine');
  };
  await edit((text) => `${text}__proto__,Late,Do it.,writer,B,,csv-wave,,,,,\n`);
  const { err } = await edit((text) => text.replace('Do it.', 'Do it well.'));
  expect(err).toContain('Your edit of tasks.csv was applied: __proto__: description changed');
});

it('does not mistake its own half-written file for an edit after a kill', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }] }) });
  const fault = {
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'support', 'fault.cjs')}`,
    UMPIRE_FAULT: 'kill:1:/.umpire-tasks.csv',
  };
  const args = ['run', './prose.yaml', 'a book', '--session', '.umpire/sessions/s', ...project.sh('complete done')];
  const killed = await project.umpireWith({ env: fault }, ...args);
  const session = join(project.root, '.umpire', 'sessions', 's');
  const { exit } = await project.umpire('resume', 's');
  expect({ killed: killed.exit, exit, refused: eventsOfType(session, 'EditRefused') }).toEqual({ killed: null, exit: 0, refused: [] });
});

// Agents can write to the session folder too: one added 100 paid tasks.
it('W7: holds an edit that is found after a task ran, and takes it up only when a person says so', async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }, { id: 'B', deps: ['A'] }] }) });
  const agent = project.sh(`
cp "$UMPIRE_TASK_FILE" "$beside/$id.json"
cd "$UMPIRE_SESSION"
[ "$id" = A ] && { sed -i 's/B of a book/B but shorter/' tasks.csv; echo 'Z,Late,Do Z.,writer,A,,csv-wave,,,,,' >> tasks.csv; }
[ "$id" = B ] && rm tasks.csv
complete "$id"
`);
  const { exit, err, session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  const held = 'B: description changed; Z: added. It is kept as tasks.csv.held. If it is yours: umpire resolve';
  expect({ exit, standing: standingOf(session), err }).toEqual({
    exit: 0,
    standing: ['A completed', 'B completed'],
    err: expect.stringContaining(held) as string,
  });
  expect([jsonOf(project.beside, 'B.json')['description'], eventsOfType(session, 'TasksEdited')]).toEqual(['B of a book', []]);
  expect(textOf(session, 'tasks.csv.held')).toContain('Do Z.');
  expect(eventsOfType(session, 'EditRefused')).toEqual([{ reason: expect.stringContaining('removed'), kept: '' }]);
  expect((await project.umpire('status', session)).out).toContain('take-edits');
  const refused = await project.umpire('resolve', session, 'take-edits', '--reason', 'mine');
  expect({ exit: refused.exit, err: refused.err }).toEqual({
    exit: 1,
    err: expect.stringContaining('the held edit contradicts the session now (B: description changed, but the task is completed)') as string,
  });
});

it('W7: continues an ended session with the tasks of a held edit', async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }] }) });
  const agent = project.sh(`
[ "$id" = A ] && echo 'Z,Late,Do Z.,writer,A,,csv-wave,,,,,' >> "$UMPIRE_SESSION/tasks.csv"
complete "$id"
`);
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  expect(standingOf(session)).toEqual(['A completed']);
  // An agent that edits the copy changes nothing: the journal has what the person saw.
  writeFileSync(join(session, 'tasks.csv.held'), 'id\n');
  const { exit } = await project.umpire('resolve', session, 'take-edits', '--reason', 'mine');
  expect({ exit, waves: wavesRun(session), standing: standingOf(session) }).toEqual({
    exit: 0,
    waves: ['A', 'Z'],
    standing: ['A completed', 'Z completed'],
  });
  expect((await project.umpire('resolve', session, 'take-edits', '--reason', 'mine')).err).toContain('no edit of tasks.csv is held');
});

it('runs failed tasks and their dependents again with --retry, but none that a person skipped', async () => {
  const tasks = [
    { id: 'A', approve: true },
    { id: 'B', deps: ['A'] },
    { id: 'C', deps: ['B'] },
    { id: 'D', deps: ['A'] },
    { id: 'E', deps: ['D'] },
  ];
  const project = makeProject({ files: proseFiles({ tasks }) });
  const agent = project.sh('if [ "$id$attempt" = B1 ]; then fail "not today"; else complete "$id"; fi');
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  writeFileSync(join(session, 'tasks.csv'), textOf(session, 'tasks.csv').replace(/^(D,.*)pending/m, '$1skipped'));
  const { exit } = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  const standing = ['A completed', 'B failed', 'C skipped', 'D skipped', 'E skipped'];
  expect({ exit, standing: standingOf(session) }).toEqual({ exit: 1, standing });
  expect(rowsOf(session)['D']?.['error']).toBe('Skipped by a person.');
  const retried = await project.umpire('resume', session, '--retry');
  expect({ exit: retried.exit, standing: standingOf(session) }).toEqual({
    exit: 0,
    standing: ['A completed', 'B completed', 'C completed', 'D skipped', 'E skipped'],
  });
});
