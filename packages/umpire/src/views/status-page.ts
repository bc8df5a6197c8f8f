// `umpire status` for a terminal of 80 columns: the tasks wave by wave, rounds, costs, and the open question.

import { clip, columnsOf, lineOf, wrap } from './safe-text.js';
import { answerLines, moreWords, stepLines, waitWords } from './session-question.js';
import { includedWords } from './session-view.js';
import type { ChainView, SessionView, SpentView, StateWord, TaskMark, TaskView } from './session-view.js';
import { count, duration } from './words.js';
import { addToList } from '@umpire/core/formats/multimap.js';

/** In a larger wave, tasks that are pending or done are only counted. */
const MAX_LISTED = 40;

const MARK_WIDTH = 'completed'.length;
const MAX_ID_WIDTH = 24;
const MAX_ROLE_WIDTH = 14;

export function statusPage(view: SessionView): string {
  const { chains, spent, work, next } = view;
  const parts = [
    head(view),
    graph(view),
    [
      ...chains.map(chainLine).flatMap((line) => drawField('rounds', line)),
      ...(spent === null ? [] : drawField('spent', describeSpent(spent))),
      ...(work === null
        ? []
        : [
            ...drawField(
              'work',
              `${workStateWords(work)}branch ${lineOf(work.branch)}${work.head === null ? '' : ` at ${work.head.slice(0, 12)}`}`,
            ),
            ...(includedWords(work) === ''
              ? []
              : drawField('base', `your last commit and, not committed: ${lineOf(includedWords(work), 300)}`)),
            ...(work.place === null ? [] : drawField('folder', lineOf(work.place))),
          ]),
    ],
    drawQuestion(view),
    stepLines(next),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const HAS_RESULT: ReadonlySet<StateWord> = new Set(['complete', 'failed', 'aborted', 'judged only']);

/** `complete, unverified`. Only for sessions with a result. */
export function stateWords({ state, unverified, missesTarget }: Pick<SessionView, 'state' | 'unverified' | 'missesTarget'>): string {
  const words = missesTarget ? 'ended, target not met' : state === 'awaiting' ? 'awaiting a person' : state;
  return unverified && HAS_RESULT.has(state) ? `${words}, unverified` : words;
}

function head(view: SessionView): readonly string[] {
  const { session, loops, mode, why, goal, command, reason, because, workNotes, suspectedBugs, dismissed, notes } = view;
  return [
    ...wrap(`${lineOf(session)}: ${stateWords(view)}`, '  ', ''),
    ...(goal === '' ? [] : wrap(lineOf(goal, 300), '  ', '')),
    ...(command === '' ? [] : wrap(`Runs until this passes: ${lineOf(command, 300)}`, '  ', '')),
    ...(loops.length === 0
      ? []
      : wrap(
          `Loop ${lineOf(loops.join(', '))}${mode === '' ? '' : `, mode ${lineOf(mode)}${why === '' ? '' : ` (${lineOf(why, 300)})`}`}.`,
          '  ',
          '',
        )),
    ...(reason === '' || isSaidBelow(reason, because) ? [] : wrap(lineOf(reason), '')),
    ...because.flatMap((one) => wrap(`Unverified: ${lineOf(one)}`, '  ', '')),
    ...noteLines(workNotes),
    ...suspectedBugs.slice(0, MAX_LISTED).flatMap((bug) => wrap(`Suspected bug: ${lineOf(bug, 300)}`, '  ', '')),
    ...dismissed
      .slice(0, MAX_LISTED)
      .flatMap(({ finding, reason, who }) =>
        wrap(`Dismissed by ${lineOf(who, 100)}: ${lineOf(finding, 300)} (${lineOf(reason, 200)})`, '  ', ''),
      ),
    ...notes.flatMap((note) => wrap(`Note: ${lineOf(note)}`, '  ', '')),
  ];
}

const MOST_NOTES = 20;

/** A6: apart from the agents' words. */
export function noteLines(notes: SessionView['workNotes'], columns = 80): readonly string[] {
  if (notes.length === 0) return [];
  const rest = notes.length - MOST_NOTES;
  return [
    'Look at this before you rely on the work:',
    ...notes.slice(0, MOST_NOTES).flatMap((note) => wrap(lineOf(note, 300), '    ', '  ', columns)),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

/** Do the reasons for `unverified` say this too? */
export function isSaidBelow(reason: string, because: SessionView['because']): boolean {
  return because.includes(reason) || (because.length > 0 && reason.startsWith('Approved by '));
}

function graph({ tasks, wave }: SessionView): readonly string[] {
  if (tasks.length === 0) return ['No tasks.'];
  const waves = new Map<number, TaskView[]>();
  for (const task of tasks) addToList(waves, task.wave, task);
  const widths = {
    id: Math.min(MAX_ID_WIDTH, longest(tasks.map(({ id }) => lineOf(id)))),
    role: Math.min(MAX_ROLE_WIDTH, longest(tasks.map(({ role }) => lineOf(role)))),
  };
  return [...waves]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([number, peers]) => [`wave ${number}${number === wave ? ' (now)' : ''}`, ...waveLines(peers, widths)]);
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columnsOf(text)), 0);
}

interface Widths {
  readonly id: number;
  readonly role: number;
}

const AT_REST: ReadonlySet<TaskMark> = new Set(['pending', 'completed', 'skipped']);

function waveLines(tasks: readonly TaskView[], widths: Widths): readonly string[] {
  if (tasks.length <= MAX_LISTED) return tasks.flatMap((task) => drawTask(task, widths));
  const listed = tasks.filter(({ status }) => !AT_REST.has(status)).slice(0, MAX_LISTED);
  const counts = new Map<TaskMark, number>();
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const sum = [...counts].map(([status, number]) => `${number} ${status}`).join(', ');
  return [...listed.flatMap((task) => drawTask(task, widths)), `  ${count(tasks.length, 'task')}: ${sum}`];
}

function drawTask(task: TaskView, widths: Widths): readonly string[] {
  const start = `  ${pad(task.status, MARK_WIDTH)}  ${pad(lineOf(task.id), widths.id)}  ${pad(lineOf(task.role), widths.role)}`;
  const room = 80 - columnsOf(start) - 2;
  const title = lineOf(task.title);
  const line = room < 12 || title === '' ? start.trimEnd() : `${start}  ${clip(title, room)}`;
  const indent = ' '.repeat(MARK_WIDTH + 4);
  const marks = [
    ...(task.round === null ? [] : [`round ${task.round}${describeTaskVerdict(task)}`]),
    ...(task.attempt > 1 ? [`attempt ${task.attempt}`] : []),
    ...(task.waitsFor.length > 0 ? [`waiting for ${lineOf(joinWords(task.waitsFor, 6))}`] : []),
    ...(task.status === 'stopped' ? ['will run again'] : []),
    ...(task.status === 'submitted' ? ['waiting to be merged'] : []),
    ...(task.status === 'asked' ? ['asks a person'] : []),
    ...(task.isUnchanged ? ['changed nothing'] : []),
    ...(task.repeats === null ? [] : [`not run: nothing changed since ${lineOf(task.repeats)}`]),
  ];
  const error = lineOf(task.error, 300);
  return [
    line,
    ...[
      ...(marks.length === 0 ? [] : [marks.join(', ')]),
      ...(error === '' ? [] : [error.startsWith('blocked: ') ? error : `${task.status === 'skipped' ? 'skipped' : 'error'}: ${error}`]),
    ].flatMap((detail) => wrap(detail, `${indent}  `, indent)),
  ];
}

/** `: FIX (rule R4)`. */
function describeTaskVerdict({ verdict }: TaskView): string {
  return verdict === null ? '' : `: ${lineOf(verdict.decision)} (rule ${lineOf(verdict.rule)})${verdict.unverified ? ', unverified' : ''}`;
}

/** The first of a list, and how many more there are. */
function joinWords(words: readonly string[], most: number): string {
  const rest = words.length - most;
  return words.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOf(text)));
}

/** A prefix for removed or applied work. */
export function workStateWords({ isCleared, isApplied }: { readonly isCleared: boolean; readonly isApplied: boolean }): string {
  if (isCleared) return 'removed, was ';
  return isApplied ? 'applied, ' : '';
}

function drawField(name: string, text: string): readonly string[] {
  return wrap(text, ' '.repeat(9), pad(name, 9));
}

/** `AUDIT-001: round 2 of 3, last REVISION (rule D7)`. */
export function chainLine({ label, round, maxRounds, decision, rule, unverified }: ChainView): string {
  const name = label === '' ? '' : `${lineOf(label)}: `;
  return `${name}round ${round} of ${maxRounds}, last ${lineOf(decision)} (rule ${lineOf(rule)})${unverified ? ', unverified' : ''}`;
}

/** `3 min of 60 min, 1,200 tokens, $0.40 of $5.00`, `42 s, 1,200 tokens, cost of codex unknown`. */
export function describeSpent(spent: SpentView): string {
  const { minutes, maxMinutes, tokens, maxTokens, costUsd, maxCostUsd, unreported } = spent;
  const time = `${duration(minutes * 60_000)}${maxMinutes === null ? '' : ` of ${duration(maxMinutes * 60_000)}`}`;
  const words = `${count(tokens, 'token')}${maxTokens === null ? '' : ` of ${count(maxTokens, 'token')}`}`;
  const money = `$${costUsd.toFixed(2)}${maxCostUsd === null ? '' : ` of $${maxCostUsd.toFixed(2)}`}`;
  return [
    time,
    ...knownAndUnknown(words, tokens, 'tokens', unreported.tokens),
    ...knownAndUnknown(money, costUsd, 'cost', unreported.cost),
  ].join(', ');
}

/** A zero that nobody reported is left out. */
function knownAndUnknown(words: string, amount: number, what: string, unreported: readonly string[]): readonly string[] {
  const unknown = unreported.length === 0 ? [] : [`${what} of ${lineOf(joinWords(unreported, 3))} unknown`];
  return amount === 0 && unreported.length > 0 ? unknown : [words, ...unknown];
}

function drawQuestion({ question }: SessionView): readonly string[] {
  if (question === null) return [];
  const detail = lineOf(question.detail, 600);
  return [
    ...wrap(`${lineOf(waitWords(question))}${moreWords(question)}`, ''),
    ...(detail === '' ? [] : wrap(detail, '  ')),
    ...answerLines(question),
  ];
}
