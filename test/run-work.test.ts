// The work of `umpire run`: branch and worktrees, merges and conflicts, the setup of worktrees, `diff`, `apply` and `clean`; with git,
// without git, and in a folder of a repository.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { filesUnder, gitIn, ownThings, writeFiles } from './support/git-project.js';
import { GOOD_REVIEW, GOOD_RUN, POOR_REVIEW, REST, SMALL, challenge, review, testRun, validation, writer } from './support/run-evidence.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, eventsOf, eventsOfType, makeProject, textOf, wavesRun } from './support/run-project.js';

cleanUpProjects();

const DEVELOPED = [
  review(POOR_REVIEW, { task: 'REVIEW-001' }),
  review(GOOD_REVIEW),
  { task: 'DEV-001', write: { 'src/total.ts': 'one\n', 'README.md': 'Better.\n' }, result: { findings: 'developed' } },
  { task: 'FIX-*', write: { 'src/total.ts': 'two\n' }, delete: ['old.txt'], result: { findings: 'fixed' } },
  REST,
];
const FILES = { 'README.md': 'A project.\n', 'old.txt': 'old\n' };

it('does not touch the person’s files, index, stash, branches or settings', async () => {
  const project = makeProject({ answers: DEVELOPED, files: FILES });
  project.write({ 'README.md': 'stashed\n' });
  project.git('stash');
  project.write({ 'README.md': 'staged\n', 'new.txt': 'untracked\n' });
  project.git('add', 'README.md');
  project.write({ 'README.md': 'staged, and more\n' });
  const before = ownThings(project.root);
  const { exit, err, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete' });
  expect(ownThings(project.root)).toEqual(before);
  expect(err).toMatch(/Work starts from your last commit\. 2 uncommitted files are not part of it \(.+, .+\)/);
  expect(project.git('status', '--porcelain')).toBe('MM README.md\n?? new.txt\n');
  expect(project.git('branch', '--list', 'umpire/*').trim()).toMatch(/umpire\/review-x-/);
  expect(project.git('log', '--format=%s', `umpire/${session.split('/').at(-1) ?? ''}`)).toContain('first');
  const after = ownThings(project.root);
  for (const args of [['status'], ['report'], ['diff'], ['logs'], ['list']]) expect((await project.umpire(...args)).exit).toBe(0);
  expect(ownThings(project.root)).toEqual(after);
});

it('shows the changes of a session, in total and by round, and applies them to a clean checkout', async () => {
  const project = makeProject({ answers: DEVELOPED, files: FILES });
  const { session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  const all = await project.umpire('diff', session);
  expect(all.out).toContain('+two');
  expect(all.out).not.toContain('+one');
  expect(all.out).toContain('deleted file mode');
  const first = await project.umpire('diff', '1');
  expect(first.out).toContain('+one');
  expect(first.out).not.toContain('+two');
  const second = await project.umpire('diff', session, '2');
  expect(second.out).toContain('-one\n+two');
  expect(second.out).not.toContain('Better');
  const none = await project.umpire('diff', session, '7');
  expect({ exit: none.exit, err: none.err }).toEqual({ exit: 2, err: expect.stringContaining('1, 2') });
  const kept = await project.umpire('clean', session);
  expect({ exit: kept.exit, err: kept.err }).toEqual({ exit: 1, err: expect.stringContaining('umpire apply') });
  const head = project.git('rev-parse', 'HEAD');
  const { exit, out } = await project.umpire('apply', session);
  expect({ exit, out: out.trim().split('\n').toSorted() }).toEqual({ exit: 0, out: ['README.md', 'old.txt', 'src/total.ts'] });
  expect(project.git('rev-parse', 'HEAD')).toBe(head);
  expect(project.git('diff', '--cached', '--name-only')).toBe('');
  expect(filesUnder(project.root, (path) => /^(\.git|\.umpire|agents|umpire\.config)/.test(path))).toEqual({
    'README.md': 'Better.\n',
    'src/total.ts': 'two\n',
  });
  const again = await project.umpire('apply', session);
  expect(again).toMatchObject({ exit: 0, out: '', err: 'Nothing to apply: your checkout has these changes already.\n' });
  expect(textOf(project.root, 'README.md')).toBe('Better.\n');
  const cleaned = await project.umpire('clean');
  expect(cleaned.exit).toBe(0);
  expect(project.git('branch', '--list', 'umpire/*')).toBe('');
  expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(existsSync(join(project.worktrees, session.split('/').at(-1) ?? ''))).toBe(false);
  expect(endOf(session)).toBe('complete');
  const report = await project.umpire('report', session);
  expect(report.exit).toBe(0);
  const { out: standing } = await project.umpire('status', session);
  expect(standing).toMatch(/^work {5}removed, was branch umpire\/\S+ at [0-9a-f]{12}\n/m);
  expect([standing.match(/removed/g)?.length, standing.match(/branch/g)?.length]).toEqual([1, 1]);
  expect(report.out).toMatch(/^- Work: removed, was branch /m);
  expect((await project.umpire('status', session)).out).not.toContain('umpire apply');
});

it('refuses to apply to a dirty checkout, or from an incomplete session', SOAK, async () => {
  const project = makeProject({ answers: DEVELOPED, files: FILES });
  const { session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  const dirt: readonly (readonly [what: string, make: () => void, undo: () => void])[] = [
    ['a changed file', () => project.write({ 'README.md': 'mine\n' }), () => project.git('checkout', '-q', 'README.md')],
    ['a staged file', () => project.git('rm', '-q', '--cached', 'old.txt'), () => project.git('reset', '-q')],
    ['a file in the way', () => project.write({ 'src/total.ts': 'mine\n' }), () => project.write({ src: null })],
  ];
  for (const [what, make, undo] of dirt) {
    make();
    const before = filesUnder(project.root, (path) => path.startsWith('.git'));
    const { exit, err } = await project.umpire('apply', session);
    expect({ what, exit, err }).toEqual({ what, exit: 1, err: expect.stringContaining('Nothing was applied') });
    expect(filesUnder(project.root, (path) => path.startsWith('.git'))).toEqual(before);
    undo();
  }
  project.commit({ 'README.md': 'Theirs.\n' });
  const torn = await project.umpire('apply', session);
  expect({ exit: torn.exit, err: torn.err }).toEqual({ exit: 1, err: expect.stringContaining('git merge umpire/') });
  const failing = makeProject({ answers: [writer('developer'), { role: 'verifier', fail: 'exit' }, REST] });
  const failed = await failing.umpire('run', 'review', 'x', '--mode', 'patch');
  const refused = await failing.umpire('apply', failed.session);
  expect({ exit: refused.exit, err: refused.err }).toEqual({ exit: 1, err: expect.stringContaining('(failed)') });
  // The command that clean prints works.
  const kept = await failing.umpire('clean', failed.session);
  const said = /Apply it with `umpire (apply [^`]+)`/.exec(kept.err)?.[1] ?? '';
  expect({ exit: kept.exit, said }).toEqual({ exit: 1, said: `apply ${basename(failed.session)} --force` });
  const forced = await failing.umpire(...said.split(' '));
  expect({ exit: forced.exit, out: forced.out, err: forced.err }).toEqual({
    exit: 0,
    out: 'work/DEV-001.txt\n',
    err: expect.stringContaining('UNVERIFIED'),
  });
});

it('does not clean a session that has not ended, and names the command that ends it', SOAK, async () => {
  const project = makeProject({ answers: [writer('executor'), REST] });
  const { session } = await project.umpire('run', 'debt', 'x', '--mode', 'targeted');
  const kept = await project.umpire('clean');
  expect({ exit: kept.exit, err: kept.err }).toEqual({ exit: 0, err: expect.stringContaining('kept. It has not ended.') });
  // The printed command works; without a terminal it needs a reason.
  const said = /`umpire (resolve \S+ abort[^`]*)`/.exec(kept.err)?.[1] ?? '';
  const words = said.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
  const { exit } = await project.umpire(...words, '--reason', 'no longer wanted');
  expect({ said, exit, end: endOf(session) }).toEqual({ said, exit: 0, end: 'aborted unverified' });
  const cleaned = await project.umpire('clean');
  expect({ exit: cleaned.exit, branches: project.git('branch', '--list', 'umpire/*') }).toEqual({ exit: 0, branches: '' });
  expect(existsSync(join(session, 'journal.ndjson'))).toBe(true);
});

const BOTH = [
  { task: 'TESTGEN-001', write: { 'test/shared.txt': 'one\n', 'test/a.txt': 'a\n' }, result: { findings: 'wrote one' } },
  { task: 'TESTGEN-002', attempt: 1, write: { 'test/shared.txt': 'two\n', 'test/b.txt': 'b\n' }, result: { findings: 'wrote two' } },
  { task: 'TESTGEN-002', write: { 'test/b.txt': 'b\n' }, result: { findings: 'wrote b' } },
  ...['L1', 'L2', 'L3'].map((layer, n) => testRun(layer, GOOD_RUN, { task: `TESTRUN-00${n + 1}` })),
  REST,
];

it('fails the later of two conflicting tasks, names both, and retries on the merged work', SOAK, async () => {
  const project = makeProject({ answers: BOTH });
  const { exit, err, session } = await project.umpire('run', 'testing', 'x', '--mode', 'comprehensive');
  expect({ exit, end: endOf(session), waves: wavesRun(session).slice(0, 3) }).toEqual({
    exit: 0,
    end: 'complete',
    waves: ['STRATEGY-001', 'TESTGEN-001 TESTGEN-002', 'TESTGEN-002'],
  });
  const [, commit = ''] = /TESTGEN-002 failed: .*test\/shared\.txt.*TESTGEN-001.*commit ([0-9a-f]{12})/.exec(err) ?? [];
  expect(project.git('show', '--stat', commit)).toContain('test/b.txt');
  await project.umpire('apply', session);
  expect(filesUnder(join(project.root, 'test'))).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'shared.txt': 'one\n' });
});

it('merges in the order of the tasks, whichever finishes first', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }, { id: 'B' }], writes: ['writer'] }) });
  // The folder of a task is removed after its work is committed.
  const agent = project.sh(`
echo "$id" > "$id.txt"
complete "$id"
[ "$id" = B ] && { pwd > "$beside/place"; mv "$beside/place" "$beside/B"; exit; }
until_file "$beside/B"
while [ -e "$(cat "$beside/B")" ]; do sleep 0.01; done
`);
  const { exit, session } = await project.umpire('run', './prose.yaml', 'x', ...agent);
  expect({ exit, submitted: eventsOfType(session, 'TaskSubmitted').map(({ task }) => task) }).toEqual({ exit: 0, submitted: ['B', 'A'] });
  expect(eventsOfType(session, 'TaskFinished').map(({ task, files }) => [task, files])).toEqual([
    ['A', ['A.txt']],
    ['B', ['B.txt']],
  ]);
  const log = project.git('log', '--format=%s', '--first-parent', `umpire/${session.split('/').at(-1) ?? ''}`);
  expect(log.indexOf('B')).toBeLessThan(log.indexOf('A'));
});

const SPOILS = { write: { 'README.md': 'spoilt\n', 'mess.txt': 'x\n' } };

it('discards the changes of a read-only task, and says so', async () => {
  const project = makeProject({ answers: [{ role: 'verifier', ...SPOILS }, writer('developer'), REST] });
  const { exit, err, session } = await project.umpire('run', 'review', 'x', '--mode', 'patch');
  expect({ exit, stray: eventsOfType(session, 'StrayChanges').map(({ files }) => files.toSorted()) }).toEqual({
    exit: 0,
    stray: [['README.md', 'mess.txt']],
  });
  expect(err).toContain('Discarded changes that no task may make: 2 files (README.md, mess.txt)');
  const order = eventsOf(session).map(({ type }) => type);
  expect(order.indexOf('StrayChanges')).toBeLessThan(order.indexOf('SessionEnded'));
  const { out } = await project.umpire('diff', session);
  expect(out).toContain('work/DEV-001.txt');
  expect(out).not.toContain('mess.txt');
});

it('does not mistake the changes of a read-only task for a person’s edit', SOAK, async () => {
  const project = makeProject({ answers: [validation(0), { role: 'planner', ...SPOILS }, writer('executor'), REST] });
  const { session } = await project.umpire('run', 'debt', 'x', '--mode', 'targeted');
  await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect({ end: endOf(session), edits: eventsOfType(session, 'PersonEdited') }).toEqual({ end: 'complete', edits: [] });
  const stopped = makeProject();
  const agent = stopped.sh(
    '[ "$role" = architect ] && { echo x > mess.txt; touch "$beside/made"; until_file "$beside/go"; }; complete "$id"',
  );
  const running = stopped.start('run', 'review', 'x', '--mode', 'multi-sprint', ...agent);
  await running.says('DESIGN-001 started');
  while (!existsSync(join(stopped.beside, 'made'))) await new Promise((resolve) => setImmediate(resolve));
  running.child.kill('SIGINT');
  expect((await running.ended).exit).toBe(130);
  writeFileSync(join(stopped.beside, 'go'), '');
  const resumed = await stopped.umpire('resume');
  expect(eventsOfType(resumed.session, 'PersonEdited')).toEqual([]);
  const { out } = await stopped.umpire('diff');
  expect(out).not.toContain('mess.txt');
});

it('prepares worktrees with node_modules, configured files and setup, none of it merged', SOAK, async () => {
  const project = makeProject({
    files: { '.gitignore': 'node_modules\n.env\nvendor\ngenerated.txt\n', 'packages/api/index.js': '', 'README.md': 'x\n' },
    config: { workspace: { copy: ['.env'], link: ['vendor'], setup: 'echo made > generated.txt; pwd >> "$HOME/setups.txt"' } },
  });
  project.write({
    'node_modules/left/index.js': 'left\n',
    'packages/api/node_modules/right/index.js': 'right\n',
    '.env': 'KEY=1\n',
    'vendor/lib.txt': 'lib\n',
  });
  const agent = project.sh(`
{ cat node_modules/left/index.js packages/api/node_modules/right/index.js .env vendor/lib.txt generated.txt; } > "$beside/$id.txt" 2>&1
[ "$role" = developer ] && { echo KEY=2 > .env; echo done > done.txt; }
complete "$id"
`);
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'patch', ...agent);
  expect(exit).toBe(0);
  for (const id of ['DEV-001', 'VERIFY-001']) expect(textOf(project.beside, `${id}.txt`)).toBe('left\nright\nKEY=1\nlib\nmade\n');
  expect(new Set(textOf(project.beside, 'setups.txt').trim().split('\n')).size).toBe(2);
  expect(textOf(project.root, '.env')).toBe('KEY=1\n');
  const { out } = await project.umpire('diff', session);
  expect(out.match(/^diff --git .*/gm)).toEqual(['diff --git a/done.txt b/done.txt']);
});

it('prints the output of a failed setup command, and can clean up after it', SOAK, async () => {
  const project = makeProject({ answers: [REST], config: { workspace: { setup: 'echo no compiler here; exit 3' } } });
  const { exit, err } = await project.umpire('run', 'review', 'x', '--mode', 'patch');
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('no compiler here') });
  const [session = ''] = readdirSync(join(project.root, '.umpire', 'sessions'));
  for (const command of ['diff', 'apply'])
    expect((await project.umpire(command, session)).err).toContain('was stopped before it recorded anything');
  const cleaned = await project.umpire('clean');
  expect({ exit: cleaned.exit, branches: project.git('branch', '--list', 'umpire/*') }).toEqual({ exit: 0, branches: '' });
  expect(readdirSync(project.worktrees)).toEqual([]);
  const { out } = await project.umpire('list');
  expect(out).toBe('No sessions here. Start one with: umpire run <loop> "<goal>"\n');
});

it('ends a running setup command when the run is stopped', SOAK, async () => {
  const project = makeProject({ answers: [REST], config: { workspace: { setup: 'echo $$ > "$HOME/setup.pid"; exec sleep 1000' } } });
  const running = project.start('run', 'review', 'x', '--mode', 'patch');
  const file = join(project.beside, 'setup.pid');
  while (!existsSync(file) || textOf(file) === '') await new Promise((resolve) => setImmediate(resolve));
  running.child.kill('SIGINT');
  const { exit } = await running.ended;
  expect(exit).toBe(130);
  const pid = textOf(file).trim();
  const state = existsSync(`/proc/${pid}/stat`) ? textOf(`/proc/${pid}/stat`).split(') ')[1]?.[0] : 'gone';
  expect(['gone', 'Z']).toContain(state);
});

it('works in a folder without git, and creates no repository there', SOAK, async () => {
  const project = makeProject({ answers: DEVELOPED, files: FILES, plain: true });
  const before = filesUnder(project.root, (path) => path === '.umpire');
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  expect({ exit, end: endOf(session), kind: eventsOfType(session, 'SessionStarted')[0]?.workspace?.kind }).toEqual({
    exit: 0,
    end: 'complete',
    kind: 'snapshot',
  });
  expect(filesUnder(project.root, (path) => path === '.umpire')).toEqual(before);
  const { out } = await project.umpire('diff', session, '2');
  expect(out).toContain('-one\n+two');
  const applied = await project.umpire('apply', session);
  expect(applied.exit).toBe(0);
  const twice = await project.umpire('apply', session);
  expect(twice).toMatchObject({ exit: 0, out: '', err: 'Nothing to apply: your checkout has these changes already.\n' });
  expect(textOf(project.root, 'src', 'total.ts')).toBe('two\n');
  expect(existsSync(join(project.root, '.git'))).toBe(false);
  const cleaned = await project.umpire('clean');
  expect({ exit: cleaned.exit, left: existsSync(project.worktrees) ? readdirSync(project.worktrees) : [] }).toMatchObject({
    exit: 0,
    left: [],
  });
});

it('runs agents in the project’s folder of a repository, with paths relative to it', SOAK, async () => {
  const project = makeProject({ inner: 'apps/shop', files: { 'README.md': 'Shop.\n' } });
  writeFiles(join(project.beside, 'project'), { 'other.txt': 'other\n' });
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'other');
  const agent = project.sh(
    '[ "$role" = developer ] && { pwd > "$beside/pwd"; cat README.md > copy.txt; cat ../../other.txt >> copy.txt; }; complete "$id"',
  );
  const { exit, session } = await project.umpire('run', 'review', 'x', '--project', '.', '--mode', 'patch', ...agent);
  expect({ exit, session: session.startsWith(join(project.root, '.umpire')) }).toEqual({ exit: 0, session: true });
  expect(textOf(project.beside, 'pwd')).toMatch(/\/apps\/shop\n$/);
  expect(eventsOfType(session, 'TaskFinished')[0]?.files).toEqual(['copy.txt']);
  expect(project.git('status', '--porcelain')).toBe('');
  const { out } = await project.umpire('apply', session);
  expect(out).toBe('copy.txt\n');
  expect(textOf(project.root, 'copy.txt')).toBe('Shop.\nother\n');
});

it('has nothing to apply if the loop changes no project', SOAK, async () => {
  const project = makeProject({ answers: [challenge(SMALL), REST] });
  const { session } = await project.umpire('run', 'brainstorm', 'x', '--mode', 'deep');
  for (const verb of ['diff', 'apply', 'clean']) {
    const { exit, out } = await project.umpire(verb, session);
    expect({ verb, exit, out }).toEqual({ verb, exit: 0, out: '' });
  }
  expect(project.git('branch', '--list', 'umpire/*')).toBe('');
  const alone = makeProject({ answers: [challenge(SMALL), REST], plain: true });
  const run = await alone.umpire('run', 'brainstorm', 'x', '--mode', 'deep');
  for (const verb of ['apply', 'diff']) {
    const { exit, err } = await alone.umpire(verb, run.session);
    expect({ verb, exit, err }).toEqual({ verb, exit: 1, err: expect.stringContaining('has no changes to a project') });
  }
  expect(existsSync(alone.worktrees)).toBe(false);
});

it('runs in a repository without a commit, or says what is missing', SOAK, async () => {
  const project = makeProject({ answers: [writer('developer'), REST], plain: true });
  gitIn(project.root, 'init', '-q', '-b', 'main');
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'patch');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete unverified' });
  expect(gitIn(project.root, 'status', '--porcelain')).toContain('?? README.md');
});

it('finds a session by path or part of its name, or takes the latest, from any folder', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A', approve: true }] }), answers: [REST] });
  const first = await project.umpire('run', './prose.yaml', 'the first');
  const second = await project.umpire('run', './prose.yaml', 'the second');
  const inner = join(project.root, 'some', 'where');
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, 'x'), '');
  for (const [verb, word] of [
    ['status', 'the second'],
    ['report', 'the second'],
    ['logs', 'A'],
  ] as const) {
    const { exit, out } = await project.umpireWith({ cwd: inner }, verb);
    expect({ verb, exit, out }).toEqual({ verb, exit: 0, out: expect.stringContaining(word) });
  }
  const { out } = await project.umpireWith({ cwd: inner }, 'list');
  expect(out.indexOf('prose-the-second')).toBeLessThan(out.indexOf('prose-the-first'));
  const named = await project.umpire('status', 'first', '--json');
  expect(JSON.parse(named.out)).toMatchObject({ goal: 'the first', path: first.session });
  const resumed = await project.umpire('resume');
  expect({ exit: resumed.exit, session: resumed.session }).toEqual({ exit: 4, session: second.session });
  const several = await project.umpire('resolve', 'prose', 'approve', '--reason', 'fine');
  expect({ exit: several.exit, err: several.err }).toEqual({ exit: 2, err: expect.stringContaining('matches several sessions') });
  const answered = await project.umpireWith(
    { cwd: project.beside },
    'resolve',
    'first',
    'approve',
    '--reason',
    'fine',
    '--project',
    project.root,
  );
  expect({ exit: answered.exit, session: answered.session }).toEqual({ exit: 0, session: first.session });
  const twice = await project.umpire('run', './prose.yaml', 'the first', '--session', first.session);
  expect({ exit: twice.exit, runs: eventsOfType(first.session, 'TaskStarted').length }).toEqual({ exit: 0, runs: 1 });
  const other = await project.umpire('run', 'review', 'x', '--session', first.session);
  expect({ exit: other.exit, err: other.err }).toEqual({ exit: 2, err: expect.stringContaining('prose loop') });
});

it('prints commands that work for a session outside the project or from another folder', SOAK, async () => {
  const plan = { tasks: [{ id: 'A', approve: true }] };
  for (const flags of [['--session', '../apart'], []]) {
    const project = makeProject({ files: proseFiles(plan), answers: [REST] });
    const loop = join(project.root, 'prose.yaml');
    const cwd = mkdtempSync(join(project.beside, 'from-'));
    const { err, session } = await project.umpireWith({ cwd }, 'run', loop, 'x', '--project', project.root, ...flags);
    const told = /umpire resolve (\S+) approve\n/.exec(err)?.[1] ?? '';
    const { exit } = await project.umpireWith({ cwd }, 'resolve', told, 'approve', '--reason', 'fine');
    expect({ flags, told, exit, end: endOf(session) }).toEqual({ flags, told, exit: 0, end: 'complete unverified' });
  }
});

it('lets a second apply wait for the first one, also for one that was killed', SOAK, async () => {
  const project = makeProject({ answers: DEVELOPED, files: { ...FILES, '.gitattributes': 'src/* filter=slow\n' } });
  const { session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  const begun = join(project.beside, 'begun');
  // Longer than a command waits for a session that runs.
  project.git('config', 'filter.slow.smudge', `touch ${begun}; sleep 2.5; cat`);
  const applying = async () => {
    rmSync(begun, { force: true });
    const first = project.start('apply', session);
    while (!existsSync(begun)) await new Promise((resolve) => setImmediate(resolve));
    return first;
  };
  const first = await applying();
  const second = project.start('apply', session);
  expect(await Promise.all([first.ended, second.ended])).toMatchObject([
    { exit: 0 },
    { exit: 0, err: expect.stringContaining('Nothing to apply') },
  ]);
  expect(textOf(project.root, 'src/total.ts')).toBe('two\n');
  project.git('checkout', '-q', '.');
  project.git('clean', '-qfd', 'src');
  (await applying()).child.kill('SIGKILL');
  const after = await project.umpire('apply', session);
  expect({ exit: after.exit, text: textOf(project.root, 'src/total.ts') }).toEqual({ exit: 0, text: 'two\n' });
});
