// W3: what a sandboxed program writes to the home stays in private copies. Real programs in the real sandbox.

import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, newWatch } from '../../../../test/support/assignment.js';
import { hasBubblewrap } from '../../../../test/support/bubblewrap.js';
import { runChildProcess } from './child-process.js';
import { startGuardian } from './guardian.js';
import type { Guardian } from './guardian.js';
import { openPrivateState } from './private-state.js';
import { openSandbox } from './sandbox.js';

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const LOGIN = '{"claudeAiOauth":{"accessToken":"one"}}';
const RENEWED = '{"claudeAiOauth":{"accessToken":"two","expiresAt":1},"version":2}';

const HOME = {
  '.claude/settings.json': '{"model":"mine"}',
  '.claude/.credentials.json': LOGIN,
  '.claude/projects/old/chat.jsonl': 'an old conversation',
  '.claude/state.db': 'a database in use',
  '.claude/commands/mine.md': 'my command',
  '.claude.json': '{"numStartups":1}',
  '.codex/config.toml': 'model = "mine"\n',
  '.codex/auth.json': '{"tokens":{"access_token":"one"}}',
  '.npm/_npx/1f/node_modules/tool/index.js': 'good\n',
  '.cache/pre-commit/repo/hook.py': 'good\n',
  '.cache/ms-playwright/chromium/chrome': 'a browser\n',
} as const;

/** Every file of the folder with its text. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

describe.skipIf(!hasBubblewrap)('with bubblewrap', () => {
  let bin: string;
  let guardian: Guardian;
  beforeAll(() => {
    bin = newFolder();
    // Plays any agent: runs the text that it gets on stdin.
    for (const name of ['claude', 'codex', 'other']) writeFileSync(join(bin, name), '#!/bin/sh\neval "$(cat)"\n', { mode: 0o755 });
    guardian = startGuardian(randomUUID());
  });
  afterAll(() => guardian.close());

  interface Opened {
    readonly home: string;
    readonly copies: string;
    readonly run: (program: string, text: string, env?: Readonly<Record<string, string>>, tree?: string) => Promise<string>;
    readonly close: () => void;
  }

  /** The home is kept, as every home is read-only outside the system's temporary folder. */
  async function open({ write: added = [], files = HOME }: { write?: readonly string[]; files?: Readonly<Record<string, string>> } = {}) {
    const home = newFolder();
    write(home, files);
    const [workdir, copies] = [newFolder(), join(newFolder(), 'copies', 'run')];
    const more = added.map((path) => join(home, path));
    const sandbox = await openSandbox({ kept: [home], write: more, sealed: [], hidden: [dirname(copies)], copies });
    const run: Opened['run'] = async (program, text, env = {}, tree) => {
      const how = { finish: 'SIGTERM', timeoutMs: 60_000, graceMs: 1000, tailBytes: 10_000, mark: `CALL=${randomUUID()}` } as const;
      const all = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: home, COPIES: copies, ...env };
      const where = { workdir: tree ?? workdir, isCheck: tree !== undefined };
      const end = await runChildProcess({ argv: [program], ...where, env: all, input: text, ...how }, { ...guardian, sandbox }, newWatch());
      if (end.kind !== 'ended') throw end.error;
      return Buffer.from(end.stdout).toString('utf8');
    };
    return { home, copies, run, close: () => sandbox.close() } satisfies Opened;
  }

  it('keeps start-up files that an agent changes from the home, and its renewed login there', async () => {
    const { home, copies, run, close } = await open();
    const claude = await run(
      'claude',
      `cat ~/.claude/settings.json ~/.claude/commands/mine.md
      echo evil | tee ~/.claude/settings.json ~/.claude.json ~/.claude/commands/mine.md ~/.claude/new.json
      mkdir -p ~/.npm/_npx/1f ~/.cache/pre-commit && echo evil | tee ~/.npm/_npx/1f/index.js ~/.cache/pre-commit/hook.py
      echo evil > ~/.codex/config.toml
      printf '${RENEWED}' > ~/.claude/.credentials.json`,
    );
    await run('codex', 'echo evil > ~/.codex/config.toml; echo evil > ~/.claude/settings.json');
    expect(claude).toBe('{"model":"mine"}my commandevil\nevil\n');
    expect(statSync(copies).mode & 0o777).toBe(0o700);
    close();
    expect(filesIn(home)).toEqual({ ...HOME, '.claude/.credentials.json': RENEWED });
    expect(statSync(join(home, '.claude/.credentials.json')).mode & 0o777).toBe(0o600);
    expect(existsSync(copies)).toBe(false);
  });

  it('gives a program that it does not know a read-only home with empty caches', async () => {
    const { home, run, close } = await open({ write: ['.codex'] });
    const text = `for place in ~ ~/.claude ~/.codex ~/.cache ~/.npm ~/.cache/ms-playwright; do
      if echo x 2>/dev/null > $place/x; then echo yes; else echo no; fi
    done 2>/dev/null; ls ~/.cache ~/.cache/pre-commit; cat ~/.cache/ms-playwright/chromium/chrome`;
    expect(await run('other', text)).toBe(`no\nno\nyes\nyes\nyes\nno\n${home}/.cache:\nms-playwright\nx\na browser\n`);
    close();
    expect(filesIn(home)).toEqual({ ...HOME, '.codex/x': 'x\n' });
  });

  it('gives each check empty caches and temporary folders of its own', async () => {
    const { home, copies, run, close } = await open({ files: { '.cache/go-build/a': 'mine\n' } });
    const name = randomUUID();
    const places = `~/.npm ~/.cache ~/.cache/go-build /tmp /var/tmp "\${TMPDIR:-/tmp}"`;
    const look = `for place in ${places}; do cat $place/${name}; done 2>/dev/null; ls -A /tmp | grep -c '^terms-${name}$' || true`;
    const fill = `for place in ${places}; do mkdir -p $place; echo "$1" > $place/${name}; done; touch /tmp/terms-${name}`;
    const [first, second] = [newFolder(), newFolder()];
    for (const tree of [first, second]) mkdirSync(join(tree, '.git'));
    mkdirSync(join(first, 'part'));
    await run('claude', fill);
    expect(await run('other', look)).toMatch(/1\n$/);
    expect(await run('other', `${look}; ${fill}`, {}, first)).toBe('0\n');
    expect(await run('other', look, {}, join(first, 'part'))).toMatch(/1\n$/);
    expect(await run('other', look, {}, second)).toBe('0\n');
    // A check that has ended leaves nothing.
    rmSync(first, { recursive: true });
    const before = readdirSync(copies).length;
    await run('other', look, {}, second);
    expect(readdirSync(copies).length).toBeLessThan(before);
    close();
    for (const place of ['/tmp', '/var/tmp']) for (const file of [name, `terms-${name}`]) rmSync(join(place, file), { force: true });
    expect(Object.keys(filesIn(home))).toEqual(['.cache/go-build/a']);
  });

  it('gives programs a place for ~/.npm and ~/.cache in a home that has none', async () => {
    const { home, run, close } = await open({ files: {} });
    expect(await run('other', 'echo x > ~/.npm/x && echo x > ~/.cache/x && cat ~/.npm/x')).toBe('x\n');
    expect(await run('other', 'echo y > ~/.npm/x && echo y > ~/.cache/x && cat ~/.npm/x', {}, newFolder())).toBe('y\n');
    close();
    expect(filesIn(home)).toEqual({});
  });

  it('shares the copies within a run and hides them from programs', async () => {
    const { run, close } = await open();
    await run('claude', 'echo kept > ~/.claude/note; echo kept > ~/.npm/note');
    const text = 'cat ~/.claude/note ~/.npm/note; ls -A "$COPIES" "$(dirname "$COPIES")"; touch "$(dirname "$COPIES")/x" || echo shut';
    expect(await run('claude', `{ ${text}; } 2>/dev/null`)).toMatch(/^kept\nkept\n(?:\S+:\n)?shut\n$/);
    close();
  });

  it('copies no old conversations and no databases', async () => {
    const { run, close } = await open();
    expect(await run('claude', 'ls ~/.claude ~/.claude/projects')).not.toMatch(/state\.db|old/);
    close();
  });

  it('follows the variable that moves the folder', async () => {
    const elsewhere = newFolder();
    write(elsewhere, { 'config.toml': 'mine', 'auth.json': '{"a":1}' });
    const { run, close } = await open();
    const text = 'printf evil > "$CODEX_HOME/config.toml"; printf \'{"a":2}\' > "$CODEX_HOME/auth.json"';
    await run('codex', text, { CODEX_HOME: elsewhere });
    close();
    expect(filesIn(elsewhere)).toEqual({ 'config.toml': 'mine', 'auth.json': '{"a":2}' });
  });

  it.each([
    ['garbage', 'printf "{not json" > $login'],
    ['a list', 'printf "[]" > $login'],
    ['a link', 'ln -sf ~/.claude.json $login'],
    ['a pipe', 'rm $login; mkfifo $login'],
    ['a folder', 'rm $login; mkdir $login'],
    ['a large file', 'head -c 300000 /dev/zero | tr "\\0" " " >> $login'],
    ['another account', `printf '{"claudeAiOauth":{"accessToken":"two"},"https://evil":{"type":"wellknown"}}' > $login`],
    ['nothing', 'rm $login'],
  ])('does not write back a login that became %s', async (_, text) => {
    const { home, run, close } = await open();
    expect(await run('claude', `login=~/.claude/.credentials.json; ${text} && echo done`)).toBe('done\n');
    close();
    expect(filesIn(home)).toEqual(HOME);
    expect(lstatSync(join(home, '.claude/.credentials.json')).isFile()).toBe(true);
  });

  it('writes a renewed login back before the next program, and gives the agent one that the person renewed', async () => {
    const { home, run, close } = await open();
    const login = join(home, '.claude', '.credentials.json');
    await run('claude', `printf '${RENEWED}' > ~/.claude/.credentials.json`);
    await run('other', 'true');
    expect(readFileSync(login, 'utf8')).toBe(RENEWED);
    writeFileSync(login, '{"claudeAiOauth":{"accessToken":"three"}}');
    expect(await run('claude', 'cat ~/.claude/.credentials.json')).toBe('{"claudeAiOauth":{"accessToken":"three"}}');
    close();
    expect(readFileSync(login, 'utf8')).toBe('{"claudeAiOauth":{"accessToken":"three"}}');
  });

  it('shows a large folder read-only and leaves a large file out', async () => {
    const { home, run, close } = await open({ files: { ...HOME, '.claude/local/claude': 'x', '.claude/huge.log': 'x' } });
    for (const path of ['.claude/local/claude', '.claude/huge.log']) truncateSync(join(home, path), 65 * 1024 ** 2);
    const text = 'wc -c < ~/.claude/local/claude; echo x 2>/dev/null > ~/.claude/local/x || echo shut; ls ~/.claude/huge.log 2>/dev/null';
    expect(await run('claude', `{ ${text}; } 2>/dev/null`)).toBe(`${65 * 1024 ** 2}\nshut\n`);
    close();
  });
});

it('does not stand in for a folder around the home', () => {
  const home = newFolder();
  const state = openPrivateState(join(newFolder(), 'copies'));
  const copied = state.copiesFor('codex', { HOME: home, CODEX_HOME: dirname(home), XDG_CACHE_HOME: home });
  expect(copied.map(({ place }) => place)).toEqual([join(home, '.cache'), join(home, '.npm')]);
  state.close();
});

it('copies a link as a link', () => {
  const home = newFolder();
  write(home, { '.gemini/settings.json': '{}' });
  symlinkSync('/etc/hostname', join(home, '.gemini', 'link'));
  const state = openPrivateState(join(newFolder(), 'copies'));
  const made = state.copiesFor('/usr/bin/gemini', { HOME: home }).find(({ place }) => place === join(home, '.gemini'));
  expect(lstatSync(join(made?.copy ?? '', 'link')).isSymbolicLink()).toBe(true);
  state.close();
});
