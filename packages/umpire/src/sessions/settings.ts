// The project's settings: umpire.config.yaml to one typed object with every default filled in. The only reader of that
// file; docs/settings.md is its page. Loaded late: most verdicts have no such file.

import { HIGHEST_CAP } from '@umpire/core/decider/events.js';
import { MOST_RETRIES } from '@umpire/core/decider/retry-delay.js';
import { UmpireError } from '@umpire/core/errors.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import type { GuardAllowance } from '@umpire/guard/allowances.js';
import { GUARD_RULES } from '@umpire/guard/finding.js';
import { ALLOWABLE, DEFAULT_SETTINGS } from './default-settings.js';
import type { AgentSettings, ColourPair, CommandLine, CriticSettings, LoopGuard, Settings } from './default-settings.js';
import { Misfit, amount, choice, command, day, fieldsOf, flag, inside, listOf, mapOf, onlyTrue, text, whole } from './settings-fields.js';
import type { Path, Read, Rule } from './settings-fields.js';

const DAY_MINUTES = 1440;
const name = /^[A-Za-z][\w.-]{0,60}$/;
const nameIs = 'a letter, then letters, digits, _ . or -';
const agentName = text('the name of an agent, such as claude');

const agentFields = fieldsOf(
  {
    command,
    acp: command,
    script: text('the path of a scripted agent, such as agents/dry-run.yaml'),
    person: onlyTrue,
    timeout_minutes: amount(DAY_MINUTES),
    finish: choice(['SIGINT', 'SIGTERM', 'none']),
    grace_seconds: amount(600),
    allow: listOf(choice(ALLOWABLE), `a list of kinds, such as [${ALLOWABLE.join(', ')}]`),
    env: mapOf(
      envValue,
      'names with their values',
      /^(?!UMPIRE_)[A-Za-z_]\w*$/,
      'letters, digits and _, and not UMPIRE_, which Umpire sets itself',
    ),
  },
  'an agent, such as { command: "node my-agent.mjs" }',
);

function envValue(value: unknown, path: Path): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && !value.includes('\0')) return value;
  throw new Misfit(path, 'it must be a text or a number');
}

const agent: Rule<AgentSettings> = (value, path) => {
  const read = agentFields(value, path);
  const kinds = (['command', 'acp', 'script', 'person'] as const).filter((key) => read[key] !== undefined);
  if (kinds.length > 1) throw new Misfit([...path, kinds[1] as string], `an agent is either ${kinds.join(' or ')}; remove all but one`);
  if (Object.keys(read).length === 0) throw new Misfit(path, 'it is empty; give it a command, a script, or person: true');
  const [kind] = kinds;
  if (kind === 'acp' && read.finish !== undefined)
    throw new Misfit([...path, 'finish'], 'an agent over ACP is asked to finish by the protocol, not by a signal; remove it');
  if (kind !== undefined && kind !== 'acp' && read.allow !== undefined)
    throw new Misfit([...path, 'allow'], 'only an agent over ACP asks what it may do; remove it');
  const { timeout_minutes: timeoutMinutes, finish, grace_seconds: graceSeconds, allow } = read;
  return {
    runs: runsOf(read),
    ...(timeoutMinutes === undefined ? {} : { timeoutMinutes }),
    ...(finish === undefined ? {} : { finish: finish === 'none' ? null : finish }),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
    ...(allow === undefined ? {} : { allow }),
    env: read.env ?? {},
  };
};

function runsOf(read: ReturnType<typeof agentFields>): AgentSettings['runs'] {
  if (read.command !== undefined) return { kind: 'command', command: read.command };
  if (read.acp !== undefined) return { kind: 'acp', command: read.acp };
  if (read.script !== undefined) return { kind: 'script', path: read.script };
  return { kind: read.person === true ? 'person' : 'preset' };
}

const patterns = listOf(inside, 'a list of patterns, such as ["test/**"]');

/** A command, or false: the check is left out. */
const check: Rule<CommandLine | false> = (value, path) => (value === false ? false : command(value, path));

const pairFields = fieldsOf(
  { text: text('the path of a token'), background: text('the path of a token'), kind: choice(['text', 'large', 'ui']) },
  'a pair of colours, such as { text: color.text, background: color.surface }',
);

const pair: Rule<ColourPair> = (value, path) => {
  const { text: front, background, kind } = pairFields(value, path);
  if (front === undefined || background === undefined) throw new Misfit(path, 'a pair of colours needs both text and background');
  return { text: front, background, kind: kind ?? 'text' };
};

const criticFields = fieldsOf(
  {
    timeout_minutes: amount(DAY_MINUTES),
    testing: fieldsOf(
      {
        runner: choice(['vitest', 'jest', 'mocha', 'node', 'pytest']),
        layers: mapOf(patterns, 'layers, each with its patterns', name, nameIs),
      },
      'settings of the test run, such as { runner: vitest }',
    ),
    debt: fieldsOf(
      {
        reruns: whole(0, 20),
        types: check,
        lint: check,
        quality: check,
        complexity: whole(1, 1000),
      },
      'settings of the validation, such as { reruns: 3 }',
    ),
    design: fieldsOf(
      {
        tokens: patterns,
        industry: choice(['standard', 'strict']),
        pairs: listOf(pair, 'a list of pairs of colours'),
        grid: amount(64),
      },
      'settings of the audit, such as { industry: strict }',
    ),
    review: fieldsOf({ reports: patterns }, 'settings of the review, such as { reports: ["*.sarif"] }'),
  },
  'settings of the critics, such as { testing: { runner: vitest } }',
);

const allowanceFields = fieldsOf(
  {
    rule: choice([...Object.keys(GUARD_RULES), ...new Set(Object.values(GUARD_RULES).map(({ group }) => group))]),
    path: inside,
    test: text('the titles of a test, joined by " > "'),
    reason: text('why it is accepted, in a few words'),
    until: day,
  },
  'an allowance, such as { rule: rebaselined, path: "test/**", reason: "...", until: 2026-06-30 }',
);

const allowance: Rule<GuardAllowance> = (value, path) => {
  const { rule, path: where, test, reason, until } = allowanceFields(value, path);
  const missing = Object.entries({ rule, path: where, reason, until }).find(([, one]) => one === undefined)?.[0];
  if (missing !== undefined) throw new Misfit(path, `an allowance needs ${missing}: it says what is accepted, where, why and until when`);
  return { rule: rule ?? '', path: where ?? '', test: test ?? null, reason: reason ?? '', until: until ?? '' };
};

const scope = choice(['testing', 'any']);
const breaches = choice(['obey', 'tell', 'off']);
const loopFields = fieldsOf({ breaches, scope }, 'obey, tell, off, or both settings, such as { breaches: obey, scope: testing }');

/** Mostly one word. */
const loopGuard: Rule<Partial<LoopGuard>> = (value, path) => {
  if (typeof value === 'string') return { breaches: breaches(value, path) };
  const { breaches: manner, scope: where } = loopFields(value, path);
  return { ...(manner === undefined ? {} : { breaches: manner }), ...(where === undefined ? {} : { scope: where }) };
};

const guardFields = fieldsOf(
  {
    scope,
    allowances: listOf(allowance, 'a list of allowances'),
    loops: mapOf(loopGuard, 'loops, each with obey, tell or off', name, nameIs),
  },
  'settings of the guard, such as { scope: any }',
);

const sandboxFields = fieldsOf(
  { write: listOf(text('a path, such as ~/.my-agent'), 'a list of paths') },
  'true, false, or where programs may write, such as { write: [~/.my-agent] }',
);

const sandbox: Rule<Settings['sandbox']> = (value, path) =>
  typeof value === 'boolean' ? { isOn: value, write: [] } : { isOn: true, write: sandboxFields(value, path).write ?? [] };

const FIELDS = {
  strict: flag,
  agents: mapOf(agent, 'names, each with its agent', name, nameIs),
  roles: mapOf(agentName, 'roles, each with the name of its agent', name, nameIs),
  agent: agentName,
  concurrency: whole(1, 256),
  max_rounds: whole(1, HIGHEST_CAP),
  max_minutes: amount(525_600),
  max_cost_usd: amount(1_000_000),
  max_tokens: whole(1, Number.MAX_SAFE_INTEGER),
  stop_when_stalled: flag,
  sandbox,
  notify: command,
  notify_at_end: flag,
  timeout_minutes: amount(DAY_MINUTES),
  retries: whole(0, MOST_RETRIES),
  critics: criticFields,
  guard: guardFields,
  workspace: fieldsOf(
    {
      home: text('the path of a folder'),
      link: listOf(inside, 'a list of paths'),
      copy: listOf(inside, 'a list of paths'),
      setup: text('a command for the shell, such as "npm ci"'),
    },
    'settings of the workspace, such as { setup: "npm ci" }',
  ),
};

/** What begins so is a person's own: parts that the settings below repeat, for example. */
const OWN_KEYS = /^x-/;

const settingsFields = fieldsOf(FIELDS, 'a list of settings, such as "strict: true"', OWN_KEYS);

/** Throws `config-invalid` with the line and what is allowed there. */
export function parseSettings(source: string, file: string): Settings {
  const yaml = readYaml(source);
  if (!yaml.ok) throw invalid(file, yaml.line, yaml.problem);
  try {
    return withDefaults(settingsFields(yaml.value ?? {}, []));
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const where = error.path.join('.');
    throw invalid(file, yaml.lineOf(error.path), where === '' ? error.problem : `${where}: ${error.problem}`);
  }
}

/** Where a setting stands, as `:LINE`. */
export function lineOfSetting(source: string, path: Path): string {
  const yaml = readYaml(source);
  const line = yaml.ok ? yaml.lineOf(path) : null;
  return line === null ? '' : `:${line}`;
}

function withDefaults(read: Read<typeof FIELDS>): Settings {
  const usual = DEFAULT_SETTINGS;
  const { home, link, copy, setup } = read.workspace ?? {};
  return {
    strict: read.strict ?? usual.strict,
    agents: read.agents ?? usual.agents,
    roles: read.roles ?? usual.roles,
    agent: read.agent ?? usual.agent,
    concurrency: read.concurrency ?? usual.concurrency,
    maxRounds: read.max_rounds ?? usual.maxRounds,
    maxMinutes: read.max_minutes ?? usual.maxMinutes,
    maxCostUsd: read.max_cost_usd ?? usual.maxCostUsd,
    maxTokens: read.max_tokens ?? usual.maxTokens,
    stopWhenStalled: read.stop_when_stalled ?? usual.stopWhenStalled,
    sandbox: read.sandbox ?? usual.sandbox,
    notify: read.notify ?? usual.notify,
    notifyAtEnd: read.notify_at_end ?? usual.notifyAtEnd,
    timeoutMinutes: read.timeout_minutes ?? usual.timeoutMinutes,
    retries: read.retries ?? usual.retries,
    critics: criticsOf(read.critics ?? {}),
    guard: { ...usual.guard, ...read.guard },
    workspace: {
      home: home ?? usual.workspace.home,
      link: link ?? usual.workspace.link,
      copy: copy ?? usual.workspace.copy,
      setup: setup ?? usual.workspace.setup,
    },
  };
}

function criticsOf({ timeout_minutes, testing, debt, design, review }: ReturnType<typeof criticFields>): CriticSettings {
  const usual = DEFAULT_SETTINGS.critics;
  const { types, lint, quality } = debt ?? {};
  const given = Object.entries({ types, lint, quality }).filter(([, value]) => value !== undefined);
  return {
    timeoutMinutes: timeout_minutes ?? usual.timeoutMinutes,
    testing: { runner: testing?.runner ?? usual.testing.runner, layers: testing?.layers ?? usual.testing.layers },
    debt: {
      reruns: debt?.reruns ?? usual.debt.reruns,
      checks: Object.fromEntries(given),
      complexity: debt?.complexity ?? usual.debt.complexity,
    },
    design: {
      tokens: design?.tokens ?? usual.design.tokens,
      industry: design?.industry ?? usual.design.industry,
      pairs: design?.pairs ?? usual.design.pairs,
      grid: design?.grid ?? usual.design.grid,
    },
    review: { reports: review?.reports ?? usual.review.reports },
  };
}

function invalid(file: string, line: number | null, detail: string): UmpireError {
  return new UmpireError('config-invalid', { file, line: line === null ? '' : `:${line}`, detail });
}
