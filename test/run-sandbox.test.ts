// `--sandbox` in the real command: agents and checks work, but cannot change the person's files.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { supervisorProgram } from '@umpire/umpire/agents/supervisor.js';
import { SOAK } from './support/campaign.js';
import { hasBubblewrap } from './support/bubblewrap.js';
import { writeFiles } from './support/git-project.js';
import { cleanUpProjects, eventsOfType, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

/** An agent tries each line, and its log says which ones succeeded. */
const TRIES = [
  'echo x > "$PROJECT/planted.txt"',
  'git -C "$PROJECT" stash --include-untracked',
  'git -C "$PROJECT" stash drop',
  'git -C "$PROJECT" config user.name another',
  'git -C "$PROJECT" branch another',
  'git -C "$PROJECT" commit --allow-empty -m mine',
  'echo "{}" >> "$UMPIRE_SESSION/journal.ndjson"',
  'rm -f "$UMPIRE_SESSION/journal.ndjson"',
  'echo x > "$UMPIRE_SESSION/verdicts/mine.md"',
  'echo x > "$UMPIRE_SESSION/blobs/mine"',
  'echo x > "$UMPIRE_SESSION/logs/mine.txt"',
  'mkdir "$UMPIRE_SESSION/earlier/mine"',
  'rm "$UMPIRE_SESSION/.umpire-lock"',
];

const SABOTAGE = `${TRIES.map((line) => `if ( ${line} ) >/dev/null 2>&1; then echo 'DID ${line}'; fi`).join('\n')}
git status > "$UMPIRE_SESSION/artifacts-status.txt" && git branch mine && git config own.thing yes || exit 1
echo fixed > fixed.txt
complete done`;

/** A project with a stash and an uncommitted change. */
function busyProject(config: Readonly<Record<string, unknown>> = {}): RunProject {
  const project = makeProject({ config });
  project.write({ 'README.md': 'In the stash.\n' });
  project.git('stash');
  project.write({ 'README.md': 'Not committed.\n' });
  return project;
}

function ownThings(project: RunProject): Readonly<Record<string, string>> {
  return {
    status: project.git('status', '--short'),
    stash: project.git('stash', 'list'),
    branches: project.git('branch', '--format=%(refname) %(objectname)', '--list', '[!u]*'),
    config: readFileSync(join(project.root, '.git', 'config'), 'utf8'),
  };
}

const untilFixed = ['until', 'test -e fixed.txt', '--session', '.umpire/sessions/s'] as const;

describe.skipIf(!hasBubblewrap)('with bubblewrap', () => {
  it.each([
    ['by a flag', {}, ['--sandbox']],
    ['by the settings', { sandbox: true }, []],
  ])('merges the work and keeps the agent from touching anything else (%s)', async (_, config, flags) => {
    const project = busyProject(config);
    const before = ownThings(project);
    const env = { PROJECT: project.root };
    const { exit, err, session } = await project.umpireWith({ env }, ...untilFixed, ...flags, ...project.sh(SABOTAGE));
    const { out } = await project.umpire('logs', 's', 'WORK-1');
    expect({ exit, told: err.includes('agents: command, sandboxed'), did: out.match(/^DID .*$/gm) }).toEqual({
      exit: 0,
      told: true,
      did: null,
    });
    expect(ownThings(project)).toEqual(before);
    expect(project.git('show', 'umpire/s:fixed.txt')).toBe('fixed\n');
    expect(readdirSync(session)).toContain('artifacts-status.txt');
  });

  it("keeps a preset's settings as they were and takes its renewed login (W3)", async () => {
    const project = makeProject();
    const home = join(project.beside, 'home');
    const before = {
      '.claude/settings.json': '{}',
      '.codex/config.toml': 'mine',
      '.npm/_npx/1/index.js': 'mine',
      '.cache/pre-commit/hook': 'mine',
    };
    writeFiles(home, { ...before, '.claude/.credentials.json': '{"token":1}' });
    const [flag, command = ''] = project.sh(`echo x > fixed.txt
for file in .claude/settings.json .codex/config.toml .npm/_npx/1/index.js .cache/pre-commit/hook; do
  ( mkdir -p ~/"\${file%/*}"; echo evil > ~/$file ) 2> /dev/null
done
echo '{"token":2}' > ~/.claude/.credentials.json
complete "$(cat ~/.claude/settings.json)"`);
    expect(flag).toBe('--agent-command');
    writeFiles(home, { 'bin/claude': `#!/bin/sh\n# Its input ends with its turn.\nexec ${command} < /dev/null\n` });
    chmodSync(join(home, 'bin', 'claude'), 0o755);
    const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`, XDG_CACHE_HOME: '' };
    const { exit, err } = await project.umpireWith({ env }, ...untilFixed, '--sandbox', '--agent', 'claude');
    expect({ exit, isChanged: err.includes('evil') }, err).toEqual({ exit: 0, isChanged: true });
    const after = Object.keys(before).map((path) => [path, readFileSync(join(home, path), 'utf8')]);
    expect(Object.fromEntries(after)).toEqual(before);
    expect(readFileSync(join(home, '.claude/.credentials.json'), 'utf8')).toBe('{"token":2}\n');
    expect(readdirSync(join(home, '.cache', 'umpire', 'sandbox'))).toEqual([]);
  });

  it('without the sandbox, the same agent does harm', SOAK, async () => {
    const project = busyProject();
    const env = { PROJECT: project.root };
    await project.umpireWith({ env }, ...untilFixed, ...project.sh(SABOTAGE.replaceAll('journal.ndjson', 'other.ndjson')));
    const { out } = await project.umpire('logs', 's', 'WORK-1');
    expect(out.match(/^DID .*$/gm)?.length).toBeGreaterThan(6);
  });

  it('sandboxes the command of `umpire until`', SOAK, async () => {
    const project = makeProject();
    const check = `echo x > '${join(project.root, 'planted.txt')}'; test -e fixed.txt`;
    const { exit } = await project.umpire('until', check, '--sandbox', ...project.sh('echo x > fixed.txt; complete done'));
    expect({ exit, planted: existsSync(join(project.root, 'planted.txt')) }).toEqual({ exit: 0, planted: false });
  });

  it('shows a check nothing that an agent left in caches and temporary folders, in a home that had none', SOAK, async () => {
    const project = makeProject();
    const home = join(project.beside, 'home');
    mkdirSync(home);
    const name = `umpire-left-${project.beside.split('/').at(-1) ?? ''}`;
    const left = `~/.npm/${name} ~/.cache/${name} /tmp/${name}`;
    const inSession = join(project.root, '.umpire/sessions/s', name);
    const agent = project.sh(`touch ${left} ${inSession} && echo x > fixed.txt; complete done`);
    const check = `test -e fixed.txt && ! ls ${left} ${inSession} 2> /dev/null | grep . && touch ${left}`;
    const env = { HOME: home, XDG_CACHE_HOME: '' };
    const { exit, err } = await project.umpireWith(
      { env },
      'until',
      check,
      '--session',
      '.umpire/sessions/s',
      '--sandbox',
      '--max-rounds',
      '1',
      ...agent,
    );
    expect(exit, err).toBe(0);
    expect([readdirSync(join(home, '.npm')), existsSync(join(home, '.cache', name))]).toEqual([[], false]);
    rmSync(`/tmp/${name}`);
  });

  it('sandboxes the setup command', SOAK, async () => {
    const project = makeProject({
      config: { workspace: { setup: 'sh setup.sh' } },
      files: { 'setup.sh': 'echo made > made.txt\n', '.gitignore': 'made.txt\n' },
    });
    const evil = 'echo \'echo x > "$PROJECT/planted.txt"; echo made > made.txt\' > setup.sh';
    const agent = project.sh(`test -e made.txt || exit 1; if [ "$id" = WORK-1 ]; then ${evil}; else echo x > fixed.txt; fi; complete done`);
    const { exit, err } = await project.umpireWith({ env: { PROJECT: project.root } }, ...untilFixed, '--sandbox', ...agent);
    expect({ exit, planted: existsSync(join(project.root, 'planted.txt')) }, err).toEqual({ exit: 0, planted: false });
  });

  it('allows more folders by the settings', SOAK, async () => {
    const project = makeProject({ config: { sandbox: { write: ['notes', '~/not-there'] } }, files: { 'notes/old.txt': 'x\n' } });
    const agent = project.sh('echo x > "$PROJECT/notes/new.txt" && ! echo x > "$PROJECT/new.txt" && echo x > fixed.txt; complete done');
    const { exit } = await project.umpireWith({ env: { PROJECT: project.root } }, ...untilFixed, ...agent);
    expect({ exit, notes: readdirSync(join(project.root, 'notes')) }).toEqual({ exit: 0, notes: ['new.txt', 'old.txt'] });
  });

  it('remembers the sandbox of a session', SOAK, async () => {
    const project = makeProject();
    const env = { PROJECT: project.root };
    const agent = project.sh('echo x > "$PROJECT/planted.txt"; complete done');
    const first = await project.umpireWith({ env }, ...untilFixed, '--max-rounds', '1', '--sandbox', ...agent);
    const again = await project.umpireWith({ env }, 'resolve', 's', 'extend', '--rounds', '1', '--reason', 'once more');
    const bin = join(project.beside, 'bin');
    mkdirSync(bin);
    symlinkSync(execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(bin, 'git'));
    const without = await project.umpireWith({ env: { PATH: bin } }, 'resolve', 's', 'extend', '--rounds', '1', '--reason', 'once more');
    expect(without).toMatchObject({ exit: 1, err: expect.stringContaining('bwrap (bubblewrap) is not on the PATH') as string });
    expect(without.err).toContain('Install bubblewrap: apt install bubblewrap');
    expect(eventsOfType(first.session, 'PersonAnswered')).toHaveLength(1);
    const held = eventsOfType(first.session, 'RunBegun').map(({ settings }) => settings.sandbox);
    expect((await project.umpire('report', 's')).out).toContain('- Programs: sandboxed\n');
    expect({ exits: [first.exit, again.exit], held, planted: existsSync(join(project.root, 'planted.txt')) }).toEqual({
      exits: [4, 4],
      held: [true, true],
      planted: false,
    });
  });
});

it('an agent that changes installed packages in the checkout is found out, and the check of its work is refused', SOAK, async () => {
  const project = makeProject({ files: { '.gitignore': 'node_modules\n.umpire\n', 'check.js': "process.exit(require('left'));\n" } });
  project.write({ 'node_modules/left/index.js': 'module.exports = 1;\n' });
  const agent = project.sh('echo "module.exports = 0;" > node_modules/left/index.js; echo x > notes.txt; complete done');
  const { exit, err } = await project.umpire('until', 'node check.js', '--max-rounds', '1', ...agent);
  expect(
    { isApproved: exit === 0, told: /WORK-1 .*changed installed packages in your checkout: node_modules\/left/.test(err) },
    err,
  ).toEqual({
    isApproved: false,
    told: true,
  });
  expect(err).toContain('cannot be installed anew');
});

it.runIf(supervisorProgram !== null)('a process that an agent leaves behind cannot change what is judged (W5)', SOAK, async () => {
  const project = makeProject();
  // It waits until its task's work is merged, and writes while the command runs.
  const stray = `while sleep 0.05 && [ -e ${project.root} ]; do
  for folder in ${project.worktrees}/*/session; do [ ! -e $folder/other.txt ] || echo x > $folder/fixed.txt; done
done
`;
  writeFiles(project.beside, { 'stray.sh': stray });
  const agent = project.sh(
    `( setsid env -i PATH="$PATH" sh ${project.beside}/stray.sh < /dev/null > /dev/null 2>&1 & ) & echo x > other.txt; complete done`,
  );
  const { exit } = await project.umpire('until', 'sleep 1; test -e fixed.txt', '--max-rounds', '1', ...agent);
  expect(exit).toBe(4);
});

it('refuses to start if no sandbox is available', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh('complete done');
  const env = { PATH: project.beside };
  const { exit, err } = await project.umpireWith({ env }, ...untilFixed, '--sandbox', ...agent);
  expect({ exit, err, session: existsSync(join(project.root, '.umpire', 'sessions', 's')) }).toEqual({
    exit: 1,
    err: expect.stringMatching(/No sandbox available: /) as string,
    session: false,
  });
});
