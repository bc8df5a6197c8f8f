// Commands on sessions of an engine: start, follow, answer, look. Pages are those of a local session, read from a copy.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { flagOf } from '@umpire/core/model/options.js';
import { ANSWERS } from '@umpire/core/model/questions.js';
import type { RulingGiven } from '@umpire/core/decider/rulings.js';
import { describeDismissal } from '../../engine/dismiss.js';
import type { Dismissed } from '../../engine/dismiss.js';
import type { RunResult } from '../../engine/session.js';
import { refuseInsideTask } from '../../agents/guardian.js';
import {
  answerOnEngine,
  copyFromEngine,
  dismissOnEngine,
  followOnEngine,
  findListed,
  requireFullName,
  requireListed,
  retryOnEngine,
  startOnEngine,
} from '../../engine/client.js';
import type { FleetRequest } from '../../engine/client.js';
import type { ClientDoor } from '../../engine/engine.js';
import type { ClientMessage } from '../../engine/messages.js';
import { describeFleet, readFleet, whyWaiting } from '../../engine/offers.js';
import { openEngine } from '../../engine/open-engine.js';
import { followProgress } from '../../views/progress-lines.js';
import { lineOf } from '../../views/safe-text.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { parseRemote } from '../../work/remote-repository.js';
import { timeOfDay } from './local-time.js';
import { usage } from './arguments.js';
import { uncommittedQuestion } from './terminal-questions.js';
import { runExit, waitLines } from './session-argument.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';

/** `output`: of a command that sends a message. */
async function withClient<T>(url: string, output: Output | null, act: (client: ClientDoor) => Promise<T>): Promise<T> {
  refuseInsideTask('use the engine');
  const client = await openEngine(url).client();
  try {
    return await act(output === null ? client : sayUntaken(client, output));
  } finally {
    await client.close();
  }
}

/** A message waits on the engine until a conductor takes it. */
const UNTAKEN_MS = 4000;

/** A client that says how a message waits, and what becomes of it after Ctrl-C. */
function sayUntaken(client: ClientDoor, { write }: Output): ClientDoor {
  return {
    ...client,
    tell: async (session, message, key) => {
      const { waits, stays } = untakenWords(message as ClientMessage);
      const timer = setTimeout(() => write(2, waits), UNTAKEN_MS);
      const onSignal = () => {
        write(2, stays);
        process.exit(130);
      };
      process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
      try {
        return await client.tell(session, message, key);
      } finally {
        clearTimeout(timer);
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      }
    },
  };
}

const SENT = {
  start: 'session stays on the engine and begins',
  answer: 'answer stays on the engine and counts',
  retry: 'retry stays on the engine and begins',
  dismiss: 'dismissal stays on the engine and counts',
} as const satisfies Record<ClientMessage['type'], string>;

function untakenWords(message: ClientMessage): { readonly waits: string; readonly stays: string } {
  const remote = message.type === 'start' ? (message.started.fleet?.remote ?? '') : '';
  const label = remote === '' ? '' : parseRemote(remote).label;
  const who = label === '' ? 'no conductor' : `no conductor that serves ${label}`;
  return {
    waits: `Waiting: ${who} has taken this yet. Start one with: umpire worker --engine URL --remote ${label === '' ? 'URL' : quoteWord(label)}\n`,
    stays: `The ${SENT[message.type]} as soon as a conductor takes it.\n`,
  };
}

export function runOnEngine(
  url: string,
  given: Omit<FleetRequest, 'tenant'> & Partial<Given<'run'>>,
  output: Output,
): Promise<CommandOutcome> {
  return withClient(url, output, async (client) => {
    const say = (line: string): void => void output.write(2, `${line}\n`);
    const session = await startOnEngine(client, {
      ...given,
      needs: (given.needs ?? []).flatMap((label) => label.split(',')),
      tenant: given.tenant ?? process.env['USER'] ?? '',
      onNote: (note) => say(`Note: ${note}`),
      ...uncommittedQuestion(given, output.write),
    });
    if (given.detach === true) return { stdout: `${session}\n`, stderr: `Started. Look at it with: umpire status ${session}\n`, exit: 0 };
    return follow(client, session, 0, output, given.json === true);
  });
}

export function answerThere(url: string, given: Given<'resolve'> & { readonly who?: string }, output: Output): Promise<CommandOutcome> {
  const { session: word, answer, reason = '', rounds = 0, minutes = 0, costUsd = 0, tokens = 0, goal, who, detach, json } = given;
  return withClient(url, output, async (client) => {
    const { session, length } = await findListed(client, word);
    requireFullName(word, session, `umpire resolve ${quoteWord(session)} ${answer}`);
    await answerOnEngine(client, session, {
      answer,
      reason,
      rounds,
      minutes,
      costUsd,
      tokens,
      ...(goal === undefined ? {} : { goal }),
      ...(who === undefined ? {} : { who }),
      by: 'resolve',
      via: isatty(0) ? 'terminal' : 'no terminal',
    });
    if (detach === true) return { stdout: `${session}\n`, exit: 0 };
    return follow(client, session, length, output, json === true, ANSWERS[answer].isEnd);
  });
}

export function dismissThere(url: string, word: string, given: RulingGiven, output: Output): Promise<Dismissed> {
  return withClient(url, output, async (client) => {
    const { session } = await findListed(client, word);
    requireFullName(word, session, `umpire dismiss ${quoteWord(session)} ${quoteWord(given.finding)}`);
    const { state, ruling } = await dismissOnEngine(client, session, given);
    return { session, ...describeDismissal(state, ruling, session) };
  });
}

/** With --retry, failed tasks run again; a task without a plan is tried again. A running session is followed. */
export function resumeThere(
  url: string,
  word: string,
  { retry = false, json = false }: Given<'resume'>,
  output: Output,
): Promise<CommandOutcome> {
  return withClient(url, output, async (client) => {
    const { session, length, question } = await findListed(client, word);
    if (retry || question?.startsWith('limit:') === true) {
      requireFullName(word, session, `umpire resume ${quoteWord(session)}${retry ? ' --retry' : ''}`);
      await retryOnEngine(client, session);
    }
    return follow(client, session, length, output, json);
  });
}

async function follow(
  client: ClientDoor,
  session: string,
  from: number,
  { write }: Output,
  json: boolean,
  aborts = false,
): Promise<CommandOutcome> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const lineFor = followProgress({ color: process.stderr.isTTY && process.env['NO_COLOR'] === undefined, clock: timeOfDay, session });
  const told = new Set<string>();
  let wasPersonCalled = false;
  const result = await followOnEngine(client, session, from, {
    signal: stop.signal,
    onEvent: (event, state) => {
      wasPersonCalled = event.type === 'PersonCalled' || (wasPersonCalled && event.type !== 'TaskStarted');
      const line = lineFor(event, state);
      if (line !== null) write(2, `${line}\n`);
      if (!json) return;
      const { ms: _, ...shown } = event;
      write(1, `${JSON.stringify(shown)}\n`);
    },
    onQuiet: async () => {
      const listed = await client.session(session);
      const reasons = listed === null ? [] : whyWaiting(listed, await readFleet(client));
      for (const reason of reasons.filter((one) => !told.has(one))) write(2, `Waiting: ${reason}\n`);
      for (const reason of reasons) told.add(reason);
    },
  });
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  return { ...(json ? {} : { stdout: `${session}\n` }), stderr: closing(result, wasPersonCalled), exit: runExit(result, aborts) };
}

function closing({ session, status, question, state }: RunResult, wasPersonCalled: boolean): string {
  if (status === 'interrupted') return `The session continues on the engine. Follow it with: umpire resume ${session}\n`;
  if (status !== 'awaiting' || question === null || state.run === null || wasPersonCalled) return '';
  return waitLines(state.run, question, session);
}

/** Runs a command that looks at a session on a copy of it. */
export function lookThere(
  url: string,
  command: string,
  { session: word, follow: isFollowed = false }: { readonly session?: string; readonly follow?: boolean },
  look: (place: string) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withClient(url, null, async (client) => {
    if (word === undefined) throw usage('Name a session of the engine. List them with: umpire list --engine URL', command);
    const listed = await findListed(client, word);
    const { session } = listed;
    const folder = mkdtempSync(join(tmpdir(), 'umpire-engine-'));
    try {
      const place = join(folder, session);
      await copyFromEngine(client, session, place);
      const outcome = await (isFollowed ? whileCopied(client, session, place, () => look(place)) : look(place));
      const now = command === 'status' ? describeFleet(listed, await readFleet(client)) : [];
      const stderr = now.map((line) => `${line}\n`).join('');
      const plain = (text: string | undefined) => text?.replaceAll(place, session);
      const stdout = plain(outcome.stdout);
      return { ...outcome, ...(stdout === undefined ? {} : { stdout }), stderr: `${plain(outcome.stderr) ?? ''}${stderr}` };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

const RECOPY_MS = 1000;

/** The copy follows the session until the command has ended. */
async function whileCopied<T>(client: ClientDoor, session: string, place: string, act: () => Promise<T>): Promise<T> {
  const over = { isTrue: false };
  const copy = async (): Promise<void> => {
    while (!over.isTrue) {
      const { length } = await requireListed(client, session);
      await copyFromEngine(client, session, place);
      await client.changed(session, length, RECOPY_MS);
    }
  };
  const copying = copy();
  const acting = act();
  try {
    return await Promise.race([acting, copying.then(() => acting)]);
  } finally {
    over.isTrue = true;
    await copying.catch(() => undefined);
  }
}

export function listThere(url: string, { state: states = [], json = false, ...given }: Given<'list'>): Promise<CommandOutcome> {
  const local = (['unapplied', 'loop', 'last'] as const).find((name) => given[name] !== undefined);
  if (local !== undefined) throw usage(`${flagOf(local)} is for the sessions of this machine. Add --engine none.`, 'list');
  return withClient(url, null, async (client) => {
    const sessions = (await client.sessions()).filter(({ state }) => states.length === 0 || states.includes(state));
    if (json) return { stdout: `${JSON.stringify({ sessions })}\n`, exit: 0 };
    const width = Math.max(0, ...sessions.map(({ session }) => session.length));
    const lines = sessions
      .toSorted((a, b) => b.changedMs - a.changedMs)
      .map(({ session, state, unverified, round, goal, leased }) => {
        const marks = `${unverified ? ', unverified' : ''}${leased.length === 0 ? '' : `, ${leased.length} at work`}`;
        return `${session.padEnd(width)}  ${state}, round ${round}${marks}  ${lineOf(goal, 60)}\n`;
      });
    return {
      stdout: lines.length > 0 ? lines.join('') : states.length > 0 ? 'No session is in this state.\n' : 'The engine has no sessions.\n',
      exit: 0,
    };
  });
}
