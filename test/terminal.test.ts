// Runs in a real terminal: the live view, `logs -f` beside it, and the question that is answered there. Pure drawing is tested beside its files.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, command, environment, eventsOf, eventsOfType, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { hasTmux, openTerminal } from './support/tmux.js';
import type { Terminal } from './support/tmux.js';

cleanUpProjects();

const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

/** Waits for `go` in its first attempt, and makes the command pass in its second. */
const AGENT = `echo "reading the plan"
case $id in WORK-1) until_file "$beside/go"; echo one > one.txt;; *) echo two > done.txt;; esac
complete "tried"`;

const GOAL = 'Write the files of the plan, the first of them with one word in it and the second with two, and nothing else';

function openIn(project: RunProject, columns: number, rows: number, args: readonly string[]): Terminal {
  const found = environment(project.worktrees, project.beside);
  const env = Object.fromEntries(Object.entries(found).map(([name, value]) => [name, value ?? '']));
  const terminal = openTerminal({ columns, rows, cwd: project.root, env }, [process.execPath, command, ...args]);
  open.push(terminal);
  return terminal;
}

function runIn(project: RunProject, columns: number, rows: number, ...flags: readonly string[]): Terminal {
  const words = ['until', 'test -e done.txt', 'make it', '--max-rounds', '1', '--session', '.umpire/sessions/s'];
  return openIn(project, columns, rows, [...words, ...project.sh(AGENT), ...flags]);
}

/** The screen without times and empty lines at the end. */
function masked(screen: string): readonly string[] {
  return screen.split('\n').map((line) =>
    line
      .replace(/^\d\d:\d\d /, 'hh:mm ')
      .replace(/\b\d+(?:\.\d+)? s\b/g, 'N s')
      .replace(/\u2500+/g, '\u2500')
      .trimEnd(),
  );
}

const STYLES = new RegExp(`(?:${String.fromCharCode(27)}\\[[\\d;]*m)+`, 'g');

/** The screen with `<33>` where a colour begins and `<>` where it ends, without what differs from run to run. */
function styled(screen: string, project: RunProject): readonly string[] {
  return screen
    .replace(
      STYLES,
      (codes) =>
        `<${
          codes
            .match(/\d+/g)
            ?.filter((code) => !['0', '39', '49'].includes(code))
            .join(' ') ?? ''
        }>`,
    )
    .replaceAll(project.worktrees, '/worktrees')
    .replace(/(?:\d{4}-)?\d\d-\d\d \d\d:\d\d/g, 'today')
    .replace(/\b[0-9a-f]{7,40}\b/g, 'commit')
    .replace(/\b\d+(?:\.\d+)? s\b/g, 'N s')
    .split('\n')
    .map((line) => line.trimEnd());
}

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  it('shows what an agent does below the progress lines, and takes the answer to the question', { timeout: 120_000 }, async () => {
    const project = makeProject();
    const terminal = runIn(project, 80, 24);
    const live = await terminal.shows('reading the plan');
    expect(masked(live).slice(-7)).toMatchSnapshot('live');
    terminal.resize(200, 50);
    expect(masked(await terminal.shows(new RegExp(`\u2500{100}`))).slice(-7)).toMatchSnapshot('live, wide');
    const follow = project.start('logs', 's', 'WORK-1', '-f');
    await follow.says('==> WORK-1, attempt 1');
    writeFileSync(join(project.beside, 'go'), '');
    const asked = await terminal.shows('Answer (1-4');
    expect(asked).not.toContain('  spent ');
    expect(masked(asked).slice(-8)).toMatchSnapshot('question');
    expect(await follow.ended).toMatchObject({ exit: 0, out: 'reading the plan\n' });
    terminal.send('3', 'Enter');
    await terminal.shows('How many more rounds? [1]');
    terminal.send('Enter');
    await terminal.shows('Reason (Enter: none):');
    terminal.send('one more try', 'Enter');
    const end = await terminal.shows('exit 0');
    expect(end).toContain('Session complete');
    expect(end).not.toContain('  spent ');
    const answers = eventsOf(join(project.root, '.umpire/sessions/s')).filter(({ type }) => type === 'PersonAnswered');
    expect(answers).toMatchObject([{ data: { answer: 'extend', rounds: 1, reason: 'one more try', by: 'resolve', via: 'prompt' } }]);
  });

  it('shows the pages of a session in the width and colours of the terminal', { timeout: 120_000 }, async () => {
    const project = makeProject();
    writeFileSync(join(project.beside, 'go'), '');
    await project.umpire('until', 'test -e done.txt', GOAL, '--max-rounds', '1', '--session', '.umpire/sessions/s', ...project.sh(AGENT));
    for (const [columns, rows] of [
      [80, 24],
      [200, 50],
    ] as const)
      for (const name of ['list', 'status', 'diff']) {
        const terminal = openIn(project, columns, rows, [name]);
        await terminal.shows('exit 0');
        expect(styled(terminal.colored(), project)).toMatchSnapshot(`${name}, ${columns} columns`);
      }
  });

  it('refuses an answer to a question that another process has answered', { timeout: 120_000 }, async () => {
    const project = makeProject();
    writeFileSync(join(project.beside, 'go'), '');
    const terminal = runIn(project, 80, 24);
    await terminal.shows('Answer (1-4');
    await project.umpire('resolve', 's', 'abort', '--reason', 'not needed');
    terminal.send('4', 'Enter');
    await terminal.shows('Reason (Enter: none):');
    terminal.send('Enter');
    expect(await terminal.shows('exit 2')).toContain('Your answer was not recorded: the question of s has changed');
  });

  it('asks once whether uncommitted changes belong to the task', { timeout: 120_000, ...SOAK }, async () => {
    for (const [key, files] of [
      ['y', ['README.md', 'new.txt']],
      ['n', undefined],
    ] as const) {
      const project = makeProject();
      project.write({ 'README.md': 'changed', 'new.txt': '' });
      writeFileSync(join(project.beside, 'go'), '');
      const terminal = runIn(project, 80, 24);
      const asked = await terminal.shows('[y/N]');
      expect(asked).toContain('2 files not committed: README.md, new.txt.\nAgents start from your last commit. Include them? [y/N]');
      terminal.send(key, 'Enter');
      await terminal.shows('Answer (1-4');
      const [started] = eventsOfType(join(project.root, '.umpire/sessions/s'), 'SessionStarted');
      expect(started?.workspace?.included?.files).toEqual(files);
      terminal.send('Enter');
      await terminal.shows('exit 4');
    }
  });

  it('asks before it applies unverified work, and not with --yes', { timeout: 120_000 }, async () => {
    const project = makeProject({ config: { critics: { tests: 'none' } } });
    const agent = project.sh('echo made > made; complete "made it"');
    const { session } = await project.umpire('until', 'test -e made || false', '--trust-exit-status', ...agent);
    const name = session.split('/').at(-1) ?? '';
    const terminal = openIn(project, 80, 24, ['apply', name]);
    const asked = await terminal.shows('Apply it? [y/N]');
    expect(asked).toContain('Unverified: ');
    terminal.send('n', 'Enter');
    expect(await terminal.shows('exit 1')).toContain('Nothing was applied.');
    expect(project.git('status', '--porcelain', 'made')).toBe('');
    const quiet = openIn(project, 80, 24, ['apply', name, '--yes']);
    expect(await quiet.shows('exit 0')).not.toContain('[y/N]');
    expect(project.git('status', '--porcelain', 'made')).toBe('?? made\n');
  });

  it('leaves the question for later: at Enter, and with --no-input without asking', { timeout: 120_000, ...SOAK }, async () => {
    const project = makeProject();
    writeFileSync(join(project.beside, 'go'), '');
    const terminal = runIn(project, 80, 24);
    await terminal.shows('Answer (1-4');
    terminal.send('Enter');
    expect(await terminal.shows('exit 4')).toContain('umpire resolve s extend --rounds 1');
    const other = makeProject();
    writeFileSync(join(other.beside, 'go'), '');
    const quiet = runIn(other, 80, 24, '--no-input');
    const said = await quiet.shows('exit 4');
    expect(said).toContain('umpire resolve s extend --rounds 1');
    expect(said).not.toContain('Answer (');
  });
});
