// Agents that damage the session folder during a run: links instead of files, a replaced lock, an empty journal, a tasks.csv that keeps
// changing. The session continues or says why not, and no work is lost.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, standingOf, textOf } from './support/run-project.js';

cleanUpProjects();

const TWO = { tasks: [{ id: 'A' }, { id: 'B', deps: ['A'] }] };

it('does not clean the work of a session whose journal was emptied', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ ...TWO, writes: ['writer'] }) });
  const agent = project.sh('echo "$id" > "$id.txt"; [ "$id" = B ] && : > "$UMPIRE_SESSION/journal.ndjson"; complete done');
  const { exit } = await project.umpire('run', './prose.yaml', 'a book', '--session', '.umpire/sessions/s', ...agent);
  const cleaned = await project.umpire('clean');
  expect({ exit, told: cleaned.err, work: project.git('ls-tree', '--name-only', 'umpire/s', 'A.txt').trim() }).toEqual({
    exit: 1,
    told: expect.stringContaining('s: kept. Its work was not applied: A.txt'),
    work: 'A.txt',
  });
  const forced = await project.umpire('clean', 's', '--force');
  expect({ exit: forced.exit, branches: project.git('branch', '--list', 'umpire/*').trim() }).toEqual({ exit: 0, branches: '' });
});

it.each([
  ['to the journal', 'journal.ndjson'],
  ['that leads nowhere', '/nowhere/at/all'],
])('removes a link %s that replaces a wave’s table, but not its target', async (_, target) => {
  const project = makeProject({ files: proseFiles(TWO) });
  const agent = project.sh(`ln -s ${target} "$UMPIRE_SESSION/wave-$attempt$attempt.csv"; complete done`);
  const { exit, session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  expect({ exit, standing: standingOf(session), left: readdirSync(session).filter((name) => name.startsWith('wave-')) }).toEqual({
    exit: 0,
    standing: ['A completed', 'B completed'],
    left: [],
  });
});

it('reports the end of a session whose lock an agent replaced, and leaves that file alone', SOAK, async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const agent = project.sh('rm -f "$UMPIRE_SESSION/.umpire-lock"; mkdir -p "$UMPIRE_SESSION/.umpire-lock"; complete done');
  const { exit, session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  expect({ exit, end: endOf(session), isThere: existsSync(join(session, '.umpire-lock')) }).toEqual({
    exit: 0,
    end: 'complete unverified',
    isThere: true,
  });
});

it('does not count a session as running if an agent overwrote its lock', SOAK, async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const agent = project.sh('echo mine > "$UMPIRE_SESSION/.umpire-lock"; complete done');
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  const { exit, err } = await project.umpire('resume', session);
  expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining('The session has ended: complete.') as string });
});

// The file changes faster than it can be read.
it('ends although a leftover process keeps changing tasks.csv', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }] }) });
  const stop = join(project.beside, 'stop');
  writeFileSync(
    join(project.beside, 'flip.mjs'),
    `import { existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
const [, , file, ready, stop] = process.argv;
const [head, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\\n');
const text = [head + ',note', ...rows.map((row) => row + ',' + 'y'.repeat(300000) + '00000000')].join('\\n') + '\\n';
writeFileSync(file, text);
const fd = openSync(file, 'r+');
writeFileSync(ready, '');
for (let at = 0; at % 1000 !== 0 || !existsSync(stop); at++) writeSync(fd, String(at % 1e8).padStart(8, '0'), text.length - 9);
`,
  );
  const agent = project.sh(`
setsid env -i "${process.execPath}" "$beside/flip.mjs" "$UMPIRE_SESSION/tasks.csv" "$beside/ready" "${stop}" > "$beside/flip.log" 2>&1 < /dev/null &
until_file "$beside/ready"
complete done`);
  const running = project.start('run', './prose.yaml', 'a book', ...agent);
  const { exit, session } = await running.ended;
  writeFileSync(stop, '');
  expect({ exit, end: endOf(session), finished: eventsOfType(session, 'TaskFinished').map(({ task }) => task) }).toEqual({
    exit: 0,
    end: 'complete unverified',
    finished: ['A'],
  });
  expect(eventsOfType(session, 'TasksEdited').length).toBeLessThanOrEqual(20);
  expect(readFileSync(join(project.beside, 'flip.log'), 'utf8')).toBe('');
});

it('sets an unreadable tasks.csv aside and continues from the journal', SOAK, async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const agent = project.sh(`
cd "$UMPIRE_SESSION"
[ "$id" = A ] && rm tasks.csv && mkdir tasks.csv && echo mine > tasks.csv/mine
complete done`);
  const { exit, session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  expect({ exit, standing: standingOf(session), refused: eventsOfType(session, 'EditRefused') }).toEqual({
    exit: 0,
    standing: ['A completed', 'B completed'],
    refused: [{ reason: expect.stringContaining('tasks.csv cannot be read'), kept: 'tasks.refused-1.csv' }],
  });
  expect(readFileSync(join(session, 'tasks.refused-1.csv', 'mine'), 'utf8')).toBe('mine\n');
});

it('writes no task into a folder that an agent replaced with a link', SOAK, async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const elsewhere = join(project.beside, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, '1.task.json'), 'mine');
  const agent = project.sh(`
[ "$id" = B ] && { complete done; exit; }
rm -rf "$UMPIRE_SESSION/agents"; ln -s "${elsewhere}" "$UMPIRE_SESSION/agents"
echo '{"id":"A","status":"completed","findings":"linked"}'`);
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  expect(readdirSync(elsewhere)).toEqual(['1.task.json']);
  expect(readFileSync(join(elsewhere, '1.task.json'), 'utf8')).toBe('mine');
  expect(eventsOfType(session, 'TaskFinished').find(({ task }) => task === 'B')?.findings).toBe('done');
});

it('says where work is that git could not merge, and leaves it there', SOAK, async () => {
  const project = makeProject({ files: { ...proseFiles({ ...TWO, writes: ['writer'] }), '.gitattributes': '*.bin filter=large\n' } });
  project.git('config', 'filter.large.clean', 'false');
  project.git('config', 'filter.large.required', 'true');
  const agent = project.sh('echo "an hour of work" > big.bin; complete done');
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  const [finished] = eventsOfType(session, 'TaskFinished');
  const told = /^Its work could not be collected: (.*) Its files stay in (.*) until you run umpire clean\.$/.exec(finished?.error ?? '');
  expect(told?.[1] ?? '').toContain("clean filter 'large' failed.");
  expect(textOf(told?.[2] ?? '', 'big.bin')).toBe('an hour of work\n');
});

it.each(['discoveries.ndjson', 'tasks.csv', 'session-state.json', 'umpire.config.yaml', 'logs/B-1.txt'])(
  'ends with an error, and does not wait, where an agent put a pipe in place of %s',
  async (name) => {
    const project = makeProject({ files: proseFiles(TWO) });
    const place = name.endsWith('.yaml') ? `"${project.root}/${name}"` : `"$UMPIRE_SESSION/${name}"`;
    const agent = project.sh(`rm -f ${place}; mkfifo ${place}; complete done`);
    const { exit, session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
    const after = await project.umpire('status', session);
    expect({ isEnded: exit !== null, read: after.exit }).toEqual({ isEnded: true, read: 0 });
    await project.umpire('resume', session);
  },
  30_000,
);
