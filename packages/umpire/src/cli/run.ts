// `umpire run`, `resume`, `resolve` and `until`: flags in; lines on stderr while it goes, data on stdout.

import { existsSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { isUmpireError } from '@umpire/core/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { describeQuestion } from '@umpire/core/decider/answers.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { ANSWERS } from '@umpire/core/decider/events.js';
import type { Question, Recorded } from '@umpire/core/decider/events.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { resolve, resume, run } from '../commands/session.js';
import type { RunWatch } from '../commands/opened.js';
import type { RunReport } from '../commands/session.js';
import { RANGES } from '../commands/run-flags.js';
import type { RunFlags } from '../commands/run-flags.js';
import { lineOf as lineOfText } from '../report/foreign-text.js';
import { broken, followProgress } from '../report/progress-lines.js';
import { answerLines, shellWord, waysToAnswer } from '../report/session-question.js';
import { latestSession, resolveSession } from '../sessions/sessions.js';
import { timeOfDay } from './clock.js';
import { decimal, readWords, usage, wholeNumber } from './flags.js';
import type { FlagKinds, Words } from './flags.js';
import { RUN_HELP } from './run-help.js';
import type { Outcome } from './outcome.js';
import { sessionWord } from './session-words.js';
import type { Output } from './output.js';

const RUN_FLAGS: FlagKinds = {
  '--agent': 'list',
  '--agent-command': 'value',
  '--max-rounds': 'value',
  '--concurrency': 'value',
  '--max-minutes': 'value',
  '--max-cost-usd': 'value',
  '--max-tokens': 'value',
  '--stop-when-stalled': 'switch',
  '--strict': 'switch',
  '--sandbox': 'switch',
  '--yes': 'switch',
  '--json': 'switch',
  '--help': 'switch',
};

export async function runRun(args: readonly string[], output: Output): Promise<Outcome> {
  const kinds: FlagKinds = { ...RUN_FLAGS, '--project': 'value', '--session': 'value', '--mode': 'value', '--target': 'value' };
  const words = readWords(args, kinds, 'run');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.run, exit: 0 };
  const [loop, goal, extra] = words.rest;
  if (loop === undefined) throw usage('It needs a loop, such as testing, and what is wanted.', 'run');
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: put what is wanted in quotes.`, 'run');
  const target = decimal(words, '--target', 'run', RANGES.target);
  const request = {
    loop,
    ...(goal === undefined ? {} : { goal }),
    ...values(words, { project: '--project', session: '--session', mode: '--mode' }),
    ...(target === undefined ? {} : { target }),
    ...flagsOf(words, 'run'),
  };
  return watched(output, words, (watch) => run({ ...request, ...watch }), words.values.get('--session') ?? null);
}

export async function runUntil(args: readonly string[], output: Output): Promise<Outcome> {
  const words = readWords(
    args,
    { ...RUN_FLAGS, '--project': 'value', '--session': 'value', '--mode': 'value', '--report': 'value' },
    'until',
  );
  if (words.switches.has('--help')) return { stdout: RUN_HELP.until, exit: 0 };
  const [command, goal, extra] = words.rest;
  if (command === undefined || command.trim() === '') throw usage('It needs the command that is to pass, in quotes.', 'until');
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: put the command in quotes.`, 'until');
  if (!/\s/.test(command) && goal !== undefined && /^\S+$/.test(goal))
    output.write(
      2,
      `Note: Only "${lineOfText(command, 100)}" is the command, and "${lineOfText(goal, 100)}" the goal. If you meant one command, quote it: umpire until "${lineOfText(`${command} ${goal}`, 200)}"\n`,
    );
  const places = values(words, { project: '--project', session: '--session', mode: '--mode', report: '--report' });
  const request = { loop: 'until', command, ...(goal === undefined ? {} : { goal }), ...places, ...flagsOf(words, 'until') };
  return watched(output, words, (watch) => run({ ...request, ...watch }), places.session ?? null);
}

export async function runResume(args: readonly string[], output: Output): Promise<Outcome> {
  const words = readWords(args, { ...RUN_FLAGS, '--project': 'value', '--retry': 'switch' }, 'resume');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.resume, exit: 0 };
  const [named, extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, 'resume');
  const flags = flagsOf(words, 'resume');
  const project = words.values.get('--project') ?? '.';
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  const retry = words.switches.has('--retry');
  return watched(output, words, (watch) => resume({ session, retry, ...flags, ...watch }), session);
}

export async function runResolve(args: readonly string[], output: Output): Promise<Outcome> {
  const kinds: FlagKinds = {
    ...RUN_FLAGS,
    '--project': 'value',
    '--reason': 'value',
    '--rounds': 'value',
    '--cost-usd': 'value',
    '--minutes': 'value',
    '--tokens': 'value',
  };
  const words = readWords(args, kinds, 'resolve');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.resolve, exit: 0 };
  const [named, word, extra] = words.rest;
  const answer = ANSWERS.find((one) => one === word);
  if (named === undefined || word === undefined) throw usage(`It needs a session and an answer: ${ANSWERS.join(', ')}.`, 'resolve');
  if (answer === undefined)
    throw usage(`"${word.slice(0, 40)}" is no answer.${didYouMean(word, ANSWERS)} There are ${ANSWERS.join(', ')}.`, 'resolve');
  if (extra !== undefined)
    throw usage(`"${extra.slice(0, 40)}" is one word too many: put the reason after --reason, in quotes.`, 'resolve');
  const session = resolveSession(named, words.values.get('--project') ?? '.');
  const request = {
    session,
    answer,
    reason: words.values.get('--reason') ?? '',
    ...whoAnswers(),
    rounds: wholeNumber(words, '--rounds', 'resolve', RANGES.maxRounds) ?? 0,
    tokens: wholeNumber(words, '--tokens', 'resolve', RANGES.maxTokens) ?? 0,
    costUsd: decimal(words, '--cost-usd', 'resolve', RANGES.maxCostUsd) ?? 0,
    minutes: decimal(words, '--minutes', 'resolve', RANGES.maxMinutes) ?? 0,
    ...flagsOf(words, 'resolve'),
  };
  return watched(output, words, (watch) => resolve({ ...request, ...watch }), session, answer === 'abort');
}

/** The name by which the machine knows who types. It has none where nobody wrote one down, as in some containers. */
function whoAnswers(): { readonly who?: string } {
  try {
    return { who: userInfo().username.slice(0, 100) };
  } catch {
    return {};
  }
}

function values<K extends string>(words: Words, flags: Readonly<Record<K, string>>): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const [name, flag] of Object.entries(flags) as [K, string][]) {
    const value = words.values.get(flag);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function flagsOf(words: Words, command: string): RunFlags {
  const numbers: Partial<Record<'maxRounds' | 'concurrency' | 'maxTokens' | 'maxMinutes' | 'maxCostUsd', number>> = {};
  const take = (name: keyof typeof numbers, value: number | undefined) => {
    if (value !== undefined) numbers[name] = value;
  };
  take('maxRounds', wholeNumber(words, '--max-rounds', command, RANGES.maxRounds));
  take('concurrency', wholeNumber(words, '--concurrency', command, RANGES.concurrency));
  take('maxTokens', wholeNumber(words, '--max-tokens', command, RANGES.maxTokens));
  take('maxMinutes', decimal(words, '--max-minutes', command, RANGES.maxMinutes));
  take('maxCostUsd', decimal(words, '--max-cost-usd', command, RANGES.maxCostUsd));
  const agent = words.lists.get('--agent');
  return {
    ...numbers,
    ...(agent === undefined ? {} : { agent }),
    ...values(words, { agentCommand: '--agent-command' }),
    ...(words.switches.has('--stop-when-stalled') ? { stopWhenStalled: true } : {}),
    ...(words.switches.has('--strict') ? { strict: true } : {}),
    ...(words.switches.has('--sandbox') ? { sandbox: true } : {}),
    ...(words.switches.has('--yes') ? { yes: true } : {}),
  };
}

/** Tells what happens while it happens; the first Ctrl-C stops in good order, a second at once. */
async function watched(
  { write }: Output,
  words: Words,
  act: (watch: RunWatch) => Promise<RunReport>,
  place: string | null,
  aborts = false,
): Promise<Outcome> {
  const say = (line: string): void => void write(2, `${line}\n`);
  const json = words.switches.has('--json');
  const stop = new AbortController();
  const columns = process.stderr.isTTY ? () => process.stderr.columns : undefined;
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    // The terminal has shown ^C at the start of the line.
    const room = columns === undefined ? undefined : columns() - 2;
    say(broken('Stopping: ending the agents and writing the journal. Press Ctrl-C again to quit at once.', '', room));
    stop.abort();
  };
  const unhear = hear(onSignal, stop.signal);
  const color = process.stderr.isTTY && process.env['NO_COLOR'] === undefined;
  let lineOf: ReturnType<typeof followProgress> | null = null;
  let isCalled = false;
  let isLost = false;
  const watch: RunWatch = {
    signal: stop.signal,
    wordOf: sessionWord,
    onNote: (note) => say(broken(note, 'Note: ', columns?.())),
    onEvent: (event, state) => {
      if (json && !isLost) {
        const detail = write(1, `${JSON.stringify(streamed(event))}\n`);
        // A full disk: say it once, and write nothing after the gap.
        isLost = detail !== null;
        if (isLost)
          say(`umpire: stdout could not be written: ${detail}. The run goes on; this event and those that follow are in its journal only.`);
      }
      lineOf ??= followProgress({ color, ...(columns === undefined ? {} : { columns }), clock: timeOfDay, session: wordFor(state, place) });
      // What goes on after a call stands between it and the end.
      isCalled = event.type === 'PersonCalled' || (isCalled && event.type !== 'TaskStarted');
      const line = lineOf(event, state);
      if (line !== null) say(line);
    },
  };
  const report = await act(watch).catch((error: unknown) => {
    // A set-up command that was ended on the way is no fault of its own.
    if (stop.signal.aborted && isUmpireError(error) && error.code === 'setup-failed') return null;
    throw error;
  });
  unhear();
  if (report === null) return { stderr: 'Stopped while the set-up command ran. Run the same command again.\n', exit: 130 };
  return {
    ...(json ? {} : { stdout: `${report.session}\n` }),
    stands: `That changes nothing of the session, which is in ${report.session}`,
    stderr: closing(report, stop.signal.aborted, isCalled),
    exit: exitOf(report, aborts),
  };
}

/** A terminal that closes stops what is shown in it; who runs it with nohup, and its output elsewhere, wants it to go on. Answers with how to stop listening. */
function hear(onSignal: () => void, stopped: AbortSignal): () => void {
  const isShown = [0, 1, 2].some((fd) => isatty(fd));
  const onHangup = () => {
    // It comes from the terminal and from the shell, and is no second wish.
    if (isShown && !stopped.aborted) onSignal();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangup);
  return () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangup);
}

function exitOf({ status }: RunReport, aborts: boolean): number {
  switch (status) {
    case 'complete':
      return 0;
    case 'awaiting':
      return 4;
    case 'interrupted':
      return 130;
    case 'aborted':
      return aborts ? 0 : 1;
    case 'failed':
      return 1;
  }
}

/** The word by which commands know the session from where the person is. */
function wordFor({ run: now }: SessionState, place: string | null): string {
  const path = place ?? join(now?.started.project ?? '.', '.umpire', 'sessions', now?.started.session ?? '');
  return existsSync(path) ? sessionWord(realpathSync.native(path)) : (now?.started.session ?? path);
}

function closing(report: RunReport, stopped: boolean, isCalled: boolean): string {
  const { status, question, session } = report;
  if (status === 'interrupted') {
    const end = `${stopped ? 'Stopped; nothing is lost.' : 'The run ended early.'} Go on with:\n  umpire resume ${shellWord(sessionWord(session))}\n`;
    const now = report.state.run;
    const [open] = now?.questions ?? [];
    return now === null || open === undefined ? end : `${end}${waitLines(now, open, session, 'It will wait on')}`;
  }
  // Who was called before, and comes back without an answer, is told once more.
  if (status !== 'awaiting' || question === null || report.state.run === null || isCalled) return '';
  return waitLines(report.state.run, question, session, 'It waits on');
}

function waitLines(now: RunState, question: Question, session: string, words: string): string {
  const answers = answerLines({ answers: waysToAnswer(now, question, sessionWord(session)) });
  return `${[`${words} ${lineOfText(describeQuestion(question), 300)}.`, ...answers].join('\n')}\n`;
}

/** The event as the journal keeps it, but for what only Umpire needs to judge it again. */
function streamed(event: Recorded): unknown {
  if (event.type !== 'VerdictGiven') return event;
  const { scene: _, effects: __, lists: ___, report: ____, ...data } = event.data;
  return { ...event, data };
}
