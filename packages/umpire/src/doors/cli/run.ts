// `umpire run`, `until`, `resume` and `resolve`: progress on stderr, the session's path or its events on stdout.

import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { NOTHING_GRANTED, describeQuestion } from '@umpire/core/decider/answers.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import { ANSWERS } from '@umpire/core/model/questions.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { resolve, resume, run } from '../../engine/session.js';
import type { RunWatch } from '../../engine/opened-session.js';
import type { RunResult } from '../../engine/session.js';
import type { TopicStart } from '../topic.js';
import { GRANTS, RUN, RUN_OPTIONS, whole } from '@umpire/core/model/options.js';
import { lineOf as lineOfText } from '../../views/safe-text.js';
import { wrapLine, followProgress } from '../../views/progress-lines.js';
import { answerLines, shellWord, waysToAnswer } from '../../views/session-question.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { timeOfDay } from './local-time.js';
import { flagKinds, parseArguments, readOptions, refuseExtra, usage } from './flags.js';
import type { FlagKinds, ParsedArguments } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import { answeringUser } from './dismiss.js';
import { sessionWord } from './session-argument.js';
import type { Output } from './output.js';
import { askYesNo, hasTerminal, isLiveTerminal, trustQuestion } from './terminal-questions.js';
import { forecastWords } from '../../engine/forecast.js';
import type { Forecast } from '../../engine/forecast.js';

const RUN_FLAGS: FlagKinds = {
  ...flagKinds(RUN_OPTIONS),
  '--engine': 'value',
  '--detach': 'switch',
  '--no-input': 'switch',
  '--json': 'switch',
  '--help': 'switch',
};

/** For a session on an engine. */
const FLEET_FLAGS: FlagKinds = { '--needs': 'list', '--remote': 'value', '--tenant': 'value' };

export async function runRun(args: readonly string[], output: Output): Promise<CommandOutcome> {
  const kinds: FlagKinds = {
    ...RUN_FLAGS,
    '--project': 'value',
    '--session': 'value',
    '--mode': 'value',
    '--target': 'value',
    ...TOPIC_FLAGS,
    ...FLEET_FLAGS,
  };
  const parsed = parseArguments(args, kinds, 'run');
  if (parsed.switches.has('--help')) return showHelp('run');
  const [loop, goal] = parsed.rest;
  if (loop === undefined) throw usage('Missing <loop>, such as testing.', 'run');
  refuseExtra(parsed, 2, 'run', 'Put the goal in quotes.');
  const about = await topicOf(parsed, loop);
  const request = {
    loop,
    ...about,
    ...(goal === undefined ? {} : { goal }),
    ...values(parsed, { project: '--project', session: '--session', mode: '--mode' }),
    ...readOptions(parsed, { target: RUN.target, ...RUN_OPTIONS }, 'run'),
  };
  const there = await startedThere(request, parsed, output);
  if (there !== null) return there;
  return runWatched(output, parsed, (watch) => run({ ...request, ...watch }), parsed.values.get('--session') ?? null);
}

const TOPIC_FLAGS: FlagKinds = { '--issue': 'value', '--pr': 'value', '--remote': 'value' };
const PULL_REQUEST = { pr: whole(1, 999_999_999, 'N', '') };

/** The issue or pull request on the command line. Loaded late: other runs need no GitHub. */
async function topicOf(parsed: ParsedArguments, loop: string): Promise<TopicStart | null> {
  const { pr } = readOptions(parsed, PULL_REQUEST, 'run');
  if (pr === undefined && !parsed.values.has('--issue')) {
    if (parsed.values.has('--remote') && (await namedEngine(parsed)) === null)
      throw usage('--remote belongs to --issue, --pr or --engine.', 'run');
    return null;
  }
  if (pr !== undefined && loop !== 'review') throw usage('--pr belongs to the review loop: umpire run review --pr N.', 'run');
  if (pr !== undefined && parsed.values.has('--mode'))
    throw usage('Use --pr or --mode, not both: a pull request is reviewed first.', 'run');
  // A session on an engine has its own remote, and begins with the commit that its project has there.
  if ((await namedEngine(parsed)) !== null) throw usage('Use --engine or --issue and --pr, not both.', 'run');
  const { readTopic } = await import('../topic.js');
  const places = values(parsed, { project: '--project', issue: '--issue', remote: '--remote' });
  return readTopic({ ...places, ...(pr === undefined ? {} : { pr }), sandbox: parsed.switches.has('--sandbox') });
}

export async function runUntil(args: readonly string[], output: Output): Promise<CommandOutcome> {
  const kinds: FlagKinds = {
    ...RUN_FLAGS,
    '--project': 'value',
    '--session': 'value',
    '--mode': 'value',
    ...FLEET_FLAGS,
    '--report': 'value',
    '--trust-exit-status': 'switch',
    '--here': 'switch',
    '--stop': 'switch',
  };
  const parsed = parseArguments(args, kinds, 'until');
  if (parsed.switches.has('--help')) return showHelp('until');
  if (parsed.switches.has('--here')) return (await import('./until-here.js')).runUntilHere(parsed);
  if (parsed.switches.has('--stop')) throw usage('--stop belongs to --here: umpire until --here --stop.', 'until');
  const [command, goal] = parsed.rest;
  if (command === undefined || command.trim() === '') throw usage('Missing the command that must pass, in quotes.', 'until');
  refuseExtra(parsed, 2, 'until', 'Put the command in quotes.');
  if (!/\s/.test(command) && goal !== undefined && /^\S+$/.test(goal))
    output.write(
      2,
      `Note: The command is "${lineOfText(command, 100)}" and the goal is "${lineOfText(goal, 100)}". To run both words as one command, quote it: umpire until "${lineOfText(`${command} ${goal}`, 200)}"\n`,
    );
  const places = values(parsed, { project: '--project', session: '--session', mode: '--mode', report: '--report' });
  const trust = parsed.switches.has('--trust-exit-status') ? { trustExitStatus: true } : {};
  const request = {
    loop: 'until',
    command,
    ...(goal === undefined ? {} : { goal }),
    ...places,
    ...trust,
    ...readOptions(parsed, RUN_OPTIONS, 'until'),
  };
  const there = await startedThere(request, parsed, output);
  if (there !== null) return there;
  return runWatched(output, parsed, (watch) => run({ ...request, ...watch }), places.session ?? null);
}

/** Null: the session runs on this machine. */
async function startedThere(request: Parameters<typeof run>[0], parsed: ParsedArguments, output: Output): Promise<CommandOutcome | null> {
  const url = await namedEngine(parsed);
  if (url === null) return null;
  const { runOnEngine } = await import('./fleet.js');
  const needs = (parsed.lists.get('--needs') ?? []).flatMap((label) => label.split(','));
  return runOnEngine(url, { ...request, needs, ...values(parsed, { remote: '--remote', tenant: '--tenant' }) }, parsed, output);
}

async function namedEngine(parsed: ParsedArguments, session?: string): Promise<string | null> {
  return (await import('./engine-choice.js')).engineFor(parsed, session);
}

export async function runResume(args: readonly string[], output: Output): Promise<CommandOutcome> {
  const parsed = parseArguments(args, { ...RUN_FLAGS, '--project': 'value', '--retry': 'switch' }, 'resume');
  if (parsed.switches.has('--help')) return showHelp('resume');
  const [named] = parsed.rest;
  refuseExtra(parsed, 1, 'resume');
  const url = await namedEngine(parsed, named);
  if (url !== null) {
    if (named === undefined) throw usage('Name a session of the engine.', 'resume');
    return (await import('./fleet.js')).resumeThere(url, named, parsed, output);
  }
  const flags = readOptions(parsed, RUN_OPTIONS, 'resume');
  const project = parsed.values.get('--project') ?? '.';
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  const retry = parsed.switches.has('--retry');
  return runWatched(output, parsed, (watch) => resume({ session, retry, ...flags, ...watch }), session);
}

export async function runResolve(args: readonly string[], output: Output): Promise<CommandOutcome> {
  const kinds: FlagKinds = {
    ...RUN_FLAGS,
    '--project': 'value',
    '--reason': 'value',
    '--goal': 'value',
    ...flagKinds(GRANTS),
  };
  const parsed = parseArguments(args, kinds, 'resolve');
  if (parsed.switches.has('--help')) return showHelp('resolve');
  const [named, word] = parsed.rest;
  const answer = ANSWERS.find((one) => one === word);
  if (named === undefined || word === undefined)
    throw usage(`Missing arguments: umpire resolve <session> <answer>. Answers: ${ANSWERS.join(', ')}.`, 'resolve');
  if (answer === undefined)
    throw usage(`"${word.slice(0, 40)}" is not an answer.${didYouMean(word, ANSWERS)} Answers: ${ANSWERS.join(', ')}.`, 'resolve');
  refuseExtra(parsed, 2, 'resolve', 'Put the reason in quotes after --reason.');
  const grant = Object.keys(flagKinds(GRANTS)).find((flag) => parsed.values.has(flag));
  if (grant !== undefined && answer !== 'extend') throw usage(`${grant} belongs to extend, not to ${answer}.`, 'resolve');
  const given = {
    answer,
    reason: parsed.values.get('--reason') ?? '',
    ...answeringUser(),
    ...NOTHING_GRANTED,
    ...readOptions(parsed, GRANTS, 'resolve'),
    ...(parsed.values.has('--goal') ? { goal: parsed.values.get('--goal') ?? '' } : {}),
  };
  const url = await namedEngine(parsed, named);
  if (url !== null) {
    const via = isatty(0) ? 'terminal' : 'no terminal';
    return (await import('./fleet.js')).answerThere(url, named, { ...given, by: 'resolve', via }, parsed, output);
  }
  const session = resolveSession(named, parsed.values.get('--project') ?? '.');
  const request = {
    session,
    ...given,
    ...readOptions(parsed, RUN_OPTIONS, 'resolve'),
  };
  return runWatched(output, parsed, (watch) => resolve({ ...request, ...watch }), session, answer === 'abort' || answer === 'stop');
}

function values<K extends string>(parsed: ParsedArguments, flags: Readonly<Record<K, string>>): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const [name, flag] of Object.entries(flags) as [K, string][]) {
    const value = parsed.values.get(flag);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

type Act = (watch: RunWatch) => Promise<RunResult>;

/** Prints progress while the session runs, and asks its questions where a person is at the terminal. */
async function runWatched(
  output: Output,
  parsed: ParsedArguments,
  first: Act,
  place: string | null,
  aborts = false,
): Promise<CommandOutcome> {
  const { switches } = parsed;
  const asksHere =
    isLiveTerminal(process.env) && process.stdin.isTTY && !['--yes', '--no-input', '--json'].some((flag) => switches.has(flag));
  let ran = await runOnce(output, parsed, first, place, asksHere);
  let isEnd = aborts;
  let isLeft = !asksHere;
  while (!isLeft && ran !== null && ran.report.status === 'awaiting' && ran.report.question !== null && !ran.stopped && isatty(0)) {
    const { question, session, state } = ran.report;
    const run = state.run as RunState;
    const { askQuestion } = await import('./question-prompt.js');
    const given = await askQuestion({ run, question, session, word: sessionWord(session) }, output);
    if (given === null) {
      isLeft = true;
      continue;
    }
    const asked = { session, question: question.key };
    const act: Act =
      given.answer === 'resume'
        ? (watch) => resume({ ...asked, ...watch })
        : (watch) => resolve({ ...asked, ...given, ...answeringUser(), ...watch, via: 'prompt' });
    try {
      ran = await runOnce(output, parsed, act, session, asksHere);
      isEnd = given.answer === 'abort' || given.answer === 'stop';
    } catch (error) {
      if (!isUmpireError(error) || error.code !== 'answer-refused') throw error;
      output.write(2, `${error.message}\n`);
    }
  }
  if (ran === null) return { stderr: 'Stopped during the set-up command. Run the same command again.\n', exit: 130 };
  const { report } = ran;
  return {
    ...(switches.has('--json') ? {} : { stdout: `${report.session}\n` }),
    stands: `The session is in ${report.session}`,
    stderr: closingLines(report, ran.stopped, ran.wasPersonCalled),
    exit: exitOf(report, isEnd),
  };
}

interface Ran {
  readonly report: RunResult;
  readonly stopped: boolean;
  readonly wasPersonCalled: boolean;
}

/** The first Ctrl-C stops in good order, the second at once. Null: stopped during the set-up command. */
async function runOnce(output: Output, parsed: ParsedArguments, act: Act, place: string | null, asksHere: boolean): Promise<Ran | null> {
  const { write } = output;
  const json = parsed.switches.has('--json');
  const screen = !json && isLiveTerminal(process.env) ? (await import('./live-screen.js')).openLiveScreen(output) : null;
  const say = (line: string): void => (screen === null ? void write(2, `${line}\n`) : screen.print(line));
  const stop = new AbortController();
  const columns = process.stderr.isTTY ? () => process.stderr.columns : undefined;
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    // The terminal shows ^C at the start of the line.
    const room = columns === undefined ? undefined : columns() - 2;
    say(wrapLine('Stopping: ending the agents and writing the journal. Press Ctrl-C again to quit now.', '', room));
    stop.abort();
  };
  const removeListeners = listenForSignals(onSignal, stop.signal);
  const color = output.isColored(2);
  let lineOf: ReturnType<typeof followProgress> | null = null;
  let wasPersonCalled = false;
  let isStdoutBroken = false;
  const watch: RunWatch = {
    signal: stop.signal,
    wordOf: sessionWord,
    ...trustQuestion(write),
    onForecast: (forecast) => showForecast(forecast, write, (line) => say(wrapLine(line, '', columns?.()))),
    via: isatty(0) ? 'terminal' : 'no terminal',
    onNote: (note) => say(wrapLine(note, 'Note: ', columns?.())),
    onEvent: (event, state, session) => {
      if (json && !isStdoutBroken) {
        const detail = write(1, `${JSON.stringify(publicEvent(event))}\n`);
        // A full disk: report it once and write nothing after the gap.
        isStdoutBroken = detail !== null;
        if (isStdoutBroken) say(`umpire: Cannot write stdout: ${detail}. The run continues; only its journal has this and later events.`);
      }
      lineOf ??= followProgress({ color, ...(columns === undefined ? {} : { columns }), clock: timeOfDay, session: wordFor(state, place) });
      screen?.follow(event, state, session);
      // The question follows at once, with its answers.
      if (asksHere && event.type === 'PersonCalled' && state.run !== null && awaitedQuestion(state.run) !== null) return;
      // A task that starts after the call means that the call is not the last thing on the screen.
      wasPersonCalled = event.type === 'PersonCalled' || (wasPersonCalled && event.type !== 'TaskStarted');
      const line = lineOf(event, state);
      if (line !== null) say(line);
    },
  };
  try {
    const report = await act(watch);
    return { report, stopped: stop.signal.aborted, wasPersonCalled };
  } catch (error) {
    // Ctrl-C ended the set-up command, so its failure is not an error.
    if (stop.signal.aborted && isUmpireError(error) && error.code === 'setup-failed') return null;
    throw error;
  } finally {
    screen?.close();
    removeListeners();
  }
}

/** Without a terminal nobody can agree. */
async function showForecast(forecast: Forecast, write: Output['write'], say: (line: string) => void): Promise<boolean> {
  say(forecastWords(forecast));
  if (!forecast.asks) return true;
  return hasTerminal() && (await askYesNo('Start it?', write));
}

/** A closed terminal stops the run, unless no stream is a terminal (nohup). Returns a function that removes the listeners. */
function listenForSignals(onSignal: () => void, stopped: AbortSignal): () => void {
  const isShown = [0, 1, 2].some((fd) => isatty(fd));
  const onHangup = () => {
    // The terminal and the shell both send it: the second is not a second Ctrl-C.
    if (isShown && !stopped.aborted) onSignal();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangup);
  return () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangup);
}

function exitOf({ status }: RunResult, aborts: boolean): number {
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

/** The name that commands in the current folder accept for the session. */
function wordFor({ run: now }: SessionState, place: string | null): string {
  const path = place ?? join(now?.started.project ?? '.', '.umpire', 'sessions', now?.started.session ?? '');
  return existsSync(path) ? sessionWord(realpathSync.native(path)) : (now?.started.session ?? path);
}

function closingLines(report: RunResult, stopped: boolean, wasPersonCalled: boolean): string {
  const { status, question, session } = report;
  if (status === 'interrupted') {
    const end = `${stopped ? 'Stopped. Nothing is lost.' : 'The run ended early.'} Continue with:\n  umpire resume ${shellWord(sessionWord(session))}\n`;
    const now = report.state.run;
    const [open] = now?.questions ?? [];
    return now === null || open === undefined ? end : `${end}${waitLines(now, open, session, 'It will wait for')}`;
  }
  // A person who was called in an earlier run gets the question again.
  if (status !== 'awaiting' || question === null || report.state.run === null || wasPersonCalled) return '';
  return waitLines(report.state.run, question, session, 'Waiting for');
}

function waitLines(now: RunState, question: Question, session: string, intro: string): string {
  const answers = answerLines({ answers: waysToAnswer(now, question, sessionWord(session)) });
  return `${[`${intro} ${lineOfText(describeQuestion(question), 300)}.`, ...answers].join('\n')}\n`;
}

/** The event of the journal without the parts that only a replay needs. */
function publicEvent({ ms: _ms, ...event }: Recorded): unknown {
  if (event.type !== 'VerdictGiven') return event;
  const { scene: _, effects: __, lists: ___, report: ____, ...data } = event.data;
  return { ...event, data };
}
