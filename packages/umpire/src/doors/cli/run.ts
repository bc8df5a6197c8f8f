// `umpire run`, `until`, `resume` and `resolve`: progress on stderr, the session's path or its events on stdout.

import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { isUmpireError } from '@umpire/core/model/errors.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { ANSWERS } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { previewRun, resolve, resume, run } from '../../engine/session.js';
import type { RunWatch } from '../../engine/opened-session.js';
import type { RunPreview, RunResult } from '../../engine/session.js';
import type { TopicStart } from '../topic.js';
import { GRANTS, flagOf } from '@umpire/core/model/options.js';
import { lineOf as lineOfText } from '../../views/safe-text.js';
import { wrapLine, followProgress } from '../../views/progress-lines.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { timeOfDay } from './local-time.js';
import { usage } from './arguments.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { engineFor } from './engine-choice.js';
import { answeringUser } from './dismiss.js';
import { runExit, sessionWord, waitLines } from './session-argument.js';
import { askYesNo, hasTerminal, isLiveTerminal, trustQuestion, uncommittedQuestion } from './terminal-questions.js';
import { forecastWords } from '../../engine/forecast.js';
import type { Forecast } from '../../engine/forecast.js';

export async function runRun(given: Given<'run'>, output: Output): Promise<CommandOutcome> {
  const url = await engineFor(given);
  const request = { ...given, ...(await readAbout(given, url)) };
  if (given.dryRun === true)
    return showPlan(given.json === true, await previewRun({ ...request, onNote: (note) => output.write(2, `Note: ${note}\n`) }));
  if (url !== null) return (await import('./fleet.js')).runOnEngine(url, request, output);
  return runWatched(output, given, (watch) => run({ ...request, ...watch }), given.session ?? null);
}

/** The issue or pull request on the command line. Loaded late: other runs need no GitHub. */
async function readAbout(given: Given<'run'>, url: string | null): Promise<TopicStart | null> {
  const { issue, pr, remote, loop, mode } = given;
  if (pr === undefined && issue === undefined) {
    if (remote !== undefined && url === null) throw usage('--remote belongs to --issue, --pr or --engine.', 'run');
    return null;
  }
  if (pr !== undefined && loop !== 'review') throw usage('--pr belongs to the review loop: umpire run review --pr N.', 'run');
  if (pr !== undefined && mode !== undefined) throw usage('Use --pr or --mode, not both: a pull request is reviewed first.', 'run');
  // A session on an engine has its own remote, and begins with the commit that its project has there.
  if (url !== null) throw usage('Use --engine or --issue and --pr, not both.', 'run');
  return (await import('../topic.js')).readTopic(given);
}

export async function runUntil(given: Given<'until'>, output: Output): Promise<CommandOutcome> {
  const { command, goal, here = false, stop = false } = given;
  if (here) return (await import('./until-here.js')).runUntilHere(given);
  if (stop) throw usage('--stop belongs to --here: umpire until --here --stop.', 'until');
  if (command === undefined || command.trim() === '') throw usage('Missing the command that must pass, in quotes.', 'until');
  if (!/\s/.test(command) && goal !== undefined && /^\S+$/.test(goal))
    output.write(
      2,
      `Note: The command is "${lineOfText(command, 100)}" and the goal is "${lineOfText(goal, 100)}". To run both words as one command, quote it: umpire until "${lineOfText(`${command} ${goal}`, 200)}"\n`,
    );
  const request = { ...given, loop: 'until' };
  const url = await engineFor(given);
  if (url !== null) return (await import('./fleet.js')).runOnEngine(url, request, output);
  return runWatched(output, given, (watch) => run({ ...request, ...watch }), given.session ?? null);
}

export async function runResume(given: Given<'resume'>, output: Output): Promise<CommandOutcome> {
  const { session: named, project = '.' } = given;
  const url = await engineFor(given, named);
  if (url !== null) {
    if (named === undefined) throw usage('Name a session of the engine.', 'resume');
    return (await import('./fleet.js')).resumeThere(url, named, given, output);
  }
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  return runWatched(output, given, (watch) => resume({ ...given, session, ...watch }), session);
}

export async function runResolve(given: Given<'resolve'>, output: Output): Promise<CommandOutcome> {
  const { session: named, answer, project = '.' } = given;
  const grant = Object.keys(GRANTS).find((name) => Object.hasOwn(given, name));
  if (grant !== undefined && answer !== 'extend') throw usage(`${flagOf(grant)} belongs to extend, not to ${answer}.`, 'resolve');
  const url = await engineFor(given, named);
  if (url !== null) return (await import('./fleet.js')).answerThere(url, { ...given, ...answeringUser() }, output);
  const session = resolveSession(named, project);
  return runWatched(output, given, (watch) => resolve({ ...given, session, ...answeringUser(), ...watch }), session, ANSWERS[answer].isEnd);
}

function showPlan(json: boolean, { loop, mode, why, tasks, forecast }: RunPreview): CommandOutcome {
  if (json) return { stdout: `${JSON.stringify({ loop, mode, why, tasks, most: forecast })}\n`, exit: 0 };
  const width = Math.max(...tasks.map(({ id }) => id.length));
  const roleWidth = Math.max(...tasks.map(({ role }) => role.length));
  const lines = tasks.map(({ id, role, title }) => `  ${id.padEnd(width)}  ${role.padEnd(roleWidth)}  ${lineOfText(title, 100)}`);
  return { stdout: [`${loop}, mode ${why}`, ...lines, forecastWords(forecast), ''].join('\n'), stderr: 'Nothing was started.\n', exit: 0 };
}

type Act = (watch: RunWatch) => Promise<RunResult>;

/** Prints progress while the session runs, and asks its questions where a person is at the terminal. */
async function runWatched(
  output: Output,
  given: Pick<Given<'resume'>, 'json' | 'yes' | 'noInput'>,
  first: Act,
  place: string | null,
  aborts = false,
): Promise<CommandOutcome> {
  const { json = false, yes = false, noInput = false } = given;
  const asksHere = isLiveTerminal(process.env) && process.stdin.isTTY && !json && !yes && !noInput;
  let ran = await runOnce(output, given, first, place, asksHere);
  let isEnd = aborts;
  let isLeft = !asksHere;
  while (!isLeft && ran !== null && ran.report.status === 'awaiting' && ran.report.question !== null && !ran.stopped && isatty(0)) {
    const { question, session, state } = ran.report;
    const run = state.run as RunState;
    const { askQuestion } = await import('./question-prompt.js');
    const said = await askQuestion({ run, question, session, word: sessionWord(session) }, output);
    if (said === null) {
      isLeft = true;
      continue;
    }
    const asked = { session, question: question.key };
    const act: Act =
      said.answer === 'resume'
        ? (watch) => resume({ ...asked, ...watch })
        : (watch) => resolve({ ...asked, ...said, ...answeringUser(), ...watch, via: 'prompt' });
    try {
      ran = await runOnce(output, given, act, session, asksHere);
      isEnd = said.answer !== 'resume' && ANSWERS[said.answer].isEnd === true;
    } catch (error) {
      if (!isUmpireError(error) || error.code !== 'answer-refused') throw error;
      output.write(2, `${error.message}\n`);
    }
  }
  if (ran === null) return { stderr: 'Stopped during the set-up command. Run the same command again.\n', exit: 130 };
  const { report } = ran;
  return {
    ...(json ? {} : { stdout: `${report.session}\n` }),
    stands: `The session is in ${report.session}`,
    stderr: closingLines(report, ran.stopped, ran.wasPersonCalled),
    exit: runExit(report, isEnd),
  };
}

interface Ran {
  readonly report: RunResult;
  readonly stopped: boolean;
  readonly wasPersonCalled: boolean;
}

/** The first Ctrl-C stops in good order, the second at once. Null: stopped during the set-up command. */
async function runOnce(
  output: Output,
  given: Pick<Given<'resume'>, 'json' | 'yes' | 'noInput'>,
  act: Act,
  place: string | null,
  asksHere: boolean,
): Promise<Ran | null> {
  const { json = false } = given;
  const { write } = output;
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
  // A closed terminal stops the run, unless no stream is a terminal (nohup). Returns a function that removes the listeners.
  const isShown = [0, 1, 2].some((fd) => isatty(fd));
  const onHangup = () => {
    // The terminal and the shell both send it: the second is not a second Ctrl-C.
    if (isShown && !stop.signal.aborted) onSignal();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangup);
  const removeListeners = () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangup);
  const color = output.isColored(2);
  let lineOf: ReturnType<typeof followProgress> | null = null;
  let wasPersonCalled = false;
  let isStdoutBroken = false;
  const watch: RunWatch = {
    signal: stop.signal,
    wordOf: sessionWord,
    ...trustQuestion(write),
    ...uncommittedQuestion(given, write),
    onBlind: () => askBlind(write),
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
  return !forecast.asks || !hasTerminal() || askYesNo('Start it?', write);
}

/** Without a terminal the notes on the tools stand alone. */
async function askBlind(write: Output['write']): Promise<boolean> {
  return (
    !hasTerminal() ||
    (await askYesNo('No tool of the critic works here, so nobody could measure the work of the agents. Start all the same?', write))
  );
}

/** The name that commands in the current folder accept for the session. */
function wordFor({ run: now }: SessionState, place: string | null): string {
  const path = place ?? join(now?.started.project ?? '.', '.umpire', 'sessions', now?.started.session ?? '');
  return existsSync(path) ? sessionWord(realpathSync.native(path)) : (now?.started.session ?? path);
}

function closingLines(report: RunResult, stopped: boolean, wasPersonCalled: boolean): string {
  const { status, question, session } = report;
  if (status === 'interrupted') {
    const end = `${stopped ? 'Stopped. Nothing is lost.' : 'The run ended early.'} Continue with:\n  umpire resume ${quoteWord(sessionWord(session))}\n`;
    const now = report.state.run;
    const [open] = now?.questions ?? [];
    return now === null || open === undefined ? end : `${end}${waitLines(now, open, sessionWord(session), 'It will wait for')}`;
  }
  // A person who was called in an earlier run gets the question again.
  if (status !== 'awaiting' || question === null || report.state.run === null || wasPersonCalled) return '';
  return waitLines(report.state.run, question, sessionWord(session));
}

/** The event of the journal without the parts that only a replay needs. */
function publicEvent({ ms: _ms, ...event }: Recorded): unknown {
  if (event.type !== 'VerdictGiven') return event;
  const { scene: _, effects: __, lists: ___, report: ____, ...data } = event.data;
  return { ...event, data };
}
