// umpire.config.yaml: one zod schema with the type, default and description of every field, and its only reader. Loaded late,
// because most verdicts need no settings.

import { z } from 'zod';
import { HIGHEST_CAP, PROJECT_SETTINGS, STRICTER_SETTINGS, describeOption, settingKey } from '@umpire/core/model/options.js';
import type { Option, SettingValues } from '@umpire/core/model/options.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { nearestWord } from '@umpire/core/formats/nearest-word.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import type { GuardAllowance } from '@umpire/guard/findings/allowances.js';
import { RULE_GROUPS } from '@umpire/guard/findings/rule-names.js';
import { ALLOWABLE, DEFAULT_SETTINGS, RUNNER_NAMES } from './default-settings.js';
import type { AgentSettings, ColourPair, LoopGuard, QuarantinedTest, Settings } from './default-settings.js';
import { isWebAddress } from './environment.js';

type SettingPath = readonly (string | number)[];
type Fields = Readonly<Record<string, z.ZodType>>;
type ErrorMap = (issue: z.core.$ZodRawIssue) => string;

/** One setting, for the reference page. */
export interface SettingField {
  /** Dotted: `critics.debt.reruns`, `agents.<name>.command`, `guard.allowances[].rule`. */
  readonly name: string;
  readonly type: string;
  readonly default: string;
  readonly description: string;
  /** It only contains other settings, which follow it. */
  readonly isGroup: boolean;
}

// Kinds of values. Each error says what is allowed and what was found.

function mustBe(allowed: string): ErrorMap {
  return ({ input }) => `must be ${allowed}, ${input === null ? 'and is empty' : `not ${show(input)}`}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'that';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function kind<T extends z.ZodType>(type: string, make: (error: ErrorMap) => T): T {
  return make(mustBe(type)).meta({ type });
}

function whole(least: number, most: number) {
  return kind(`a whole number from ${least} to ${most}`, (error) =>
    z.number({ error }).int({ error }).min(least, { error }).max(most, { error }),
  );
}

function amount(most: number) {
  return kind(`a number above 0, at most ${most}`, (error) => z.number({ error }).positive({ error }).max(most, { error }));
}

function text(what: string) {
  return kind(what, (error) => z.string({ error }).trim().min(1, { error }).refine(hasNoNul, { error }));
}

function hasNoNul(value: string): boolean {
  return !value.includes('\0');
}

function choice<const T extends string>(words: readonly T[]) {
  return kind(`one of ${words.join(', ')}`, (error) => z.enum(words, { error }));
}

function list<T extends z.ZodType>(item: T, what: string) {
  return kind(what, (error) => z.array(item, { error })).meta({ type: what, item });
}

/** Names of the person's own choice, each with a value of the same kind. */
function named<T extends z.ZodType>(
  item: T,
  what: string,
  pattern = /^[A-Za-z][\w.-]{0,60}$/,
  rule = 'a letter, then letters, digits, _ . or -',
) {
  const key = z.string().regex(pattern, { error: `this name is not allowed. Use ${rule}` });
  return kind(what, (error) => z.record(key, item, { error })).meta({ type: what, named: item });
}

/** An object with known keys, none of them required. */
function group<T extends Fields>(shape: T, what: string) {
  const known = Object.keys(shape);
  const error: ErrorMap = (issue) => (issue.code === 'unrecognized_keys' ? instead(issue.keys[0] ?? '', known) : mustBe(what)(issue));
  return z.strictObject(shape, { error }).meta({ type: what, fields: shape });
}

function instead(key: string, known: readonly string[]): string {
  const guess = nearestWord(key, known) ?? onlyOneWith(key, known);
  return guess === null ? `unknown key. Known keys: ${known.join(', ')}` : `unknown key. Did you mean "${guess}"?`;
}

/** The only known key that contains this word: `rounds` in `max_rounds`. */
function onlyOneWith(word: string, known: readonly string[]): string | null {
  const found = known.filter((one) => `_${one}_`.includes(`_${word.toLowerCase().replaceAll('-', '_')}_`));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** A field of a group, with its entry on the reference page. */
function field<T extends z.ZodType>(schema: T, byDefault: string, description: string) {
  return schema.exactOptional().meta({ default: byDefault, description });
}

const flag = kind('true or false', (error) => z.boolean({ error }));
const onlyTrue = kind('true, or left out', (error) => z.literal(true, { error }));
const day = kind('a day such as 2026-06-30', (error) => z.iso.date({ error }));
const agentName = text('the name of an agent, such as claude');
const agentNames = kind('the name of an agent such as claude, or a list such as [claude, codex]', (error) =>
  z.union(
    [
      z
        .string()
        .trim()
        .min(1, { error })
        .refine(hasNoNul, { error })
        .transform((name) => [name]),
      z.array(z.string({ error }).trim().min(1, { error })).min(1, { error }),
    ],
    { error },
  ),
);
const minutes = amount(1440);

/** Its value may be a secret, so no error shows it. */
const address = (() => {
  const what = 'an https address, or the name of an environment variable that holds one, such as SLACK_URL';
  const error = () => `must be ${what}`;
  const isAllowed = (value: string) => isWebAddress(value) || /^[A-Z_][A-Z0-9_]*$/.test(value);
  return z.string({ error }).trim().refine(isAllowed, { error }).meta({ type: what });
})();

/** A path that stays inside the project. */
const inside = kind('a path inside the project, without ".."', (error) =>
  z
    .string({ error })
    .trim()
    .min(1, { error })
    .refine((path) => hasNoNul(path) && !/^([/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..'), { error }),
);

/** No shell reads either form, except the text of `notify`. */
const command = kind('a command such as "node my-agent.mjs", or the list of its words', (error) =>
  z.union(
    [
      z.string().trim().min(1, { error }).refine(hasNoNul, { error }),
      z.array(z.string()).refine(([first = '', ...rest]) => first.trim() !== '' && [first, ...rest].every(hasNoNul), { error }),
    ],
    { error },
  ),
);

const commandOrFalse = kind('a command such as "npm run lint", the list of its words, or false', (error) =>
  z.union([z.literal(false), command], { error }),
);

const paths = list(inside, 'a list of paths');
const patterns = list(inside, 'a list of patterns, such as ["test/**"]');
const envValue = kind('a text or a number', (error) =>
  z.union([z.string().refine(hasNoNul, { error }), z.number(), z.boolean()], { error }).transform(String),
);

// The fields.

const usual = DEFAULT_SETTINGS;
/** The default of a group of settings. */
const AS_BELOW = 'as below';

const agentKinds = ['command', 'acp', 'script', 'person', 'uses'] as const;

const agentFields = group(
  {
    command: field(command, 'none', 'a program with its arguments, as a text or a list. No shell runs it'),
    acp: field(command, 'none', 'a program that speaks the Agent Client Protocol'),
    script: field(
      text('the path of a scripted agent, such as agents/dry-run.yaml'),
      'none',
      'a YAML file of answers, for tests and dry runs',
    ),
    person: field(onlyTrue, 'none', 'the person at the terminal does the task'),
    uses: field(text('the name of a preset, such as claude'), 'its own name', 'the preset that it is, under another name'),
    model: field(text("a model's name"), "the agent's own", 'the model of a preset'),
    args: field(list(text('an argument'), 'a list of arguments, such as [--effort, high]'), 'none', 'further arguments for a preset'),
    timeout_minutes: field(minutes, '`timeout_minutes`', 'the time limit of one task of this agent'),
    finish: field(
      choice(['SIGINT', 'SIGTERM', 'none']),
      "the agent's own",
      'the signal that asks it to finish at its time limit. Not for ACP',
    ),
    grace_seconds: field(amount(600), "the agent's own", 'the time to finish after that signal'),
    allow: field(
      list(choice(ALLOWABLE), `a list of kinds, such as [${ALLOWABLE.join(', ')}]`),
      'none',
      'what an ACP agent may do beside reading and editing its folders: run commands, use the network, use other tools',
    ),
    env: field(
      named(
        envValue,
        'names with their values',
        /^(?!UMPIRE_)[A-Za-z_]\w*$/,
        'letters, digits and _, and no name that begins with UMPIRE_: Umpire sets those',
      ),
      'none',
      'environment variables for the agent',
    ),
  },
  'an agent, such as { command: "node my-agent.mjs" }',
);

const agent = agentFields
  .superRefine((read, context) => {
    const complain = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    const [first, second] = agentKinds.filter((key) => read[key] !== undefined);
    if (second !== undefined)
      complain([second], `an agent has only one of ${agentKinds.filter((key) => read[key] !== undefined).join(', ')}. Remove the others`);
    if (Object.keys(read).length === 0) complain([], 'it is empty. Give it a command, a script, or person: true');
    if (first === 'acp' && read.finish !== undefined) complain(['finish'], 'ACP asks the agent to finish without a signal. Remove it');
    if (first !== undefined && first !== 'acp' && first !== 'uses' && read.allow !== undefined)
      complain(['allow'], 'only an ACP agent asks for permissions. Remove it');
    for (const key of ['model', 'args'] as const)
      if (first !== undefined && first !== 'uses' && read[key] !== undefined)
        complain([key], `only a preset has ${key}. Put it into ${first === 'acp' ? 'acp' : 'command'}`);
  })
  .transform((read): AgentSettings => {
    const { timeout_minutes: timeoutMinutes, finish, grace_seconds: graceSeconds, allow, model, args } = read;
    return {
      runs: runsOf(read),
      ...(timeoutMinutes === undefined ? {} : { timeoutMinutes }),
      ...(finish === undefined ? {} : { finish: finish === 'none' ? null : finish }),
      ...(graceSeconds === undefined ? {} : { graceSeconds }),
      ...(allow === undefined ? {} : { allow }),
      ...(model === undefined ? {} : { model }),
      ...(args === undefined ? {} : { args }),
      env: read.env ?? {},
    };
  })
  .meta(agentFields.meta() ?? {});

function runsOf(read: z.output<typeof agentFields>): AgentSettings['runs'] {
  if (read.command !== undefined) return { kind: 'command', command: read.command };
  if (read.acp !== undefined) return { kind: 'acp', command: read.acp };
  if (read.script !== undefined) return { kind: 'script', path: read.script };
  if (read.person === true) return { kind: 'person' };
  return { kind: 'preset', ...(read.uses === undefined ? {} : { uses: read.uses }) };
}

const pairFields = group(
  {
    text: field(text('the path of a token'), 'required', 'the token of the text colour'),
    background: field(text('the path of a token'), 'required', 'the token of the background colour'),
    kind: field(choice(['text', 'large', 'ui']), 'text', 'large text and parts of the interface need less contrast'),
  },
  'a pair of colours, such as { text: color.text, background: color.surface }',
);

const pair = pairFields
  .transform((read, context): ColourPair => {
    const { text: front = '', background = '', kind: use = 'text' } = read;
    if (front === '' || background === '')
      context.addIssue({ code: 'custom', message: 'a pair of colours needs both text and background' });
    return { text: front, background, kind: use };
  })
  .meta(pairFields.meta() ?? {});

const fromProject = "found in the project's files";

const quarantineFields = group(
  {
    test: field(text('the name of a test, or its titles joined by " > "'), 'required', 'one test, by its titles joined by ` > `'),
    reason: field(text('why it is quarantined, in a few words'), 'required', 'why it is quarantined'),
    until: field(day, 'required', 'the last day of the quarantine, as YYYY-MM-DD'),
  },
  'a quarantined test, such as { test: "cache > expires", reason: "...", until: 2026-06-30 }',
);

const quarantined = quarantineFields
  .transform((read, context): QuarantinedTest => {
    const { test = '', reason = '', until = '' } = read;
    const missing = Object.entries({ test, reason, until }).find(([, value]) => value === '')?.[0];
    if (missing !== undefined)
      context.addIssue({ code: 'custom', message: `a quarantined test needs ${missing}. It needs test, reason and until` });
    return { test, reason, until };
  })
  .meta(quarantineFields.meta() ?? {});

const critics = group(
  {
    timeout_minutes: field(minutes, String(usual.critics.timeoutMinutes), 'the time limit of one tool'),
    tests: field(choice(['none']), fromProject, '`none` says that the project has no tests'),
    quarantine: field(list(quarantined, 'a list of quarantined tests'), 'none', 'flaky tests that count for nothing for a while'),
    testing: field(
      group(
        {
          runner: field(choice(RUNNER_NAMES), fromProject, 'the test runner'),
          layers: field(
            named(patterns, 'layers, each with its patterns'),
            'integration tests are L2, e2e tests L3',
            'patterns of test files by layer. All other tests are L1',
          ),
        },
        'settings of the test run, such as { runner: vitest }',
      ),
      AS_BELOW,
      'how Umpire runs the tests',
    ),
    debt: field(
      group(
        {
          reruns: field(whole(0, 20), String(usual.critics.debt.reruns), 'how often a test with a changed result runs again'),
          types: field(commandOrFalse, fromProject, 'the type check. `false` leaves it out, and the report says so'),
          lint: field(commandOrFalse, fromProject, 'the linter. `false` leaves it out, and the report says so'),
          quality: field(commandOrFalse, fromProject, 'the quality check. `false` leaves it out, and the report says so'),
          complexity: field(whole(1, 1000), String(usual.critics.debt.complexity), 'a function with a higher complexity is a finding'),
        },
        'settings of the validation, such as { reruns: 3 }',
      ),
      AS_BELOW,
      'how Umpire validates a change',
    ),
    design: field(
      group(
        {
          tokens: field(patterns, 'every token file in the project', 'patterns of token files'),
          industry: field(choice(['standard', 'strict']), usual.critics.design.industry, '`strict` as for healthcare and finance'),
          pairs: field(list(pair, 'a list of pairs of colours'), 'inferred from names', 'colours that are used together'),
          grid: field(amount(64), String(usual.critics.design.grid), 'spacing must be a multiple of this many pixels'),
        },
        'settings of the audit, such as { industry: strict }',
      ),
      AS_BELOW,
      'how Umpire audits design tokens',
    ),
    review: field(
      group(
        {
          reports: field(
            patterns,
            `\`${usual.critics.review.reports.join(', ')}\``,
            'patterns of reports that the review reads beside its linters',
          ),
        },
        'settings of the review, such as { reports: ["*.sarif"] }',
      ),
      AS_BELOW,
      'which reports the review reads',
    ),
  },
  'settings of the critics, such as { testing: { runner: vitest } }',
);

const allowanceFields = group(
  {
    rule: field(
      choice([...Object.keys(RULE_GROUPS), ...new Set(Object.values(RULE_GROUPS))]),
      'required',
      'a rule of the guard, or a group of rules',
    ),
    path: field(inside, 'required', 'a pattern of files'),
    test: field(text('the titles of a test, joined by " > "'), 'every test', 'one test, by its titles joined by ` > `'),
    reason: field(text('why it is accepted, in a few words'), 'required', 'why it is accepted'),
    until: field(day, 'required', 'the last day of the allowance, as YYYY-MM-DD'),
  },
  'an allowance, such as { rule: rebaselined, path: "test/**", reason: "...", until: 2026-06-30 }',
);

const allowance = allowanceFields
  .transform((read, context): GuardAllowance => {
    const { rule = '', path = '', test = null, reason = '', until = '' } = read;
    const missing = Object.entries({ rule, path, reason, until }).find(([, value]) => value === '')?.[0];
    if (missing !== undefined)
      context.addIssue({ code: 'custom', message: `an allowance needs ${missing}. It needs rule, path, reason and until` });
    return { rule, path, test, reason, until };
  })
  .meta(allowanceFields.meta() ?? {});

const scope = choice(['testing', 'any']);
const breaches = choice(['obey', 'tell', 'off']);
const loopGuardFields = group(
  {
    breaches: field(breaches, 'by loop', '`obey` reverts breaches before a merge, `tell` reports them, `off` does not look'),
    scope: field(scope, 'by loop', '`testing` lets only tests change, `any` source too'),
  },
  'obey, tell, off, or both settings, such as { breaches: obey, scope: testing }',
);

const loopGuard = z
  .union([breaches, loopGuardFields], {
    error: (issue) => mustBe(String((typeof issue.input === 'string' ? breaches : loopGuardFields).meta()?.['type']))(issue),
  })
  .transform((read): Partial<LoopGuard> => (typeof read === 'string' ? { breaches: read } : read))
  .meta(loopGuardFields.meta() ?? {});

const guard = group(
  {
    scope: field(scope, 'any', 'what `umpire guard` lets change without a flag: only tests, or source too'),
    allowances: field(list(allowance, 'a list of allowances'), 'none', 'findings that are accepted for a while'),
    loops: field(
      named(loopGuard, 'loops, each with obey, tell or off'),
      '`testing` and `until` obey, `debt` and `review` tell, others off',
      'what the guard does in runs, by loop',
    ),
  },
  'settings of the guard, such as { scope: testing }',
);

const sandboxFields = group(
  { write: field(list(text('a path, such as ~/.my-agent'), 'a list of paths'), 'none', 'further folders that programs may write to') },
  'true, false, or where programs may write, such as { write: [~/.my-agent] }',
);

const sandbox = kind(String(sandboxFields.meta()?.['type']), (error) => z.union([z.boolean(), sandboxFields], { error }))
  .transform((read) => (typeof read === 'boolean' ? { isOn: read, write: [] } : { isOn: true, write: read.write ?? [] }))
  .meta(sandboxFields.meta() ?? {});

const workspace = group(
  {
    home: field(text('the path of a folder'), '`~/umpire-worktrees`', 'the folder for worktrees'),
    link: field(paths, 'none', 'paths that every worktree shares with the project, beside `node_modules` and Python environments'),
    copy: field(paths, 'none', 'untracked files that every worktree gets a copy of, such as `.env`'),
    setup: field(text('a command for the shell, such as "npm ci"'), 'none', 'a shell command that prepares every new worktree'),
  },
  'settings of the workspace, such as { setup: "npm ci" }',
);

const notifyFields = group(
  {
    command: field(command, 'none', 'a command. A text runs in a shell, a list does not'),
    slack: field(address, 'none', 'a Slack webhook'),
    webhook: field(address, 'none', 'a server that takes a POST with JSON: session, loop, goal, status, question, reason'),
    desktop: field(flag, 'false', 'a note on the desktop, with `notify-send` or `osascript` if there'),
  },
  'a command, or ways such as { slack: SLACK_URL, desktop: true }',
);

const notify = kind(String(notifyFields.meta()?.['type']), (error) => z.union([command, notifyFields], { error })).meta(
  notifyFields.meta() ?? {},
);

const percent = kind('a number from 0 to 100', (error) => z.number({ error }).min(0, { error }).max(100, { error }));

const testingLoop = group(
  {
    targets: field(
      named(percent, 'layers, each with its target in percent'),
      "the loop's target",
      'the coverage target of a layer, as in { L1: 90, L2: 70 }',
    ),
  },
  'settings of the testing loop, such as { targets: { L1: 90 } }',
);

const stronger = group(
  {
    agent: field(agentName, 'required', 'the agent'),
    from_round: field(whole(1, HIGHEST_CAP), '2', 'the first round in which it works'),
  },
  'an agent and a round, such as { agent: strong, from_round: 3 }',
);

const strongerAgent = stronger
  .superRefine((read, context) => {
    if (read.agent === undefined)
      context.addIssue({ code: 'custom', message: 'it needs an agent, such as { agent: strong, from_round: 3 }' });
  })
  .meta(stronger.meta() ?? {});

/** The type that a value of this option has in a file, with the error that says what is allowed. */
export function optionSchema(option: Option): z.ZodType {
  const { takes } = option;
  return kind(describeOption(option), (error): z.ZodType => {
    if (takes.type === 'number') {
      const read = z.number({ error }).min(takes.least, { error }).max(takes.most, { error });
      return takes.isWhole ? read.int({ error }) : read;
    }
    if (takes.type === 'flag') return z.boolean({ error });
    if (takes.type === 'texts') return z.array(z.string({ error }).min(1, { error }), { error }).min(1, { error });
    if (takes.type === 'choice') return z.enum(takes.words, { error });
    return z.string({ error }).min(1, { error });
  });
}

function optionFields(): Readonly<Record<string, z.ZodExactOptional<z.ZodType>>> {
  return Object.fromEntries(
    Object.entries(PROJECT_SETTINGS).map(([name, row]: readonly [string, Option]) => {
      const { usual: value, usualWords = String(value) } = row.setting ?? { usual: null };
      return [settingKey(name), field(optionSchema(row), usualWords, row.help)];
    }),
  );
}

function optionValues(read: Readonly<Record<string, unknown>>): SettingValues<typeof PROJECT_SETTINGS> {
  const values = Object.entries(PROJECT_SETTINGS).map(([name, row]) => [name, read[settingKey(name)] ?? row.setting.usual]);
  return Object.fromEntries(values) as SettingValues<typeof PROJECT_SETTINGS>;
}

const schema = group(
  {
    agents: field(named(agent, 'names, each with its agent'), 'none', 'agents of your own, by name'),
    roles: field(
      named(agentNames, 'roles, each with the name of its agent'),
      '`agent`',
      'the agent of a role. In a list, the next one takes over while the plan of the one before is used up',
    ),
    agent: field(agentNames, 'none', 'the agent of every other role, or a list as above'),
    stronger: field(strongerAgent, 'none', "another agent for the loop's generator in late rounds"),
    ask_above_runs: field(whole(1, 100_000), String(usual.askAboveRuns), 'ask before a session that may need more agent runs than this'),
    engine: field(
      text('the URL of an engine'),
      'this machine',
      'the engine on which sessions start, such as `postgres://host/database` (docs/fleet.md)',
    ),
    ...optionFields(),
    sandbox: field(sandbox, String(usual.sandbox), 'let programs write only to the folders of their work'),
    notify: field(notify, 'none', 'how a person is called when one is needed: a command, or the ways below'),
    notify_at_end: field(flag, String(usual.notifyAtEnd), 'run `notify` at the end of a session too'),
    testing: field(testingLoop, AS_BELOW, 'the testing loop'),
    critics: field(critics, AS_BELOW, 'the critics that Umpire runs itself'),
    guard: field(guard, AS_BELOW, 'what the guard accepts, and what it does in runs'),
    workspace: field(workspace, AS_BELOW, 'the worktrees of agents'),
  },
  'a list of settings, such as "strict: true"',
);

/** Keys of the person's own, such as anchors that the settings below repeat. */
const OWN_KEY = /^x-/;

/** Every setting in the order of the schema, for the reference page. */
export function settingFields(): readonly SettingField[] {
  return fieldsOf(schema, '');
}

function fieldsOf(type: z.ZodType, prefix: string): readonly SettingField[] {
  const { fields, item, named: value } = (type.meta() ?? {}) as { fields?: Fields; item?: z.ZodType; named?: z.ZodType };
  if (item !== undefined) return fieldsOf(item, `${prefix}[]`);
  if (value !== undefined) return fieldsOf(value, `${prefix}.<name>`);
  return Object.entries(fields ?? {}).flatMap(([key, optional]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const inner = (optional as z.ZodExactOptional<z.ZodType>).unwrap();
    const { default: byDefault = '', description = '' } = (optional.meta() ?? {}) as { default?: string; description?: string };
    const isGroup = byDefault === AS_BELOW;
    return [{ name, type: String(inner.meta()?.['type'] ?? ''), default: byDefault, description, isGroup }, ...fieldsOf(inner, name)];
  });
}

// Reading.

/** Throws `config-invalid` with the line and what is allowed there. */
export function parseSettings(source: string, file: string): Settings {
  return withDefaults(readFields({ source, file }));
}

export interface SettingsFile {
  readonly source: string;
  readonly file: string;
}

export interface CombinedSettings {
  readonly settings: Settings;
  /** Settings of the project that do not count, since nobody trusted them. */
  readonly ignored: readonly string[];
}

export interface ProjectSettingsFile extends SettingsFile {
  readonly isTrusted: boolean;
  /** Names of agents that a project cannot redefine. */
  readonly reserved: readonly string[];
}

/** The project's settings and the person's own, which win. Of a project that nobody trusts, only stricter settings count. */
export function combineSettings(project: ProjectSettingsFile | null, own: SettingsFile | null): CombinedSettings {
  const theirs = project === null ? {} : readFields(project);
  const isTrusted = project?.isTrusted ?? true;
  if (project !== null && isTrusted) refuseReserved(theirs, project);
  const counted = isTrusted ? theirs : stricterOf(theirs);
  const settings = withDefaults(own === null ? counted : (mergeDeep(counted, readFields(own)) as ReadSettings));
  if (isTrusted) return { settings, ignored: [] };
  const untrustedAgents = Object.keys(theirs.agents ?? {}).filter((name) => !Object.hasOwn(settings.agents, name));
  return { settings: { ...settings, untrustedAgents }, ignored: ignoredOf(theirs) };
}

/** Whoever types `--agent claude` means the agent of this name that comes with Umpire. */
function refuseReserved({ agents = {} }: ReadSettings, { source, file, reserved }: ProjectSettingsFile): void {
  const isRedefined = (name: string, runs: AgentSettings['runs'] | undefined) =>
    runs?.kind !== 'preset' || (runs.uses !== undefined && runs.uses !== name);
  const name = reserved.find((one) => Object.hasOwn(agents, one) && isRedefined(one, agents[one]?.runs));
  if (name === undefined) return;
  const detail = `agents.${name}: a project cannot redefine ${name}. Choose another name, or redefine it in your own settings`;
  const line = lineOfSetting(source, ['agents', name]);
  throw new UmpireError('config-invalid', { file, line, detail });
}

type ReadSettings = z.output<typeof schema>;

function stricterOf(read: ReadSettings): ReadSettings {
  const kept = Object.fromEntries(Object.entries(read).filter(([key]) => STRICTER_SETTINGS.includes(key)));
  return { ...kept, ...(read.sandbox === undefined ? {} : { sandbox: { isOn: read.sandbox.isOn, write: [] } }) };
}

/** `agents.mine`, `workspace.setup`: two names deep, as a person looks for them in the file. */
function ignoredOf(read: ReadSettings): readonly string[] {
  return Object.entries(read).flatMap(([key, value]) => {
    if (key === 'sandbox') return read.sandbox?.write.length === 0 ? [] : ['sandbox.write'];
    if (STRICTER_SETTINGS.includes(key)) return [];
    return isGroup(value) ? Object.keys(value).map((name) => `${key}.${name}`) : [key];
  });
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mergeDeep(low: unknown, high: unknown): unknown {
  if (!isGroup(low) || !isGroup(high)) return high;
  const merged = Object.entries(high).map(([key, value]) => [key, Object.hasOwn(low, key) ? mergeDeep(low[key], value) : value] as const);
  return { ...low, ...Object.fromEntries(merged) };
}

/** One line of a settings file, for a person to look at. */
export interface ShownSetting {
  readonly name: string;
  readonly value: string;
}

/** Every setting in a file with its value, as written. */
export function listSettings({ source, file }: SettingsFile): readonly ShownSetting[] {
  const yaml = readYaml(source);
  if (!yaml.ok) throw invalid(file, yaml.line, yaml.problem);
  const under = (value: unknown, name: string): readonly ShownSetting[] =>
    isGroup(value)
      ? Object.entries(value).flatMap(([key, inner]) => under(inner, name === '' ? key : `${name}.${key}`))
      : [{ name, value: typeof value === 'string' ? withoutSecret(name, value) : (JSON.stringify(value) ?? '') }];
  return under(withoutOwnKeys(yaml.value ?? {}), '');
}

/** The address of a webhook is a password. */
function withoutSecret(name: string, value: string): string {
  return /^notify\.(?:slack|webhook)$/.test(name) && URL.canParse(value) ? `${new URL(value).origin}/...` : value;
}

function readFields({ source, file }: SettingsFile): ReadSettings {
  const yaml = readYaml(source);
  if (!yaml.ok) throw invalid(file, yaml.line, yaml.problem);
  const read = schema.safeParse(withoutOwnKeys(yaml.value ?? {}));
  if (read.success) return read.data;
  const problems = read.error.issues.map(problemOf).map((problem) => ({ ...problem, line: yaml.lineOf(problem.path) }));
  const [first] = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  throw invalid(file, first?.line ?? null, first === undefined ? 'it cannot be read' : describeProblem(first));
}

function withoutOwnKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !OWN_KEY.test(key)));
}

interface Problem {
  readonly path: SettingPath;
  readonly message: string;
}

/** The deepest cause of an issue: unions and records wrap it. */
function problemOf(issue: z.core.$ZodIssue): Problem {
  const path = issue.path as SettingPath;
  if (issue.code === 'unrecognized_keys') return { path: [...path, issue.keys[0] ?? ''], message: issue.message };
  if (issue.code === 'invalid_key') return { path, message: issue.issues[0]?.message ?? issue.message };
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  const inner = issue.errors.flat().map(problemOf);
  const deepest = inner.toSorted((a, b) => b.path.length - a.path.length)[0];
  const found = deepest !== undefined && deepest.path.length > 0 ? deepest : { path: [], message: issue.message };
  return { path: [...path, ...found.path], message: found.message };
}

function describeProblem({ path, message }: Problem): string {
  const where = path.join('.');
  if (message.startsWith('must ')) return `${where === '' ? 'it' : where} ${message}`;
  return where === '' ? message : `${where}: ${message}`;
}

function invalid(file: string, line: number | null, detail: string): UmpireError {
  return new UmpireError('config-invalid', { file, line: line === null ? '' : `:${line}`, detail });
}

/** The line of a setting, as `:LINE`. */
export function lineOfSetting(source: string, path: SettingPath): string {
  const yaml = readYaml(source);
  const line = yaml.ok ? yaml.lineOf(path) : null;
  return line === null ? '' : `:${line}`;
}

type NamesByRole = Readonly<Record<string, readonly string[]>>;

function othersOf(names: NamesByRole): NamesByRole {
  return Object.fromEntries(Object.entries(names).flatMap(([role, [, ...others]]) => (others.length === 0 ? [] : [[role, others]])));
}

function withDefaults(read: ReadSettings): Settings {
  const { testing, debt, design, review } = read.critics ?? {};
  const { types, lint, quality } = debt ?? {};
  const checks = Object.entries({ types, lint, quality }).filter(([, value]) => value !== undefined);
  return {
    ...optionValues(read),
    sandbox: read.sandbox?.isOn ?? usual.sandbox,
    sandboxWrite: read.sandbox?.write ?? usual.sandboxWrite,
    agents: read.agents ?? usual.agents,
    untrustedAgents: usual.untrustedAgents,
    roles: Object.fromEntries(Object.entries(read.roles ?? {}).map(([role, [first = '']]) => [role, first])),
    agent: read.agent?.[0] ?? usual.agent,
    fallbacks: othersOf({ ...read.roles, ...(read.agent === undefined ? {} : { '*': read.agent }) }),
    stronger:
      read.stronger?.agent === undefined ? usual.stronger : { agent: read.stronger.agent, fromRound: read.stronger.from_round ?? 2 },
    askAboveRuns: read.ask_above_runs ?? usual.askAboveRuns,
    engine: read.engine ?? usual.engine,
    notify: read.notify ?? usual.notify,
    notifyAtEnd: read.notify_at_end ?? usual.notifyAtEnd,
    testing: { ...usual.testing, ...read.testing },
    critics: {
      timeoutMinutes: read.critics?.timeout_minutes ?? usual.critics.timeoutMinutes,
      tests: read.critics?.tests ?? usual.critics.tests,
      quarantine: read.critics?.quarantine ?? usual.critics.quarantine,
      testing: { ...usual.critics.testing, ...testing },
      debt: {
        reruns: debt?.reruns ?? usual.critics.debt.reruns,
        checks: Object.fromEntries(checks),
        complexity: debt?.complexity ?? usual.critics.debt.complexity,
      },
      design: { ...usual.critics.design, ...design },
      review: { ...usual.critics.review, ...review },
    },
    guard: { ...usual.guard, ...read.guard },
    workspace: { ...usual.workspace, ...read.workspace },
  };
}
