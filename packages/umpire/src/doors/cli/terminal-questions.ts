// Questions to the person at the terminal before a command starts: trust files of a project, start a session with many agent runs.

import { createInterface } from 'node:readline';
import type { RunWatch } from '../../engine/opened-session.js';
import { listFewFiles } from '../../engine/settings-notes.js';
import type { TrustWatch } from '../../engine/trust.js';
import { wrapLine } from '../../views/progress-lines.js';
import { trustPage } from '../../views/trust-page.js';
import type { TrustOffer } from '../../views/trust-page.js';
import { count } from '../../views/words.js';
import type { Output } from './output.js';

/** Nobody is asked without a terminal. */
export function trustQuestion(write: Output['write']): Pick<TrustWatch, 'onTrust'> {
  if (!hasTerminal()) return {};
  return { onTrust: (offer) => askAbout(offer, write) };
}

async function askAbout(offer: TrustOffer, write: Output['write']): Promise<boolean> {
  const { session, files } = offer;
  const asked = files.length === 0 ? 'Trust it?' : 'Until you trust them, Umpire uses its defaults. Trust them?';
  write(2, `${trustPage(offer)}\n`);
  return askYesNo(session === undefined ? asked : 'Until you trust it, it starts no program. Trust it?', write);
}

/** Nobody is asked without a terminal, or where they want no questions. */
export function uncommittedQuestion(
  { yes = false, noInput = false, json = false }: { readonly yes?: boolean; readonly noInput?: boolean; readonly json?: boolean },
  write: Output['write'],
): Pick<RunWatch, 'onUncommitted'> {
  if (!hasTerminal() || yes || noInput || json) return {};
  return {
    onUncommitted: (files) => {
      const room = process.stderr.columns;
      const them = files.length === 1 ? 'it' : 'them';
      const list = wrapLine(`${count(files.length, 'file')} not committed: ${listFewFiles(files)}.`, '', room);
      return askYesNo(`${list}\nAgents start from your last commit. Include ${them}?`, write);
    },
  };
}

export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** A terminal that a person watches and that can move its cursor. */
export function isLiveTerminal({ CI, TERM }: Readonly<Record<string, string | undefined>>): boolean {
  return process.stderr.isTTY && TERM !== 'dumb' && (CI === undefined || CI === '' || CI === 'false' || CI === '0');
}

export async function askYesNo(question: string, write: Output['write']): Promise<boolean> {
  write(2, `${question} [y/N] `);
  const answer = await readLine(() => write(2, '\n'));
  return /^y(es)?$/i.test(answer.trim());
}

/** One line of stdin; empty at its end. Ctrl-C ends the process: nothing has begun yet. */
function readLine(onLeave: () => void): Promise<string> {
  const onInterrupt = (): never => {
    onLeave();
    process.exit(130);
  };
  process.prependOnceListener('SIGINT', onInterrupt);
  const lines = createInterface({ input: process.stdin, terminal: false });
  return new Promise<string>((done) => {
    lines.once('line', done);
    lines.once('close', () => done(''));
  }).finally(() => {
    lines.close();
    process.off('SIGINT', onInterrupt);
  });
}
