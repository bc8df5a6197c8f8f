// The options of Umpire's operations, one row each: what it takes, and a sentence of help. From the rows follow the flags of the command line
// with their help and completion, the checks of the library's arguments, the inputs of MCP tools, the keys of umpire.config.yaml, the
// settings that a session records, and the reference pages.

import { ANSWER_NAMES } from './questions.js';
import { filledText, flag as trueOrFalse, numberFrom, wholeFrom, word } from './schema.js';
import type { Schema } from './schema.js';
import type { Severity } from './vocabulary.js';
import { SEVERITIES } from './vocabulary.js';

export type OptionKind =
  | { readonly type: 'flag' | 'text' | 'folder' | 'loop' | 'session' | 'agent' | 'agents' | 'targets' }
  | { readonly type: 'number'; readonly least: number; readonly most: number; readonly isWhole: boolean }
  | { readonly type: 'choice'; readonly words: readonly string[] }
  /** `words`: each is one of these. */
  | { readonly type: 'texts'; readonly words?: readonly string[] }
  /** Only a program can pass these. */
  | { readonly type: 'function' | 'signal' | 'date' | 'object' };

export interface Option<Value = unknown> {
  readonly takes: OptionKind;
  /** A sentence without its full stop. */
  readonly help: string;
  /** The name of its value in usage lines: `N`. */
  readonly value: string;
  /** A second flag of one letter: `-f`. */
  readonly short?: string;
  readonly isNeeded?: true;
  /** An agent may pass it over MCP: it raises no limit and decides nothing for a person. */
  readonly isForAgents?: true;
  /** It is a key of umpire.config.yaml too. */
  readonly setting?: Setting;
  /** Never set. Carries the type of the value. */
  readonly of?: Value;
}

export interface Setting {
  /** Null: none. */
  readonly usual: string | number | boolean | null;
  /** Instead of the value, on the reference page. */
  readonly usualWords?: string;
  /** It makes Umpire only stricter or cheaper, so it counts before a person trusts the project. */
  readonly isStricter?: true;
}

export type Options = Readonly<Record<string, Option>>;

type Needed<Rows> = { readonly [Name in keyof Rows as Rows[Name] extends { readonly isNeeded: true } ? Name : never]: ValueOf<Rows[Name]> };
type Free<Rows> = { readonly [Name in keyof Rows as Rows[Name] extends { readonly isNeeded: true } ? never : Name]?: ValueOf<Rows[Name]> };
type ValueOf<Row> = Row extends { readonly of?: infer Value } ? Exclude<Value, undefined> : never;

/** The values of these options, by name. */
export type OptionValues<Rows> = Needed<Rows> & Free<Rows>;

// Kinds of options.

export function flag(help: string): Option<boolean> {
  return { takes: { type: 'flag' }, help, value: '' };
}

export function text(value: string, help: string): Option<string> {
  return { takes: { type: 'text' }, help, value };
}

export function texts(value: string, help: string): Option<readonly string[]> {
  return { takes: { type: 'texts' }, help, value };
}

export function folder(help: string): Option<string> {
  return { takes: { type: 'folder' }, help, value: 'DIR' };
}

export function loopName(help: string): Option<string> {
  return { takes: { type: 'loop' }, help, value: 'LOOP' };
}

/** One coding agent. */
export function agentName(help: string): Option<string> {
  return { takes: { type: 'agent' }, help, value: 'AGENT' };
}

export function sessionName(help: string): Option<string> {
  return { takes: { type: 'session' }, help, value: 'SESSION' };
}

export function number(least: number, most: number, value: string, help: string): Option<number> {
  return { takes: { type: 'number', least, most, isWhole: false }, help, value };
}

export function whole(least: number, most: number, value: string, help: string): Option<number> {
  return { takes: { type: 'number', least, most, isWhole: true }, help, value };
}

export function choice<const Word extends string>(words: readonly Word[], value: string, help: string): Option<Word> {
  return { takes: { type: 'choice', words }, help, value };
}

export function choices(words: readonly string[], value: string, help: string): Option<readonly string[]> {
  return { takes: { type: 'texts', words }, help, value };
}

export function needed<Row extends Option>(row: Row): Row & { readonly isNeeded: true } {
  return { ...row, isNeeded: true };
}

export function forAgents<Row extends Option>(row: Row): Row & { readonly isForAgents: true } {
  return { ...row, isForAgents: true };
}

function setting<Row extends Option, const Usual extends Setting>(
  row: Row,
  of: Usual,
): Row & { readonly setting: { readonly usual: Usual['usual'] } } {
  return { ...row, setting: of };
}

// Checks. A text of the command line, a value of a program and a value of umpire.config.yaml pass the same one.

/** What it takes, after "takes" or "must be". */
export function describeOption({ takes }: Option): string {
  switch (takes.type) {
    case 'flag':
      return 'true or false';
    case 'text':
    case 'session':
    case 'agent':
      return 'a string';
    case 'texts':
      return takes.words === undefined ? 'a list of strings' : `one or more of ${takes.words.join(', ')}`;
    case 'folder':
      return 'the path of a folder';
    case 'loop':
      return "a built-in loop's name, the path of a loop file, or a loop from defineLoop";
    case 'agents':
      return 'a string or a list of strings';
    case 'targets':
      return 'a number from 0 to 100, or one for each layer, such as L1=90,L2=70';
    case 'number':
      return `a ${takes.isWhole ? 'whole ' : ''}number from ${takes.least} to ${takes.most}`;
    case 'choice':
      return `one of ${takes.words.join(', ')}`;
    case 'function':
      return 'a function';
    case 'signal':
      return 'an AbortSignal';
    case 'date':
      return 'a valid Date';
    case 'object':
      return 'an object';
  }
}

/** The schema of its value in a file. */
export function optionSchema({ takes }: Option): Schema<unknown> {
  if (takes.type === 'number') return takes.isWhole ? wholeFrom(takes.least, takes.most) : numberFrom(takes.least, takes.most);
  if (takes.type === 'flag') return trueOrFalse;
  return takes.type === 'choice' ? word(...takes.words) : filledText;
}

/** Whether a program may pass this value. */
export function fitsOption({ takes }: Option, value: unknown): boolean {
  switch (takes.type) {
    case 'flag':
      return typeof value === 'boolean';
    case 'text':
    case 'agent':
      return typeof value === 'string';
    case 'texts':
      return isList(value) && value.every((one) => takes.words?.includes(one) ?? true);
    case 'folder':
    case 'session':
      return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
    case 'loop':
      return typeof value === 'string' ? value !== '' : isRecord(value);
    case 'agents':
      return typeof value === 'string' || isList(value);
    case 'targets':
      return isPercent(value) || (isRecord(value) && Object.values(value).every(isPercent));
    case 'number':
      return typeof value === 'number' && value >= takes.least && value <= takes.most && (!takes.isWhole || Number.isInteger(value));
    case 'choice':
      return takes.words.some((word) => word === value);
    case 'function':
      return typeof value === 'function';
    case 'signal':
      return isRecord(value) && typeof value['aborted'] === 'boolean' && typeof value['addEventListener'] === 'function';
    case 'date':
      return isRecord(value) && typeof value['getTime'] === 'function' && Number.isFinite(value['getTime']());
    case 'object':
      return isRecord(value);
  }
}

/** The value that a text of the command line stands for, or one of its values if it may be repeated; undefined if it is none. */
export function parseOption(option: Option, word: string): unknown {
  const { takes } = option;
  if (takes.type === 'targets') return parseTargets(word);
  if (isRepeated(option)) return fitsOption(option, [word]) ? word : undefined;
  if (takes.type !== 'number') return fitsOption(option, word) ? word : undefined;
  const value = (takes.isWhole ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,6})?$/).test(word) ? Number(word) : NaN;
  return fitsOption(option, value) ? value : undefined;
}

/** Whether the command line may give it several times. */
export function isRepeated({ takes }: Option): boolean {
  return takes.type === 'texts' || takes.type === 'agents';
}

/** Percent: for all chains, or for each chain by its name. */
export type Targets = number | Readonly<Record<string, number>>;

/** `80`, or `L1=90,L2=70`. */
function parseTargets(word: string): Targets | undefined {
  const parsePercent = (part: string) => {
    const value = /^\d{1,3}(\.\d{1,6})?$/.test(part.trim()) ? Number(part) : NaN;
    return isPercent(value) ? value : undefined;
  };
  if (!word.includes('=')) return parsePercent(word);
  const targets = new Map<string, number>();
  for (const part of word.split(',')) {
    const [name = '', share = ''] = part.split('=', 2);
    const value = parsePercent(share);
    if (value === undefined || name.trim() === '' || targets.has(name.trim())) return undefined;
    targets.set(name.trim(), value);
  }
  return Object.fromEntries(targets);
}

function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `--max-rounds`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `max_rounds`. */
export function settingKey(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// The rows.

/** No loop has more rounds than this. */
export const HIGHEST_CAP = 100;

/** The highest round that a session counts. */
export const MOST_ROUNDS = 10_000;

/** With the delays, 20 retries take most of a day. */
export const MOST_RETRIES = 20;

/** A session records these: they hold until a flag changes them. */
export const RUN_SETTINGS = {
  maxMinutes: setting(number(0.01, 525_600, 'N', 'ask a person after this many minutes'), {
    usual: null,
    usualWords: 'no limit',
    isStricter: true,
  }),
  maxCostUsd: setting(number(0.001, 1_000_000, 'X', 'ask a person after this many US dollars'), {
    usual: null,
    usualWords: 'no limit',
    isStricter: true,
  }),
  maxTokens: setting(whole(1, 1e12, 'N', 'ask a person after this many tokens'), { usual: null, usualWords: 'no limit', isStricter: true }),
  waitForLimits: setting(flag("wait until an agent's used-up plan is renewed"), { usual: false }),
  concurrency: setting(whole(1, 256, 'N', 'tasks that run at the same time'), { usual: 3 }),
  timeoutMinutes: setting(number(0.001, 1440, 'N', 'the time limit of one task'), { usual: 30 }),
  retries: setting(whole(0, MOST_RETRIES, 'N', "retries of a task while its model's server is overloaded or out of reach"), { usual: 4 }),
  stopWhenStalled: setting(flag('ask a person if a loop stalls, oscillates or diverges'), { usual: false, isStricter: true }),
  strict: setting(flag('ask a person before approving without clean evidence'), { usual: false, isStricter: true }),
  sandbox: setting(flag('agents write only to their worktree (needs bubblewrap)'), { usual: false, isStricter: true }),
};

/** The options that are keys of umpire.config.yaml too. */
export const PROJECT_SETTINGS = {
  maxRounds: setting(whole(1, HIGHEST_CAP, 'N', 'maximum number of rounds'), { usual: null, usualWords: "the loop's cap" }),
  ...RUN_SETTINGS,
};

/** Keys of umpire.config.yaml that count before a person trusts the project. */
export const STRICTER_SETTINGS: readonly string[] = Object.entries<Option>(PROJECT_SETTINGS).flatMap(([name, row]) =>
  row.setting?.isStricter === true ? [settingKey(name)] : [],
);

/** The values of settings, as a project has them and a session records them. */
export type SettingValues<Rows> = {
  readonly [Name in keyof Rows]: ValueOf<Rows[Name]> | (Rows[Name] extends { readonly setting: { readonly usual: null } } ? null : never);
};

/** The values without any setting. */
export function usualValues<Rows extends Options>(rows: Rows): SettingValues<Rows> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.setting?.usual])) as SettingValues<Rows>;
}

/** For each command that runs a session. */
export const RUN_OPTIONS = {
  agent: agents('the agent for every role, or for one: ROLE=NAME; in NAME,OTHER the next takes over while a plan is used up'),
  agentCommand: text('CMD', 'any program as the agent (see docs/agents.md)'),
  ...PROJECT_SETTINGS,
  yes: flag('approve plans without asking'),
};

function agents(help: string): Option<readonly string[]> {
  return { takes: { type: 'agents' }, help, value: 'NAME' };
}

const TARGETS: Option<Targets> = {
  takes: { type: 'targets' },
  help: 'target of the testing loop, 0 to 100 (default: 80), or one for each layer: L1=90,L2=70',
  value: 'PERCENT',
};

export const PROJECT = folder('the project (default: found from the current folder)');
const LAYER = forAgents(text('NAME', 'testing: the layer, such as L1, if there are several'));
const LOOP = needed(forAgents(loopName('a loop file such as ./my-loop.yaml, or a built-in loop')));
export const LATEST_SESSION = forAgents(sessionName('name, part of the name, or folder (default: the latest)'));
export const SESSION = needed(sessionName('name, part of the name, or folder'));

export const RUN = {
  loop: LOOP,
  goal: text('GOAL', 'what you want, in quotes'),
  project: PROJECT,
  session: folder('the session folder (default: new in .umpire/sessions/)'),
  mode: text('NAME', 'which tasks run (default: chosen from the goal and the changed files)'),
  target: TARGETS,
  command: text('COMMAND', 'the command that must exit with 0, in quotes'),
  report: text(
    'FILE',
    'a report of the command: SARIF, or findings as JSON or Markdown (default: a *.sarif file it writes to the top folder)',
  ),
  trustExitStatus: flag('run a command whose exit status may hide a failure, such as "npm test || true"; the verdict is unverified'),
  allowTestEdits: flag('let the agent change the tests that the command is to make pass; the verdict is unverified then'),
  includeUncommitted: flag('begin with your uncommitted changes: agents see them, and their failing tests are to pass'),
  ...RUN_OPTIONS,
};

/** What an answer may add to the limits. */
export const GRANTS = {
  rounds: whole(0, HIGHEST_CAP, 'N', 'rounds to add'),
  minutes: number(0, 525_600, 'N', 'minutes to add'),
  costUsd: number(0, 1_000_000, 'X', 'dollars to add'),
  tokens: whole(0, 1e12, 'N', 'tokens to add'),
};

export const RESUME = {
  session: LATEST_SESSION,
  retry: flag('also run failed tasks and those skipped because of them'),
  ...RUN_OPTIONS,
};

export const RESOLVE = {
  session: SESSION,
  answer: needed(choice(ANSWER_NAMES, 'ANSWER', 'what is decided')),
  reason: text('TEXT', 'the reason; required by force-approve, answer and insist, sent to the planner with revise'),
  goal: text('TEXT', 'the new goal, for change-goal'),
  ...GRANTS,
  ...RUN_OPTIONS,
};

export const DECIDE = {
  loop: LOOP,
  session: needed(forAgents(sessionName('the session folder'))),
  round: whole(
    0,
    MOST_ROUNDS,
    'N',
    'raise the round to N; it never goes down. Tasks of the last verdict that are still open count as completed',
  ),
  maxRounds: whole(1, HIGHEST_CAP, 'N', 'change the maximum number of rounds (recorded)'),
  layer: LAYER,
  deadlineMs: whole(0, 1e9, 'N', 'give a partial verdict after N milliseconds'),
  strict: forAgents(flag('escalate instead of approving without clean evidence')),
  dryRun: forAgents(flag('judge and write nothing')),
};

export const CHECK = { loop: LOOP };

export const REPLAY = {
  session: forAgents(sessionName('name, part of the name, or folder')),
  loop: loopName('also judge by other rules and show the differences'),
  project: PROJECT,
};

export const CRITIQUE = {
  loop: LOOP,
  project: PROJECT,
  session: forAgents(folder('the session folder (default: new in .umpire/sessions/)')),
  base: forAgents(text('REV', 'the commit to compare with')),
  layer: LAYER,
  industry: choice(['standard', 'strict'], 'NAME', 'design: standard (default) or strict'),
};

export const READ = {
  reports: needed(forAgents(texts('REPORT', 'files; JSON up to 64 MB, others of any size; - is stdin'))),
  format: forAgents(text('NAME', 'the format, if it is not detected (see Formats)')),
  root: folder('shorten absolute paths below DIR (default: this folder)'),
};

export const GUARD = {
  base: forAgents(text('REV', 'compare with REV (default: HEAD; without uncommitted changes, the commit where your branch left main)')),
  scope: forAgents(
    choice(
      ['testing', 'any'],
      'NAME',
      'any (default): source may change too; testing: only tests may change, and every finding is a breach',
    ),
  ),
  project: PROJECT,
  reportBefore: text('FILE', 'a test report of the base, any format of umpire read'),
  reportAfter: text('FILE', 'a test report of the change'),
  staged: forAgents(flag('check staged files, for a pre-commit hook')),
  revert: flag('revert the breaches, and keep copies of your files'),
};

export const DIFF = {
  session: LATEST_SESSION,
  round: forAgents(whole(0, MOST_ROUNDS, 'ROUND', 'a round number (default: all)')),
  chain: forAgents(text('NAME', 'the chain, if several have this round: L1, AUDIT-002')),
};

export const APPLY = {
  force: flag('also apply a session that is not complete'),
  withFailingTests: flag('also take files with new tests that fail'),
};

export const CLEAN = { force: flag('clean the named session even if its work is lost') };

export const INIT = {
  project: PROJECT,
  agent: agentName('the agent for every role (default: the first installed)'),
  dryRun: flag('print the text and write nothing'),
};

/** From which severity on `umpire ci` fails. */
export const FAIL_ON: readonly (Severity | 'never')[] = [...SEVERITIES, 'never'];
