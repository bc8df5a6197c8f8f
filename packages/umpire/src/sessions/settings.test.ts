// umpire.config.yaml: the example of its page, every default, and what each mistake is told with its line.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUmpireError } from '@umpire/core/errors.js';
import { DEFAULT_SETTINGS } from './default-settings.js';
import type { Settings } from './default-settings.js';
import { SETTING_ROWS } from '../report/settings-table.js';
import { parseSettings } from './settings.js';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'settings.md'), 'utf8');
const [, example = ''] = /^```yaml umpire\.config\.yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];

function check(text: string, expected: Partial<Settings>): void {
  expect(parseSettings(text, 'x.yaml')).toEqual({ ...DEFAULT_SETTINGS, ...expected });
}

function complaintOf(text: string): string {
  try {
    parseSettings(text, 'x.yaml');
  } catch (error) {
    if (isUmpireError(error) && error.code === 'config-invalid') return error.message;
    throw error;
  }
  return 'accepted';
}

it('fills in every default', () => {
  for (const text of ['', '# nothing\n', '{}', '---\n']) check(text, {});
  expect(DEFAULT_SETTINGS).toEqual({
    strict: false,
    agents: {},
    roles: {},
    agent: null,
    concurrency: 3,
    maxRounds: null,
    maxMinutes: null,
    maxCostUsd: null,
    maxTokens: null,
    stopWhenStalled: false,
    sandbox: { isOn: false, write: [] },
    notify: null,
    notifyAtEnd: false,
    timeoutMinutes: 30,
    retries: 4,
    critics: {
      timeoutMinutes: 20,
      testing: {
        runner: null,
        layers: { L2: ['**/*.{integration,int}.*', '**/integration/**'], L3: ['**/*.e2e.*', '**/{e2e,end-to-end}/**'] },
      },
      debt: { reruns: 3, checks: {}, complexity: 15 },
      design: { tokens: [], industry: 'standard', pairs: [], grid: 4 },
      review: { reports: ['**/*.sarif'] },
    },
    guard: { scope: null, allowances: [], loops: {} },
    workspace: { home: null, link: [], copy: [], setup: null },
  });
});

it('reads the example of its page', () => {
  expect(parseSettings(example, 'umpire.config.yaml')).toEqual({
    strict: true,
    agents: {
      careful: {
        runs: { kind: 'command', command: 'node tools/reviewer.mjs --model large' },
        timeoutMinutes: 60,
        finish: 'SIGINT',
        graceSeconds: 20,
        env: { REVIEW_DEPTH: 'full' },
      },
      exact: { runs: { kind: 'command', command: ['/opt/agents/exact', '--prompt', 'a word with blanks'] }, env: {} },
      talker: { runs: { kind: 'acp', command: 'my-agent --acp' }, allow: ['execute'], env: {} },
      rehearsal: { runs: { kind: 'script', path: 'agents/rehearsal.yaml' }, env: {} },
      me: { runs: { kind: 'person' }, env: {} },
    },
    roles: { reviewer: 'careful', planner: 'me' },
    agent: 'claude',
    concurrency: 4,
    maxRounds: 5,
    maxMinutes: 120,
    maxCostUsd: 7.5,
    maxTokens: 2_000_000,
    stopWhenStalled: true,
    sandbox: { isOn: true, write: ['~/.exact'] },
    notify: 'notify-send "$UMPIRE_SESSION_NAME waits on $UMPIRE_QUESTION"',
    notifyAtEnd: true,
    timeoutMinutes: 45,
    retries: 2,
    critics: {
      timeoutMinutes: 10,
      testing: { runner: 'vitest', layers: { L2: ['test/api/**'], L3: ['e2e/**'] } },
      debt: { reruns: 5, checks: { lint: 'npm run lint', quality: false }, complexity: 12 },
      design: {
        tokens: ['tokens/**/*.json'],
        industry: 'strict',
        pairs: [
          { text: 'color.link', background: 'color.surface', kind: 'text' },
          { text: 'color.icon', background: 'color.surface', kind: 'ui' },
        ],
        grid: 8,
      },
      review: { reports: ['reports/*.sarif'] },
    },
    guard: {
      scope: 'any',
      allowances: [
        { rule: 'rebaselined', path: 'test/prices/**', test: null, reason: 'prices are in cents from version 3 on', until: '2026-06-30' },
        { rule: 'test-skipped', path: 'test/api.test.ts', test: 'api > retries', reason: 'the sandbox is down', until: '2026-04-15' },
      ],
      loops: { until: { breaches: 'tell' }, 'api-docs': { breaches: 'obey', scope: 'testing' } },
    },
    workspace: { home: '../umpire-worktrees', link: ['vendor'], copy: ['.env', 'config/local.json'], setup: 'npm run codegen' },
  });
});

/** The keys that may stand beside a key that is not known, as the complaint lists them. */
function keysBeside(text: string): readonly string[] {
  return /[a-z_]+(?:, [a-z_]+)*$/.exec(complaintOf(text).replace(/\.$/, ''))?.[0].split(', ') ?? [];
}

it('docs/reference/settings.md has every key, and no other', () => {
  const below: Readonly<Record<string, string>> = {
    '': 'zzz: 1',
    'agents.NAME.': 'agents: { a: { zzz: 1 } }',
    'workspace.': 'workspace: { zzz: 1 }',
    'critics.': 'critics: { zzz: 1 }',
    'critics.testing.': 'critics: { testing: { zzz: 1 } }',
    'critics.debt.': 'critics: { debt: { zzz: 1 } }',
    'critics.design.': 'critics: { design: { zzz: 1 } }',
    'critics.design.pairs[].': 'critics: { design: { pairs: [{ zzz: 1 }] } }',
    'critics.review.': 'critics: { review: { zzz: 1 } }',
    'guard.': 'guard: { zzz: 1 }',
    'guard.allowances[].': 'guard: { allowances: [{ zzz: 1 }] }',
    'guard.loops.NAME.': 'guard: { loops: { until: { zzz: 1 } } }',
    'sandbox.': 'sandbox: { zzz: 1 }',
  };
  const known = Object.entries(below).flatMap(([path, text]) => keysBeside(text).map((key) => path + key));
  // A group is in the table by its parts alone; a map by the name of one of its entries.
  const groups = new Set(['workspace', 'critics', 'guard', 'critics.testing', 'critics.debt', 'critics.design', 'critics.review']);
  const maps = new Set(['agents', 'roles', 'guard.loops']);
  const wanted = known.filter((key) => !groups.has(key)).map((key) => (maps.has(key) ? `${key}.NAME` : key));
  expect(SETTING_ROWS.map(({ key }) => key).toSorted()).toEqual(wanted.toSorted());
});

it('docs/reference/settings.md has the defaults', () => {
  const { concurrency, timeoutMinutes, retries, stopWhenStalled, strict, sandbox, notifyAtEnd, critics } = DEFAULT_SETTINGS;
  const real = { concurrency, timeout_minutes: timeoutMinutes, retries, stop_when_stalled: stopWhenStalled, strict };
  const others = {
    sandbox: sandbox.isOn,
    notify_at_end: notifyAtEnd,
    'critics.timeout_minutes': critics.timeoutMinutes,
    'critics.debt.reruns': critics.debt.reruns,
    'critics.debt.complexity': critics.debt.complexity,
    'critics.design.industry': critics.design.industry,
    'critics.design.grid': critics.design.grid,
    'critics.review.reports': `\`${critics.review.reports.join(', ')}\``,
  };
  const said = new Map(SETTING_ROWS.map(({ key, standard }) => [key, standard]));
  for (const [key, value] of Object.entries({ ...real, ...others })) expect([key, said.get(key)]).toEqual([key, String(value)]);
});

describe('agents', () => {
  it('changes one that comes with Umpire, where it names no program', () => {
    check('agents: { claude: { timeout_minutes: 0.5, finish: none } }', {
      agents: { claude: { runs: { kind: 'preset' }, timeoutMinutes: 0.5, finish: null, env: {} } },
    });
  });

  it('takes what an agent over ACP may do, and words for it as a list', () => {
    check('agents: { a: { acp: [my-agent, "--acp"], allow: [execute, fetch, other] }, claude-acp: { allow: [] } }', {
      agents: {
        a: { runs: { kind: 'acp', command: ['my-agent', '--acp'] }, allow: ['execute', 'fetch', 'other'], env: {} },
        'claude-acp': { runs: { kind: 'preset' }, allow: [], env: {} },
      },
    });
  });

  it('takes numbers in an environment, and empty texts', () => {
    check('agents: { a: { command: x, env: { PORT: 80, DEBUG: true, EMPTY: "" } } }', {
      agents: { a: { runs: { kind: 'command', command: 'x' }, env: { PORT: '80', DEBUG: 'true', EMPTY: '' } } },
    });
  });
});

it('reads a sandbox that is on, off, or has places of its own', () => {
  check('sandbox: true', { sandbox: { isOn: true, write: [] } });
  check('sandbox: false', { sandbox: { isOn: false, write: [] } });
  check('sandbox: { write: [~/.a, /opt/b] }', { sandbox: { isOn: true, write: ['~/.a', '/opt/b'] } });
});

it('leaves keys of one’s own alone: parts that others repeat', () => {
  check('x-on: &on true\nstrict: *on\n', { strict: true });
});

describe('mistakes', () => {
  it.each([
    ['agents: { a: { acp: x, command: y } }', ':1: agents.a.acp: an agent is either command or acp; remove all but one'],
    [
      'agents: { a: { acp: x, finish: none } }',
      ':1: agents.a.finish: an agent over ACP is asked to finish by the protocol, not by a signal; remove it',
    ],
    ['agents: { a: { command: x, allow: [execute] } }', ':1: agents.a.allow: only an agent over ACP asks what it may do; remove it'],
    ['agents: { a: { acp: x, allow: [edit] } }', ':1: agents.a.allow.0: it must be one of execute, fetch, other, not "edit"'],
    ['strict: maybe', ':1: strict: it must be true or false, not "maybe"'],
    [
      'critics: { testing: { runner: karma } }',
      ':1: critics.testing.runner: it must be one of vitest, jest, mocha, node, pytest, not "karma"',
    ],
    ['critics: { design: { pairs: [{ text: a }] } }', ':1: critics.design.pairs.0: a pair of colours needs both text and background'],
    [
      'critics: { debt: { lint: true } }',
      ':1: critics.debt.lint: it must be a command such as "node my-agent.mjs", or the list of its words, not true',
    ],
    [
      'sandbox: yes please',
      ':1: sandbox: it must be true, false, or where programs may write, such as { write: [~/.my-agent] }, not "yes please"',
    ],
    ['sandbox: { write: ~/.a }', ':1: sandbox.write: it must be a list of paths, not "~/.a"'],
    ['strict:', ':1: strict: it must be true or false, and is empty'],
    ['\n\nconcurency: 3', ':3: concurency: this key is not known here; did you mean "concurrency"?'],
    [
      'strict: true\ncritics:\n  tests:\n    runner: vitest',
      ':3: critics.tests: this key is not known here; there are timeout_minutes, testing, debt, design, review',
    ],
    ['max-rounds: 3', ':1: max-rounds: this key is not known here; did you mean "max_rounds"?'],
    ['maxRounds: 3', ':1: maxRounds: this key is not known here; did you mean "max_rounds"?'],
    ['strict: true\nmax_cost: 5', ':2: max_cost: this key is not known here; did you mean "max_cost_usd"?'],
    ['rounds: 2', ':1: rounds: this key is not known here; did you mean "max_rounds"?'],
    [
      'max: 3',
      ':1: max: this key is not known here; there are strict, agents, roles, agent, concurrency, max_rounds, max_minutes, max_cost_usd, ' +
        'max_tokens, stop_when_stalled, sandbox, notify, notify_at_end, timeout_minutes, retries, critics, guard, workspace',
    ],
    ['agnets: {}', ':1: agnets: this key is not known here; did you mean "agents"?'],
    ['role: {}', ':1: role: this key is not known here; did you mean "roles"?'],
    ['concurrency: 0', ':1: concurrency: it must be a whole number from 1 to 256, not 0'],
    ['concurrency: "3"', ':1: concurrency: it must be a whole number from 1 to 256, not "3"'],
    ['concurrency: 2.5', ':1: concurrency: it must be a whole number from 1 to 256, not 2.5'],
    ['max_rounds: 101', ':1: max_rounds: it must be a whole number from 1 to 100, not 101'],
    ['max_cost_usd: -1', ':1: max_cost_usd: it must be a number above 0, at most 1000000, not -1'],
    ['max_minutes: .nan', ':1: max_minutes: it must be a number above 0, at most 525600, not null'],
    ['agent: [a]', ':1: agent: it must be the name of an agent, such as claude, not ["a"]'],
    ['notify: []', ':1: notify: it must be a command such as "node my-agent.mjs", or the list of its words, not []'],
    ['notify: [""]', ':1: notify: it must be a command such as "node my-agent.mjs", or the list of its words, not [""]'],
    ['notify: ["\\0"]', ':1: notify: it must be a command such as "node my-agent.mjs", or the list of its words, not ["\\u0000"]'],
    ['roles: { reviewer: 3 }', ':1: roles.reviewer: it must be the name of an agent, such as claude, not 3'],
    ['roles: { "a b": c }', ':1: roles.a b: this name is not allowed: a letter, then letters, digits, _ . or -'],
    ['agents: [a]', ':1: agents: it must be names, each with its agent, not ["a"]'],
    ['agents:\n  a: node x.mjs', ':2: agents.a: it must be an agent, such as { command: "node my-agent.mjs" }, not "node x.mjs"'],
    ['agents: { a: {} }', ':1: agents.a: it is empty; give it a command, a script, or person: true'],
    ['agents: { a: { person: false } }', ':1: agents.a.person: it must be true, or left out, not false'],
    ['agents: { a: { comand: x } }', ':1: agents.a.comand: this key is not known here; did you mean "command"?'],
    ['agents:\n  a:\n    command: x\n    script: y', ':4: agents.a.script: an agent is either command or script; remove all but one'],
    ['agents: { a: { command: x, finish: SIGKILL } }', ':1: agents.a.finish: it must be one of SIGINT, SIGTERM, none, not "SIGKILL"'],
    [
      'agents: { a: { command: x, env: { UMPIRE_X: 1 } } }',
      ':1: agents.a.env.UMPIRE_X: this name is not allowed: letters, digits and _, and not UMPIRE_, which Umpire sets itself',
    ],
    ['agents: { a: { command: x, env: { A: [1] } } }', ':1: agents.a.env.A: it must be a text or a number'],
    ['workspace: { link: [/etc] }', ':1: workspace.link.0: it must be a path inside the project, without "..", not "/etc"'],
    ['workspace: { copy: [a, ../b] }', ':1: workspace.copy.1: it must be a path inside the project, without "..", not "../b"'],
    ['workspace: { copy: "C:\\\\x" }', ':1: workspace.copy: it must be a list of paths, not "C:\\\\x"'],
    ['workspace: { links: [a] }', ':1: workspace.links: this key is not known here; did you mean "link"?'],
    ['workspace: { where: a }', ':1: workspace.where: this key is not known here; there are home, link, copy, setup'],
    ['- a', ':1: it must be a list of settings, such as "strict: true", not ["a"]'],
    ['strict: true\nstrict: false', ':2: Map keys must be unique'],
    ['__proto__: { strict: true }', ':1: "__proto__" is not allowed as a name'],
  ])('%s', (text, expected) => {
    expect(complaintOf(text)).toBe(`x.yaml${expected}${expected.endsWith('?') ? '' : '.'}`);
  });

  it('names the line of broken YAML, and refuses aliases without end', () => {
    expect(complaintOf('strict: true\n  bad: [\n')).toMatch(/^x\.yaml:\d+: /);
    const bomb = [
      'a: &a [1]',
      ...Array.from(
        { length: 12 },
        (_, at) =>
          `b${at}: &b${at} [${Array(9)
            .fill(at === 0 ? '*a' : `*b${at - 1}`)
            .join(',')}]`,
      ),
    ];
    expect(complaintOf(bomb.join('\n'))).toMatch(/its aliases expand to too much data/);
    expect(complaintOf('agent: claude\nnotify: *bell\n')).toMatch(/:2: unknown alias \*bell: there is no &bell before it\./);
  });
});

describe('the guard', () => {
  const allowing = (more: string) => `guard:\n  allowances:\n    - { rule: marks, path: "a/**", reason: r, until: 2026-06-30${more} }`;

  it('takes an allowance only whole: a rule, a place, a reason and a last day', () => {
    check(allowing(''), {
      guard: {
        ...DEFAULT_SETTINGS.guard,
        allowances: [{ rule: 'marks', path: 'a/**', test: null, reason: 'r', until: '2026-06-30' }],
      },
    });
    for (const key of ['rule: marks, ', 'path: "a/**", ', 'reason: r, ', ', until: 2026-06-30'])
      expect(complaintOf(allowing('').replace(key, ''))).toBe(
        `x.yaml:3: guard.allowances.0: an allowance needs ${/\w+/.exec(key)?.[0] ?? ''}: it says what is accepted, where, why and until when.`,
      );
  });

  it('takes a word for a loop, or one setting of it', () => {
    check('guard: { loops: { until: off, review: obey, mine: { scope: testing } } }', {
      guard: {
        ...DEFAULT_SETTINGS.guard,
        loops: { until: { breaches: 'off' }, review: { breaches: 'obey' }, mine: { scope: 'testing' } },
      },
    });
    expect(complaintOf('guard: { loops: { until: no } }')).toBe(
      'x.yaml:1: guard.loops.until: it must be one of obey, tell, off, not "no".',
    );
    expect(complaintOf('guard: { loops: { until: false } }')).toContain('guard.loops.until: it must be obey, tell, off, or');
    expect(complaintOf('guard: { loops: { until: { breach: obey } } }')).toContain('did you mean "breaches"?');
    expect(complaintOf('guard: { loops: { until: { scope: all } } }')).toContain('one of testing, any, not "all"');
    expect(complaintOf('guard: { loops: { "a b": obey } }')).toContain('this name is not allowed');
  });

  it('says what is allowed', () => {
    expect(complaintOf('guard: { scope: all }')).toBe('x.yaml:1: guard.scope: it must be one of testing, any, not "all".');
    expect(complaintOf('guard: { allowance: [] }')).toContain('did you mean "allowances"?');
    expect(complaintOf(allowing('').replace('marks', 'test-skiped'))).toContain(
      'guard.allowances.0.rule: it must be one of source-changed',
    );
    expect(complaintOf(allowing('').replace('reason: r', 'reason: " "'))).toContain('why it is accepted, in a few words');
    for (const day of ['2026-02-30', '30.6.2026', '20260630', 'never'])
      expect(complaintOf(allowing('').replace('2026-06-30', `"${day}"`))).toContain(`it must be a day such as 2026-06-30, not "${day}"`);
    expect(complaintOf(allowing(', path: ../x').replace('path: "a/**", ', ''))).toContain('a path inside the project');
  });
});
