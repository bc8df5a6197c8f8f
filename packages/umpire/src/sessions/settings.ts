// The settings of a project: one schema gives their types, defaults, checks, JSON Schema and reference page. read-settings.ts reads files.

import { HIGHEST_CAP, PROJECT_SETTINGS, optionSchema, settingKey } from '@umpire/core/model/options.js';
import type { Option, SettingValues } from '@umpire/core/model/options.js';
import { fillDefaults } from '@umpire/core/formats/read-schema.js';
import { isTimestamp } from '@umpire/core/formats/timestamp.js';
import {
  either,
  flag,
  listOf,
  number,
  numberFrom,
  object,
  oneOrMore,
  recordOf,
  text,
  textLike,
  wholeFrom,
  word,
} from '@umpire/core/model/schema.js';
import type { Complain, Infer, Schema, SchemaFields } from '@umpire/core/model/schema.js';
import { RULE_GROUPS } from '@umpire/guard/findings/rule-names.js';
import { FORMATS } from '@umpire/reports/formats.js';
import type { ReportContent } from '@umpire/reports/report-builder.js';
import { isWebAddress } from './environment.js';

/** Permissions for an ACP agent beside reading and editing in its folders. */
export const ALLOWABLE = ['execute', 'fetch', 'other'] as const;
export type Allowable = (typeof ALLOWABLE)[number];

/** The test runners that Umpire knows; `runners/registry.ts` has what it knows of each. */
export const RUNNER_NAMES = [
  'vitest',
  'jest',
  'mocha',
  'ava',
  'tap',
  'tape',
  'node',
  'bun',
  'deno',
  'playwright',
  'pytest',
  'unittest',
  'go',
  'nextest',
  'cargo',
  'rspec',
  'minitest',
  'phpunit',
  'bats',
  'ctest',
  'maven',
  'gradle',
  'dotnet',
  'exunit',
] as const;
/** `command`: what the settings name for tests. */
export type RunnerName = (typeof RUNNER_NAMES)[number] | 'command';

// Kinds of values. Each phrase says what is allowed.

const plain = text.where((value) => !value.includes('\0'), 'a text without NUL');

/** Not empty, without blanks around it. */
function name(phrase: string): Schema<string> {
  return plain.where((value) => value.trim() !== '', phrase).map((value) => value.trim());
}

function positiveNumber(most: number): Schema<number> {
  return numberFrom(0, most).where((value) => value > 0, `a number above 0, at most ${most}`);
}

/** Names of the person's own choice, each with a value of the same kind. */
function namedSchema<Out, In>(value: Schema<Out, In>, phrase: string) {
  return recordOf(value, textLike(/^[A-Za-z][\w.-]{0,60}$/, 'a letter, then letters, digits, _ . or -')).called(phrase);
}

function group<const F extends SchemaFields>(fields: F, phrase: string) {
  return object(fields, settingKey).called(phrase);
}

const day = text.where((value) => isTimestamp(`${value}T00:00:00.000Z`), 'a day such as 2026-06-30');
const agentName = name('the name of an agent, such as claude');
const agentNames = oneOrMore(agentName).called('the name of an agent such as claude, or a list such as [claude, codex]');
const minutes = positiveNumber(1440);

/** Its value may be a secret. */
const address = text
  .map((value) => value.trim())
  .where(
    (value) => isWebAddress(value) || /^[A-Z_][A-Z0-9_]*$/.test(value),
    'an https address, or the name of an environment variable that holds one, such as SLACK_URL',
  )
  .secret();

/** A path that stays inside the project. */
const inside = name('a path inside the project, without ".."').where(
  (path) => !/^([/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..'),
  'a path inside the project, without ".."',
);
const paths = listOf(inside).called('a list of paths');
const patterns = listOf(inside).called('a list of patterns, such as ["test/**"]');

/** No shell reads either form, except the text of `notify`. */
const words = listOf(plain, 1).where(([program = '']) => program.trim() !== '', 'a list of words');
const command = either(name('a command'), words).called('a command such as "node my-agent.mjs", or the list of its words');
/** A command as a text, or as a list of its words. */
export type CommandLine = Infer<typeof command>;

const check = either(word(false), name('a command'), words)
  .called('a command such as "npm run lint", the list of its words, or false')
  .optional("found in the project's files");

/** A shell runs it. */
const shellCommand = name('a command for the shell, such as "make check"');

// The settings.

const AGENT_KINDS = ['command', 'acp', 'script', 'person', 'uses'] as const;

const agent = group(
  {
    command: command.optional().describe('a program with its arguments, as a text or a list. No shell runs it'),
    acp: command.optional().describe('a program that speaks the Agent Client Protocol'),
    script: name('the path of a scripted agent, such as agents/dry-run.yaml')
      .optional()
      .describe('a YAML file of answers, for tests and dry runs'),
    person: word(true).called('true, or left out').optional().describe('the person at the terminal does the task'),
    uses: name('the name of a preset, such as claude').optional('its own name').describe('the preset that it is, under another name'),
    model: name("a model's name").optional("the agent's own").describe('the model of a preset'),
    args: listOf(name('an argument'))
      .called('a list of arguments, such as [--effort, high]')
      .optional()
      .describe('further arguments for a preset'),
    timeoutMinutes: minutes.optional('`timeout_minutes`').describe('the time limit of one task of this agent'),
    /** Null: no signal. */
    finish: word('SIGINT', 'SIGTERM', 'none')
      .map((signal) => (signal === 'none' ? null : signal))
      .optional("the agent's own")
      .describe('the signal that asks it to finish at its time limit. Not for ACP'),
    graceSeconds: positiveNumber(600).optional("the agent's own").describe('the time to finish after that signal'),
    allow: listOf(word(...ALLOWABLE))
      .called(`a list of kinds, such as [${ALLOWABLE.join(', ')}]`)
      .optional()
      .describe('what an ACP agent may do beside reading and editing its folders: run commands, use the network, use other tools'),
    env: recordOf(
      either(plain, number, flag).called('a text or a number').map(String),
      textLike(/^(?!UMPIRE_)[A-Za-z_]\w*$/, 'letters, digits and _, and no name that begins with UMPIRE_: Umpire sets those'),
    )
      .called('names with their values')
      .default({})
      .describe('environment variables for the agent'),
  },
  'an agent, such as { command: "node my-agent.mjs" }',
).map(({ command: program, acp, script, person, uses, ...rest }, complain) => {
  const given = { command: program, acp, script, person, uses };
  const kinds = AGENT_KINDS.filter((kind) => given[kind] !== undefined);
  const [kind, second] = kinds;
  if (second !== undefined) complain(`an agent has only one of ${kinds.join(', ')}. Remove the others`, second);
  if (kind === undefined && Object.keys(rest).length === 1 && Object.keys(rest.env).length === 0)
    complain('it is empty. Give it a command, a script, or person: true');
  if (kind === 'acp' && rest.finish !== undefined) complain('ACP asks the agent to finish without a signal. Remove it', 'finish');
  if (kind !== undefined && kind !== 'acp' && kind !== 'uses' && rest.allow !== undefined)
    complain('only an ACP agent asks for permissions. Remove it', 'allow');
  for (const key of ['model', 'args'] as const)
    if (kind !== undefined && kind !== 'uses' && rest[key] !== undefined)
      complain(`only a preset has ${key}. Put it into ${kind === 'acp' ? 'acp' : 'command'}`, key);
  return { runs: howAgentRuns(given), ...rest };
});

type AgentRuns =
  | { readonly kind: 'command'; readonly command: CommandLine }
  /** A program that speaks the Agent Client Protocol. */
  | { readonly kind: 'acp'; readonly command: CommandLine }
  /** A file of answers, relative to the project. */
  | { readonly kind: 'script'; readonly path: string }
  | { readonly kind: 'person' }
  /** An agent that comes with Umpire, with these settings: the one of this name, or `uses`. */
  | { readonly kind: 'preset'; readonly uses?: string };

function howAgentRuns(given: {
  readonly [kind in (typeof AGENT_KINDS)[number]]:
    | (kind extends 'command' | 'acp' ? CommandLine : kind extends 'person' ? true : string)
    | undefined;
}): AgentRuns {
  if (given.command !== undefined) return { kind: 'command', command: given.command };
  if (given.acp !== undefined) return { kind: 'acp', command: given.acp };
  if (given.script !== undefined) return { kind: 'script', path: given.script };
  if (given.person !== undefined) return { kind: 'person' };
  return { kind: 'preset', ...(given.uses === undefined ? {} : { uses: given.uses }) };
}

/** One agent. Fields that are left out keep the agent's own values. */
export type AgentSettings = Infer<typeof agent>;

const notifyWays = group(
  {
    command: command.optional().describe('a command. A text runs in a shell, a list does not'),
    slack: address.optional().describe('a Slack webhook'),
    webhook: address.optional().describe('a server that takes a POST with JSON: session, loop, goal, status, question, reason'),
    desktop: flag.optional('false').describe('a note on the desktop, with `notify-send` or `osascript` if there'),
  },
  'a command, or ways such as { slack: SLACK_URL, desktop: true }',
);
/** Ways to call a person: several may be set. */
export type NotifyWays = Infer<typeof notifyWays>;

/** A flaky test whose failure counts for nothing for a while. */
const quarantined = group(
  {
    test: name('the name of a test, or its titles joined by " > "').describe('one test, by its titles joined by ` > `'),
    reason: name('why it is quarantined, in a few words').describe('why it is quarantined'),
    until: day.describe('the last day of the quarantine, as YYYY-MM-DD'),
  },
  'a quarantined test, such as { test: "cache > expires", reason: "...", until: 2026-06-30 }',
);

const pair = group(
  {
    text: name('the path of a token').describe('the token of the text colour'),
    background: name('the path of a token').describe('the token of the background colour'),
    kind: word('text', 'large', 'ui').default('text').describe('large text and parts of the interface need less contrast'),
  },
  'a pair of colours, such as { text: color.text, background: color.surface }',
);

function reportFormat(...contents: readonly ReportContent[]) {
  const ids = FORMATS.filter(({ content }) => contents.includes(content)).map(({ id }) => id);
  return word(...ids).optional('recognised by its content');
}

const testFields = {
  command: shellCommand
    .optional("found in the project's files")
    .describe('the command that runs all tests, in the folder of the package. A shell runs it'),
  report: inside
    .optional('what it prints')
    .describe('the report by test that the command writes: a file, or a folder of reports, from the folder of the package'),
  format: reportFormat('tests').describe('the format of that report'),
};

const TEST_SCOPES = ['related', 'all', 'command'] as const;

const AN_EXAMPLE = '{ command: "make check", report: report.xml }';

type TestFields = { readonly [Key in keyof typeof testFields]?: string };

function checkTests<T extends TestFields>(tests: T, complain: Complain): T {
  for (const key of ['report', 'format'] as const)
    if (tests[key] !== undefined && tests.command === undefined)
      complain(`it describes the report of a command. Add the command, such as ${AN_EXAMPLE}`, key);
  return tests;
}

const noTests = word('none');
const testsPhrase = `none, or how the tests run, such as ${AN_EXAMPLE}`;
const packageTests = either(noTests, group(testFields, testsPhrase).map(checkTests)).called(testsPhrase);
const projectTests = either(
  noTests,
  group(
    {
      ...testFields,
      scope: word(...TEST_SCOPES)
        .optional('by loop')
        .describe(
          'which tests run: `related` those of the command and those that import a changed file (default in `until`), `all` (default elsewhere; debt and testing always run all), or `command` alone',
        ),
    },
    testsPhrase,
  ).map(checkTests),
).called(testsPhrase);

const coverage = group(
  {
    command: shellCommand
      .optional('the command of the tests writes it')
      .describe('the command that measures coverage, in the folder of the package. A shell runs it'),
    report: inside.describe('the coverage report that the command writes, from the folder of the package'),
    format: reportFormat('coverage').describe('the format of that report'),
  },
  'how coverage is measured, such as { command: "make coverage", report: coverage.xml }',
);
/** A report of coverage, and the command that writes it. */
export type CoverageSettings = Infer<typeof coverage>;

const packageFolder = inside.where((path) => !/^\.(?:\/|$)|\/$|\\/.test(path), 'the folder of a package, such as packages/core');

/** Null: found in the project's files. */
const critics = group(
  {
    timeoutMinutes: minutes.default(20).describe('the time limit of one tool'),
    tests: projectTests
      .default(null, "found in the project's files")
      .describe('how the tests of the project run. `none` says that it has no tests'),
    coverage: coverage.default(null, "found in the project's files").describe('how coverage is measured'),
    packages: recordOf(
      group(
        {
          tests: packageTests.optional('found in its files').describe('how its tests run. `none` says that it has no tests'),
          coverage: coverage.optional('found in its files').describe('how its coverage is measured'),
        },
        'its settings, such as { tests: { command: "make check" } }',
      ),
      packageFolder,
    )
      .called('folders of packages, each with its settings')
      .default({})
      .describe('the same for a package of a workspace, by its folder'),
    quarantine: listOf(quarantined)
      .called('a list of quarantined tests')
      .default([])
      .describe('flaky tests that count for nothing for a while'),
    testing: group(
      {
        runner: word(...RUNNER_NAMES)
          .default(null, "found in the project's files")
          .describe('the test runner'),
        layers: namedSchema(patterns, 'layers, each with its patterns')
          .default(
            { L2: ['**/*.{integration,int}.*', '**/integration/**'], L3: ['**/*.e2e.*', '**/{e2e,end-to-end}/**'] },
            'integration tests are L2, e2e tests L3',
          )
          .describe('patterns of test files by layer. All other tests are L1'),
      },
      'settings of the test run, such as { runner: vitest }',
    )
      .filled()
      .describe('how Umpire runs the tests'),
    debt: group(
      {
        types: check.describe('the type check. `false` leaves it out, and the report says so'),
        lint: check.describe('the linter. `false` leaves it out, and the report says so'),
        quality: check.describe('the quality check. `false` leaves it out, and the report says so'),
        complexity: wholeFrom(1, 1000).default(15).describe('a function with a higher complexity is a finding'),
      },
      'settings of the validation, such as { complexity: 20 }',
    )
      .filled()
      .describe('how Umpire validates a change'),
    design: group(
      {
        tokens: patterns.default([], 'every token file in the project').describe('patterns of token files'),
        industry: word('standard', 'strict').default('standard').describe('`strict` as for healthcare and finance'),
        pairs: listOf(pair)
          .called('a list of pairs of colours')
          .default([], 'inferred from names')
          .describe('colours that are used together'),
        grid: positiveNumber(64).default(4).describe('spacing must be a multiple of this many pixels'),
      },
      'settings of the audit, such as { industry: strict }',
    )
      .filled()
      .describe('how Umpire audits design tokens'),
    review: group(
      {
        reports: patterns.default(['**/*.sarif'], '`**/*.sarif`').describe('patterns of reports that the review reads beside its linters'),
      },
      'settings of the review, such as { reports: ["*.sarif"] }',
    )
      .filled()
      .describe('which reports the review reads'),
  },
  'settings of the critics, such as { testing: { runner: vitest } }',
);
/** The critics that Umpire runs itself. */
export type CriticSettings = Infer<typeof critics>;

const allowance = group(
  {
    rule: word(...Object.keys(RULE_GROUPS), ...new Set(Object.values(RULE_GROUPS))).describe('a rule of the guard, or a group of rules'),
    path: inside.describe('a pattern of files'),
    test: name('the titles of a test, joined by " > "').default(null, 'every test').describe('one test, by its titles joined by ` > `'),
    reason: name('why it is accepted, in a few words').describe('why it is accepted'),
    until: day.describe('the last day of the allowance, as YYYY-MM-DD'),
  },
  'an allowance, such as { rule: rebaselined, path: "test/**", reason: "...", until: 2026-06-30 }',
);

const scope = word('testing', 'any');
const breaches = word('obey', 'tell', 'off');
const loopGuardFields = group(
  {
    breaches: breaches.optional('by loop').describe('`obey` reverts breaches before a merge, `tell` reports them, `off` does not look'),
    scope: scope.optional('by loop').describe('`testing` lets only tests change, `any` source too'),
  },
  'settings of the guard in a loop',
);
const loopGuard: Schema<Partial<LoopGuard>, unknown> = either(
  breaches.map((level) => ({ breaches: level })),
  loopGuardFields,
).called('obey, tell, off, or both settings, such as { breaches: obey, scope: testing }');
/** The guard in runs of one loop. */
export type LoopGuard = Required<Infer<typeof loopGuardFields>>;

const guard = group(
  {
    /** Null if not set. */
    scope: scope.default(null, 'any').describe('what `umpire guard` lets change without a flag: only tests, or source too'),
    allowances: listOf(allowance).called('a list of allowances').default([]).describe('findings that are accepted for a while'),
    loops: namedSchema(loopGuard, 'loops, each with obey, tell or off')
      .default({}, '`testing` and `until` obey, `debt` and `review` tell, others off')
      .describe('what the guard does in runs, by loop'),
  },
  'settings of the guard, such as { scope: testing }',
);
export type GuardSettings = Infer<typeof guard>;

const sandbox = either(
  flag.map((isOn) => ({ isOn, write: [] as readonly string[] })),
  group(
    {
      write: listOf(name('a path, such as ~/.my-agent'))
        .called('a list of paths')
        .default([])
        .describe('further folders that programs may write to'),
    },
    'where programs may write',
  ).map(({ write }) => ({ isOn: true, write })),
).called('true, false, or where programs may write, such as { write: [~/.my-agent] }');

type ProjectValues = SettingValues<typeof PROJECT_SETTINGS>;

const options = Object.fromEntries(
  Object.entries(PROJECT_SETTINGS).map(([key, row]: readonly [string, Option]) => {
    const { usual = null, usualWords } = row.setting ?? {};
    return [key, optionSchema(row).default(usual, usualWords).describe(row.help)];
  }),
) as unknown as { readonly [Name in keyof ProjectValues]: Schema<ProjectValues[Name], unknown, 'defaulted'> };

export const SETTINGS = group(
  {
    agents: namedSchema(agent, 'names, each with its agent').default({}).describe('agents of your own, by name'),
    roles: namedSchema(agentNames, 'roles, each with the name of its agent')
      .default({}, '`agent`')
      .describe('the agent of a role. In a list, the next one takes over while the plan of the one before is used up'),
    agent: agentNames.default([], 'none').describe('the agent of every other role, or a list as above'),
    stronger: group(
      {
        agent: agentName.describe('the agent'),
        fromRound: wholeFrom(1, HIGHEST_CAP).default(2).describe('the first round in which it works'),
      },
      'an agent and a round, such as { agent: strong, from_round: 3 }',
    )
      .default(null)
      .describe("another agent for the loop's generator in late rounds"),
    askAboveRuns: wholeFrom(1, 100_000).default(20).describe('ask before a session that may need more agent runs than this'),
    /** Null: this machine. */
    engine: name('the URL of an engine')
      .default(null, 'this machine')
      .describe('the engine on which sessions start, such as `postgres://host/database` (docs/fleet.md)'),
    ...options,
    sandbox: sandbox.default({ isOn: false, write: [] }, 'false').describe('let programs write only to the folders of their work'),
    notify: either(command, notifyWays)
      .called('a command, or ways such as { slack: SLACK_URL, desktop: true }')
      .default(null)
      .describe('how a person is called when one is needed: a command, or the ways below'),
    notifyAtEnd: flag.default(false).describe('run `notify` at the end of a session too'),
    testing: group(
      {
        targets: namedSchema(numberFrom(0, 100), 'layers, each with its target in percent')
          .default({}, "the loop's target")
          .describe('the coverage target of a layer, as in { L1: 90, L2: 70 }'),
      },
      'settings of the testing loop, such as { targets: { L1: 90 } }',
    )
      .filled()
      .describe('the testing loop'),
    critics: critics.filled().describe('the critics that Umpire runs itself'),
    guard: guard.filled().describe('what the guard accepts, and what it does in runs'),
    workspace: group(
      {
        home: name('the path of a folder').default(null, '`~/umpire-worktrees`').describe('the folder for worktrees'),
        link: paths
          .default([])
          .describe('paths that every worktree shares with the project, beside `node_modules` and Python environments'),
        copy: paths.default([]).describe('untracked files that every worktree gets a copy of, such as `.env`'),
        setup: shellCommand
          .called('a command for the shell, such as "npm ci"')
          .default(null)
          .describe('a shell command that prepares every new worktree'),
      },
      'settings of the workspace, such as { setup: "npm ci" }',
    )
      .filled()
      .describe('the worktrees of agents'),
  },
  'a list of settings, such as "strict: true"',
);

export interface Settings extends Omit<Infer<typeof SETTINGS>, 'roles' | 'agent' | 'sandbox'> {
  /** The agent of a role, by name. */
  readonly roles: Readonly<Record<string, string>>;
  /** The agent of every other role. */
  readonly agent: string | null;
  /** By role, or `*`: agents that take over while the plan of the one before is used up. */
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly sandbox: boolean;
  /** Further folders that programs in the sandbox may write to: absolute, from the home folder (`~/`), or from the project. */
  readonly sandboxWrite: readonly string[];
  /** Names of agents in the project's settings that do not count, since nobody trusted them. */
  readonly untrustedAgents: readonly string[];
}

/** Settings as they were read, with every default. */
export function completeSettings(read: unknown): Settings {
  const {
    roles,
    agent: all,
    sandbox: { isOn, write },
    ...rest
  } = fillDefaults(SETTINGS, read);
  const [first = null, ...others] = all;
  const fallbacks = Object.entries(roles).map(([role, [, ...next]]) => [role, next] as const);
  return {
    ...rest,
    roles: Object.fromEntries(Object.entries(roles).map(([role, [one = '']]) => [role, one])),
    agent: first,
    fallbacks: Object.fromEntries([...fallbacks, ['*', others] as const].filter(([, next]) => next.length > 0)),
    sandbox: isOn,
    sandboxWrite: write,
    untrustedAgents: [],
  };
}

export const DEFAULT_SETTINGS: Settings = completeSettings({});
