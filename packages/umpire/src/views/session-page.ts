// `umpire report`: a whole session as Markdown, and context.md, a summary for whoever continues the work. Texts of agents are
// escaped, so that they cannot forge headings, tables, links or HTML.

import { describeQuestion } from '@umpire/core/decider/answers.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { dismissalOf } from '@umpire/core/decider/rulings.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import type { TaskState } from '@umpire/core/decider/run-state.js';
import { bySeverity, describeCounts, describeFinding } from '@umpire/core/formats/finding-text.js';
import type { Provenance, ToolUse } from '@umpire/core/formats/provenance.js';
import { codeSpan, fenced, inline } from './safe-text.js';
import { filesWords, readHistory } from './session-history.js';
import type { History, TaskRun } from './session-history.js';
import { moreWords, waitWords } from './session-question.js';
import { includedWords, chainLabel, markTask, reasonsUnverified, sandboxWords, sessionView, verdictsIn } from './session-view.js';
import type { SessionSurroundings, SessionView, TaskMark, TaskView } from './session-view.js';
import { chainLine, workStateWords, describeSpent, stateWords } from './status-page.js';
import { dismissalText, describeTestimony } from './verdict-page.js';
import { UTC, count, duration, usageWords } from './words.js';
import type { Clock } from './words.js';
import { millisecondsOf } from '@umpire/core/formats/timestamp.js';

/** The verdict's own page lists all findings. */
const MAX_FINDINGS = 50;

export interface SessionExtra extends SessionSurroundings {
  /** The journal, from its first line. */
  readonly events: readonly Recorded[];
  /** Where the evidence was measured, by its hash. */
  readonly provenance?: ReadonlyMap<string, Provenance>;
  /** UTC by default. */
  readonly clock?: Clock;
}

export function sessionPage(state: SessionState, extra: SessionExtra): string {
  const view = sessionView(state, extra);
  const clock = extra.clock ?? UTC;
  const history = readHistory(extra.events, clock);
  // What is being read needs no command.
  const { next } = view;
  const { runs } = history;

  const sums = new Map<string, { runs: number; ms: number; tokens: number; costUsd: number; unknown: Set<string> }>();
  for (const run of [...runs.values()].flat()) {
    const sum = sums.get(run.agent) ?? { runs: 0, ms: 0, tokens: 0, costUsd: 0, unknown: new Set<string>() };
    sum.runs++;
    sum.ms += run.ms ?? 0;
    sum.tokens += run.tokens;
    sum.costUsd += run.costUsd;
    for (const what of run.unknown) sum.unknown.add(what);
    sums.set(run.agent, sum);
  }
  return page([
    `# Session ${inline(view.session)}`,
    '',
    ...headLines(view, history, clock),
    ...(view.goal === '' ? [] : ['## Goal', '', ...fenced(view.goal), '']),
    ...drawSection(
      'Unverified',
      view.because.map((one) => inline(one)),
    ),
    ...drawSection(
      'Notes on the work',
      view.workNotes.map((note) => inline(note)),
    ),
    ...drawSection(
      'Suspected bugs',
      view.suspectedBugs.map((bug) => inline(bug)),
    ),
    ...drawSection(
      'Dismissed findings',
      view.dismissed.map(
        ({ severity, finding, reason, who }) => `${severity}: ${inline(finding)}; dismissed by ${inline(who)}: ${inline(reason)}`,
      ),
    ),
    ...questionLines(view),
    ...taskSections(view, history),
    ...verdictSections(state, history, { provenance: extra.provenance ?? new Map(), clock }),
    ...drawSection('Answers and changes by people', history.people),
    ...drawSection('Edits of tasks.csv', history.edits),
    ...drawSection('Discarded and reverted work', history.work),
    ...drawSection('Runs', history.processes),
    ...drawSection(
      'Agents',
      [...sums].map(
        ([agent, { runs: times, ms, tokens, costUsd, unknown }]) =>
          `${inline(agent)}: ${count(times, 'run')}, ${duration(ms)}, ${usageWords(tokens, costUsd, unknown)}`,
      ),
    ),
    ...drawSection(
      'Next steps',
      next
        .filter(({ command }) => command?.startsWith('umpire report ') !== true)
        .map(({ what, command }) => (command === null ? inline(what) : `${inline(what)}: ${codeSpan(command)}`)),
    ),
  ]);
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n').trim()}\n`;
}

function drawSection(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading}`, '', ...lines.map((line) => `- ${line}`), ''];
}

/** The zone may change with daylight saving time. */
function spanWords(first: string, last: string, clock: Clock): string {
  const [from, to] = [clock.moment(first), clock.moment(last)];
  const [zone, after] = [clock.zone(first), clock.zone(last)];
  if (zone === after) return `From ${from} to ${to} (all times in ${zone})`;
  return `From ${from} (${zone}) to ${to} (${after}), all times in local time`;
}

function headLines(view: SessionView, history: History, clock: Clock): readonly string[] {
  const { loops, mode, why, command, reason, spent, sandbox, work, chains, notes } = view;
  const ended = reason === '' ? '' : `: ${inline(reason)}`;
  return [
    `- Outcome: **${stateWords(view)}**${ended}`,
    ...(loops.length === 0 ? [] : [`- Loop: ${inline(loops.join(', '))}`]),
    ...(command === '' ? [] : [`- Runs until this passes: ${codeSpan(command)}`]),
    ...(mode === '' ? [] : [`- Mode: ${inline(mode)}${why === '' ? '' : ` (${inline(why)})`}`]),
    ...(history.firstAt === null ? [] : [`- ${spanWords(history.firstAt, history.lastAt ?? history.firstAt, clock)}`]),
    ...chains.map((chain) => `- Rounds: ${inline(chainLine(chain))}`),
    ...(spent === null ? [] : [`- Spent: ${describeSpent(spent)}`]),
    ...(spent === null ? [] : [`- Programs: ${sandboxWords(sandbox)}`]),
    ...(work === null
      ? []
      : [
          `- Work: ${workStateWords(work)}branch ${inline(work.branch)}, from ${short(work.base)} to ${short(work.head ?? work.base)}${work.place === null ? '' : `, in ${inline(work.place)}`}`,
          ...(includedWords(work) === '' ? [] : [`- The base also has changes that were not committed: ${inline(includedWords(work))}`]),
        ]),
    ...notes.map((note) => `- Note: ${inline(note)}`),
    '',
  ];
}

function short(commit: string): string {
  return inline(commit.slice(0, 12));
}

function questionLines({ question }: SessionView): readonly string[] {
  if (question === null) return [];
  return [
    '## Waiting for you',
    '',
    `${inline(waitWords(question))}${moreWords(question)}`,
    '',
    ...(question.detail === '' ? [] : [...fenced(question.detail), '']),
    ...(question.patch === '' ? [] : [...fenced(question.patch.trimEnd()), '']),
    ...(question.later ? [] : fenced(question.answers.map(({ command }) => command).join('\n'))),
    '',
  ];
}

function taskSections(view: SessionView, history: History): readonly string[] {
  if (view.tasks.length === 0) return [];
  const lines: string[] = ['## Tasks', ''];
  let wave = 0;
  // Stable within a wave: tasks that a verdict added are last in the file but belong to a later wave.
  for (const task of view.tasks.toSorted((a, b) => a.wave - b.wave)) {
    if (task.wave !== wave) lines.push(`### Wave ${task.wave}`, '');
    wave = task.wave;
    const marks = [task.status, inline(task.role), ...(task.round === null ? [] : [`round ${task.round}`])].filter((mark) => mark !== '');
    lines.push(
      `#### ${inline(task.id)}${task.title === '' ? '' : `: ${inline(task.title)}`}`,
      '',
      `- ${marks.join(', ')}`,
      ...(history.runs.get(task.id) ?? []).map((run) => `- ${runWords(run, task)}`),
      ...(task.waitsFor.length === 0 ? [] : [`- Waiting for ${inline(task.waitsFor.join(', '))}`]),
      ...(task.files.length === 0 ? [] : [`- Changed ${filesWords(task.files)}`]),
      ...(task.isUnchanged ? ['- Changed nothing'] : []),
      ...(task.repeats === null ? [] : [`- Not run: nothing changed since ${inline(task.repeats)}, so its evidence was judged again`]),
      ...(task.findings.trim() === '' ? [] : [`- Findings: ${inline(task.findings)}`]),
      ...(task.error.trim() === '' ? [] : [`- ${task.status === 'skipped' ? 'Skipped' : 'Error'}: ${inline(task.error)}`]),
      '',
    );
  }
  return lines;
}

function runWords({ attempt, agent, ending, ms, tokens, costUsd, unknown }: TaskRun, { status }: TaskView): string {
  const cost = tokens === 0 && costUsd === 0 && unknown.length === 0 ? '' : `, ${usageWords(tokens, costUsd, unknown)}`;
  return `Attempt ${attempt} by ${inline(agent)}: ${ending === 'running' && status === 'stopped' ? 'cut off' : ending}${ms === null ? '' : ` after ${duration(ms)}`}${cost}`;
}

function verdictSections(state: SessionState, history: History, known: Pick<VerdictExtra, 'provenance' | 'clock'>): readonly string[] {
  const verdicts = verdictsIn(state);
  if (verdicts.length === 0) return ['## Verdicts', '', 'No verdict yet.', ''];
  return [
    '## Verdicts',
    '',
    ...verdicts.flatMap((past, index) => [
      ...drawVerdict(past, index + 1, { at: history.givenAt.get(past.seq), label: chainLabel(state, past.verdict), ...known }),
      '',
    ]),
  ];
}

function limitFindings(lines: readonly string[], noun: string): readonly string[] {
  const more = lines.length - MAX_FINDINGS;
  return more > 0 ? [...lines.slice(0, MAX_FINDINGS), `- and ${count(more, noun)} more`] : lines;
}

/** Facts about a verdict from elsewhere: its time and the label of its chain. */
interface VerdictExtra {
  readonly at: string | undefined;
  readonly label: string;
  readonly provenance: ReadonlyMap<string, Provenance>;
  readonly clock: Clock;
}

function drawVerdict({ verdict, scene }: PastVerdict, number: number, { at, label, provenance, clock }: VerdictExtra): readonly string[] {
  const marks = [...(verdict.status === 'partial' ? ['partial'] : []), ...(verdict.unverified ? ['**unverified**'] : [])];
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  const chain = label === '' ? '' : `, ${inline(label)}`;
  const critic = scene.critic ?? null;
  // The findings, worst first, with their change since the previous round; then the fixed ones.
  const { findings, fates = [] } = verdict;
  const fateOf = new Map(fates.filter(({ fate }) => fate !== 'fixed').map(({ fingerprint, fate }) => [fingerprint, fate]));
  const there = bySeverity(findings).map((finding) => {
    const fate = fateOf.get(finding.fingerprint);
    return `- ${finding.severity}: ${inline(describeFinding(finding))}${fate === undefined ? '' : ` (${inline(fate)})`}`;
  });
  const gone = fates.filter(({ fate }) => fate === 'fixed').map(({ finding }) => `- fixed: ${inline(finding)}`);
  return [
    `### ${number}. ${inline(verdict.decision)}${mark}: round ${verdict.round} of ${verdict.maxRounds}, rule ${inline(verdict.rule)}${chain}`,
    '',
    `- Reason: ${inline(verdict.reason)}`,
    ...(critic === null ? [] : [`- Judged: ${inline(critic)}${at === undefined ? '' : `, ${clock.moment(at)}`}`]),
    `- Counts: ${describeCounts(verdict.counts)}`,
    ...(verdict.worse === true ? ['- Worse: the work of this round made things worse'] : []),
    ...verdict.waivers.map((waiver) => `- Waiver: ${inline(waiver)}`),
    ...verdict.anomalies.map((anomaly) => `- Anomaly ${inline(anomaly.rule)}: ${inline(anomaly.message)}`),
    ...limitFindings(there, 'finding'),
    ...limitFindings(gone, 'fixed finding'),
    ...limitFindings(
      (verdict.dismissed ?? []).map((one) => `- dismissed, ${one.finding.severity}: ${dismissalText(one)}`),
      'dismissed finding',
    ),
    ...(verdict.trend === undefined ? [] : [`- Trend: ${inline(verdict.trend.kind)}. ${inline(verdict.trend.why)}`]),
    ...verdict.evidence.flatMap(({ path, grade, sha256 }) => {
      const bound = provenance.get(sha256);
      return [
        `- Evidence: ${inline(path)}, ${grade}, sha256 ${short(sha256)}`,
        ...(bound === undefined ? [] : provenanceLines(bound, clock)),
      ];
    }),
    ...(describeTestimony(verdict) === null ? [] : [`- Testimony only: ${describeTestimony(verdict) ?? ''}`]),
    ...(verdict.tasks.length === 0 ? [] : [`- New tasks: ${inline(verdict.tasks.map(({ id }) => id).join(', '))}`]),
    `- Next: ${inline(verdict.nextStep)}`,
  ];
}

export function contextPage(state: SessionState): string {
  const { run } = state;
  const { session, goal } = run?.started ?? { session: 'session', goal: '' };
  const tasks = run === null ? [] : run.tasks.map((task) => ({ task, mark: markTask(run, task, run.ended === null) }));
  const done = tasks.filter(({ mark }) => mark === 'completed').toSorted((a, b) => a.task.wave - b.task.wave);
  return page([
    `# Context of ${inline(session)}`,
    '',
    ...(goal === '' ? [] : ['## Goal', '', ...fenced(goal), '']),
    ...drawSection(
      'Done',
      done.map(({ task }) => {
        const { id, role, row } = task;

        const title = row['title'] ?? '';
        return `${inline(id)} (${inline(role)})${title === '' ? '' : `, ${inline(title)}`}: ${inline(row['findings'] ?? '') || 'no findings'}`;
      }),
    ),
    ...drawSection(
      'Verdicts',
      verdictsIn(state).map(({ verdict }: PastVerdict): string => {
        const mark = verdict.unverified ? ' (unverified)' : '';
        return `${inline(verdict.decision)}${mark}, round ${verdict.round} of ${verdict.maxRounds}, rule ${inline(verdict.rule)}: ${inline(verdict.reason)}`;
      }),
    ),
    ...drawSection('Open', listOpen(state, tasks)),
  ]);
}

/** Findings of each chain's last verdict, failed tasks, open tasks and the open question. */
function listOpen(state: SessionState, tasks: readonly { readonly task: TaskState; readonly mark: TaskMark }[]): readonly string[] {
  const lasts = [...state.verdicts.values()].flatMap((past) => past.findLast(({ verdict }) => verdict.status === 'decided') ?? []);
  const found = lasts.flatMap(({ verdict }) => {
    const open = verdict.findings.filter((finding) => dismissalOf(finding, state.rulings) === null);
    return bySeverity(open).slice(0, MAX_FINDINGS);
  });
  const question = state.run === null ? null : currentQuestion(state.run);
  const open = tasks.filter(({ mark }) => mark !== 'completed');
  const isLost = (mark: TaskMark) => mark === 'failed' || mark === 'skipped';
  return [
    ...reasonsUnverified(state).map((one) => `Unverified: ${inline(one)}`),
    ...found.map((finding) => `${finding.severity}: ${inline(describeFinding(finding))}`),
    ...open
      .filter(({ mark }) => isLost(mark))
      .map(({ task, mark }) => `${inline(task.id)} ${mark}: ${inline(task.row['error'] ?? '') || 'no reason given'}`),
    ...open.filter(({ mark }) => !isLost(mark)).map(({ task, mark }) => `${inline(task.id)} ${mark}: ${inline(task.row['title'] ?? '')}`),
    ...(question === null ? [] : [`Waiting for ${inline(describeQuestion(question))}`]),
  ];
}

const COMMAND_LENGTH = 160;
const MOST_TOOLS = 20;

export function provenanceLines({ commit, content, started, ended, tools }: Provenance, clock: Clock = UTC): readonly string[] {
  const where = commit === null ? 'no commit' : `commit ${inline(commit.slice(0, 12))}`;
  const changed = content === null ? '' : `, ${commit === null ? 'content' : 'with uncommitted changes'} ${inline(content.slice(0, 12))}`;
  const more = tools.length - MOST_TOOLS;
  return [
    `  - Measured on ${where}${changed}, ${clock.moment(started)}${describeSpan(started, ended)}`,
    ...tools.slice(0, MOST_TOOLS).map((tool) => `  - ${describeToolRun(tool)}`),
    ...(more > 0 ? [`  - and ${count(more, 'run')} more`] : []),
  ];
}

function describeToolRun({ name, version, command, started, ended, exit_status, signal, timed_out }: ToolUse): string {
  const line = command.join(' ');
  const shown = line.length > COMMAND_LENGTH ? `${line.slice(0, COMMAND_LENGTH)}…` : line;
  const end = timed_out ? 'timed out' : exit_status === null ? `ended by ${signal ?? 'a signal'}` : `status ${exit_status}`;
  return `${inline(version === null ? name : `${name} ${version}`)}: ${codeSpan(shown)}, ${inline(end)}${describeSpan(started, ended)}`;
}

function describeSpan(started: string, ended: string): string {
  const from = millisecondsOf(started);
  const to = millisecondsOf(ended);
  return from > 0 && to >= from ? `, ${duration(to - from)}` : '';
}
