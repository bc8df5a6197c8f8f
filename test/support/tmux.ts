// A real terminal for tests: a command in tmux, its keys and its screen. Each has a server of its own. Without tmux such tests are skipped;
// `.ci/run` installs it.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Terminal {
  /** Keys by their tmux names, or text. */
  readonly send: (...keys: readonly string[]) => void;
  readonly screen: () => string;
  /** With control sequences of colours. */
  readonly colored: () => string;
  /** Resolves with the screen once it fits; rejects with the last screen after a minute. */
  readonly shows: (wanted: string | RegExp) => Promise<string>;
  readonly resize: (columns: number, rows: number) => void;
  readonly close: () => void;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const POLL_MS = 50;
const MOST_MS = 60_000;

/** The terminal stays open after the command, and then shows its exit status. */
export function openTerminal({ columns, rows, cwd, env }: TerminalOptions, words: readonly string[]): Terminal {
  const name = `umpire-${randomBytes(6).toString('hex')}`;
  const tmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-L', name, '-f', '/dev/null', ...args], { encoding: 'utf8' }).stdout;
  const variables = { ...env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', CI: '', NO_COLOR: '', FORCE_COLOR: '' };
  const set = Object.entries(variables).map(([key, value]) => `${key}=${quote(value)}`);
  const line = `cd ${quote(cwd)} && env ${set.join(' ')} ${words.map(quote).join(' ')}; echo "exit $?"; read -r _`;
  spawnSync('tmux', ['-L', name, '-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows), 'sh', '-c', line], {
    env: { ...process.env, ...variables },
  });
  const screen = () => tmux('capture-pane', '-p').trimEnd();
  return {
    send: (...keys) => void tmux('send-keys', ...keys),
    screen,
    colored: () => tmux('capture-pane', '-p', '-e').trimEnd(),
    shows: async (wanted) => {
      const until = performance.now() + MOST_MS;
      for (;;) {
        const now = screen();
        if (typeof wanted === 'string' ? now.includes(wanted) : wanted.test(now)) return now;
        if (performance.now() > until) throw new Error(`The terminal does not show ${String(wanted)}:\n${now}`);
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
    },
    resize: (wide, high) => void tmux('resize-window', '-x', String(wide), '-y', String(high)),
    close: () => void tmux('kill-server'),
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
