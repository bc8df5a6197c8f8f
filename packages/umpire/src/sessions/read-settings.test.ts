// umpire.config.yaml: the example of its page, every default, and what each mistake is told with its line.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { DEFAULT_SETTINGS, SETTINGS, RUNNER_NAMES } from './settings.js';
import type { Settings } from './settings.js';
import { listFields } from '@umpire/core/model/schema-pages.js';
import { combineSettings, listSettings, parseSettings } from './read-settings.js';

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
    untrustedAgents: [],
    roles: {},
    agent: null,
    fallbacks: {},
    stronger: null,
    waitForLimits: false,
    askAboveRuns: 20,
    engine: null,
    concurrency: 3,
    maxRounds: null,
    maxMinutes: null,
    maxCostUsd: null,
    maxTokens: null,
    stopWhenStalled: false,
    sandbox: false,
    sandboxWrite: [],
    notify: null,
    notifyAtEnd: false,
    timeoutMinutes: 30,
    retries: 4,
    testing: { targets: {} },
    critics: {
      timeoutMinutes: 20,
      tests: null,
      coverage: null,
      packages: {},
      quarantine: [],
      testing: {
        runner: null,
        layers: { L2: ['**/*.{integration,int}.*', '**/integration/**'], L3: ['**/*.e2e.*', '**/{e2e,end-to-end}/**'] },
      },
      debt: { complexity: 15 },
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
    untrustedAgents: [],
    roles: { reviewer: 'careful', planner: 'me' },
    agent: 'claude',
    fallbacks: {},
    stronger: null,
    waitForLimits: false,
    askAboveRuns: 20,
    engine: null,
    concurrency: 4,
    maxRounds: 5,
    maxMinutes: 120,
    maxCostUsd: 7.5,
    maxTokens: 2_000_000,
    stopWhenStalled: true,
    sandbox: true,
    sandboxWrite: ['~/.exact'],
    notify: 'notify-send "$UMPIRE_SESSION_NAME waits on $UMPIRE_QUESTION"',
    notifyAtEnd: true,
    timeoutMinutes: 45,
    retries: 2,
    testing: { targets: {} },
    critics: {
      timeoutMinutes: 10,
      tests: null,
      coverage: null,
      packages: {},
      quarantine: [],
      testing: { runner: 'vitest', layers: { L2: ['test/api/**'], L3: ['e2e/**'] } },
      debt: { lint: 'npm run lint', quality: false, complexity: 12 },
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
      scope: 'testing',
      allowances: [
        { rule: 'rebaselined', path: 'test/prices/**', test: null, reason: 'prices are in cents from version 3 on', until: '2026-06-30' },
        { rule: 'test-skipped', path: 'test/api.test.ts', test: 'api > retries', reason: 'the sandbox is down', until: '2026-04-15' },
      ],
      loops: { until: { breaches: 'tell' }, 'api-docs': { breaches: 'obey', scope: 'testing' } },
    },
    workspace: { home: '../umpire-worktrees', link: ['vendor'], copy: ['.env', 'config/local.json'], setup: 'npm run codegen' },
  });
});

it('takes several ways to call a person, and shows no address of theirs', () => {
  const source = 'notify: { slack: "https://hooks.slack.com/services/hunter2", webhook: HOOK_URL, desktop: true, command: [bell] }';
  const { notify } = parseSettings(source, 'umpire.config.yaml');
  expect(notify).toEqual({ slack: 'https://hooks.slack.com/services/hunter2', webhook: 'HOOK_URL', desktop: true, command: ['bell'] });
  expect(listSettings({ source, file: 'umpire.config.yaml' })).toEqual([
    { name: 'notify.slack', value: 'https://hooks.slack.com/...' },
    { name: 'notify.webhook', value: 'HOOK_URL' },
    { name: 'notify.desktop', value: 'true' },
    { name: 'notify.command', value: '["bell"]' },
  ]);
});

it('lists every setting with its type, default and description', () => {
  const fields = listFields(SETTINGS);
  expect(fields.filter((field) => Object.values(field).includes(''))).toEqual([]);
  expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  expect(fields.find(({ name }) => name === 'critics.debt.complexity')).toEqual({
    name: 'critics.debt.complexity',
    type: 'a whole number from 1 to 1000',
    default: '15',
    description: 'a function with a higher complexity is a finding',
  });
  const nested = [
    'agents.<name>.command',
    'guard.allowances[].until',
    'guard.loops.<name>.scope',
    'critics.design.pairs[].kind',
    'sandbox.write',
  ];
  expect(nested.filter((name) => !fields.some((field) => field.name === name))).toEqual([]);
});

describe('agents', () => {
  it('changes one that comes with Umpire, where it names no program', () => {
    check('agents: { claude: { timeout_minutes: 0.5, finish: none } }', {
      agents: { claude: { runs: { kind: 'preset' }, timeoutMinutes: 0.5, finish: null, env: {} } },
    });
    check('agents: { strong: { uses: claude, model: opus, args: [--effort, high] } }', {
      agents: { strong: { runs: { kind: 'preset', uses: 'claude' }, model: 'opus', args: ['--effort', 'high'], env: {} } },
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
  check('sandbox: true', { sandbox: true });
  check('sandbox: false', { sandbox: false });
  check('sandbox: { write: [~/.a, /opt/b] }', { sandbox: true, sandboxWrite: ['~/.a', '/opt/b'] });
});

describe('the command of the tests', () => {
  function critics(text: string): Settings['critics'] {
    return parseSettings(`critics: ${text}`, 'x.yaml').critics;
  }

  it('takes a command with its report, for the project and for packages', () => {
    const read = critics(
      `{ tests: { command: make check, report: out/tests.tap, format: tap, scope: command }, coverage: { report: coverage.xml },
         packages: { packages/core: { tests: { command: go test ./... }, coverage: { command: make cover, report: c.info } }, b: { tests: none } } }`,
    );
    expect(read.tests).toEqual({ command: 'make check', report: 'out/tests.tap', format: 'tap', scope: 'command' });
    expect(read.coverage).toEqual({ report: 'coverage.xml' });
    expect(read.packages).toEqual({
      'packages/core': { tests: { command: 'go test ./...' }, coverage: { command: 'make cover', report: 'c.info' } },
      b: { tests: 'none' },
    });
    expect(critics('{ tests: none }').tests).toBe('none');
    expect(critics('{ tests: { scope: all } }').tests).toEqual({ scope: 'all' });
  });

  it('joins the words of the project with the person’s own', () => {
    const project = { source: 'critics: { tests: { command: make check } }', file: 'x.yaml', isTrusted: true, reserved: [] };
    const { settings } = combineSettings(project, { source: 'critics: { tests: { scope: all } }', file: 'own.yaml' });
    expect(settings.critics.tests).toEqual({ command: 'make check', scope: 'all' });
    // A stranger's command never runs.
    expect(combineSettings({ ...project, isTrusted: false }, null)).toMatchObject({
      settings: { critics: { tests: null } },
      ignored: ['critics.tests'],
    });
  });

  it('lists the formats that it reads', () => {
    const words = complaintOf('critics: { tests: { command: x, format: nunit } }');
    expect(words).toMatch(/^x\.yaml:1: critics\.tests\.format must be one of junit, .*\btap\b.*, not "nunit"\.$/);
    expect(words).not.toContain('lcov');
    expect(complaintOf('critics: { coverage: { report: x, format: tap } }')).toMatch(/ must be one of .*\blcov\b.*, not "tap"\.$/);
  });
});

it('leaves keys of one’s own alone: parts that others repeat', () => {
  check('x-on: &on true\nstrict: *on\n', { strict: true });
});

describe('mistakes', () => {
  it.each([
    ['agents: { a: { acp: x, command: y } }', ':1: agents.a.acp: an agent has only one of command, acp. Remove the others'],
    ['agents: { a: { acp: x, finish: none } }', ':1: agents.a.finish: ACP asks the agent to finish without a signal. Remove it'],
    ['agents: { a: { command: x, allow: [execute] } }', ':1: agents.a.allow: only an ACP agent asks for permissions. Remove it'],
    ['agents: { a: { uses: claude, command: x } }', ':1: agents.a.uses: an agent has only one of command, uses. Remove the others'],
    ['agents: { a: { command: x, model: m } }', ':1: agents.a.model: only a preset has model. Put it into command'],
    ['agents: { a: { acp: x, args: [y] } }', ':1: agents.a.args: only a preset has args. Put it into acp'],
    ['agents: { a: { acp: x, allow: [edit] } }', ':1: agents.a.allow.0 must be one of execute, fetch, other, not "edit"'],
    ['strict: maybe', ':1: strict must be true or false, not "maybe"'],
    ['testing: { targets: { L1: 101 } }', ':1: testing.targets.L1 must be a number from 0 to 100, not 101'],
    ['critics: { testing: { runner: karma } }', `:1: critics.testing.runner must be one of ${RUNNER_NAMES.join(', ')}, not "karma"`],
    [
      'critics: { tests: make check }',
      ':1: critics.tests must be none, or how the tests run, such as { command: "make check", report: report.xml }, not "make check"',
    ],
    ['critics: { tests: { command: " " } }', ':1: critics.tests.command must be a command for the shell, such as "make check", not " "'],
    ['critics: { tests: { comand: x } }', ':1: critics.tests.comand: unknown key. Did you mean "command"?'],
    [
      'critics:\n  tests:\n    report: r.xml',
      ':3: critics.tests.report: it describes the report of a command. Add the command, such as { command: "make check", report: report.xml }',
    ],
    [
      'critics: { tests: { command: x, report: ../r.xml } }',
      ':1: critics.tests.report must be a path inside the project, without "..", not "../r.xml"',
    ],
    [
      'critics: { packages: { a: { tests: { command: x, report: /tmp/r.xml } } } }',
      ':1: critics.packages.a.tests.report must be a path inside the project, without "..", not "/tmp/r.xml"',
    ],
    [
      'critics: { packages: { ./a: {} } }',
      ':1: critics.packages../a: this name is not allowed. Use the folder of a package, such as packages/core',
    ],
    ['critics: { coverage: { command: x } }', ':1: critics.coverage.report is missing. It must be a path inside the project, without ".."'],
    ['critics: { design: { pairs: [{ text: a }] } }', ':1: critics.design.pairs.0.background is missing. It must be the path of a token'],
    [
      'critics: { debt: { lint: true } }',
      ':1: critics.debt.lint must be a command such as "npm run lint", the list of its words, or false, not true',
    ],
    [
      'sandbox: yes please',
      ':1: sandbox must be true, false, or where programs may write, such as { write: [~/.my-agent] }, not "yes please"',
    ],
    ['sandbox: { write: ~/.a }', ':1: sandbox.write must be a list of paths, not "~/.a"'],
    ['strict:', ':1: strict must be true or false, and is empty'],
    ['\n\nconcurency: 3', ':3: concurency: unknown key. Did you mean "concurrency"?'],
    [
      'strict: true\ncritics:\n  suite:\n    runner: vitest',
      ':3: critics.suite: unknown key. Known keys: timeout_minutes, tests, coverage, packages, quarantine, testing, debt, design, review',
    ],
    ['max-rounds: 3', ':1: max-rounds: unknown key. Did you mean "max_rounds"?'],
    ['maxRounds: 3', ':1: maxRounds: unknown key. Did you mean "max_rounds"?'],
    ['strict: true\nmax_cost: 5', ':2: max_cost: unknown key. Did you mean "max_cost_usd"?'],
    ['rounds: 2', ':1: rounds: unknown key. Did you mean "max_rounds"?'],
    [
      'max: 3',
      ':1: max: unknown key. Known keys: agents, roles, agent, stronger, ask_above_runs, engine, max_rounds, max_minutes, max_cost_usd, ' +
        'max_tokens, wait_for_limits, concurrency, timeout_minutes, retries, stop_when_stalled, strict, sandbox, notify, notify_at_end, ' +
        'testing, critics, guard, workspace',
    ],
    ['agnets: {}', ':1: agnets: unknown key. Did you mean "agents"?'],
    ['role: {}', ':1: role: unknown key. Did you mean "roles"?'],
    ['concurrency: 0', ':1: concurrency must be a whole number from 1 to 256, not 0'],
    ['concurrency: "3"', ':1: concurrency must be a whole number from 1 to 256, not "3"'],
    ['concurrency: 2.5', ':1: concurrency must be a whole number from 1 to 256, not 2.5'],
    ['max_rounds: 101', ':1: max_rounds must be a whole number from 1 to 100, not 101'],
    ['max_cost_usd: -1', ':1: max_cost_usd must be a number from 0.001 to 1000000, not -1'],
    ['max_minutes: .nan', ':1: max_minutes must be a number from 0.01 to 525600, not null'],
    ['agent: {}', ':1: agent must be the name of an agent such as claude, or a list such as [claude, codex], not {}'],
    ['agent: []', ':1: agent must be the name of an agent such as claude, or a list such as [claude, codex], not []'],
    ['stronger: { from_round: 2 }', ':1: stronger.agent is missing. It must be the name of an agent, such as claude'],
    ['stronger: { agent: a, from_round: 0 }', ':1: stronger.from_round must be a whole number from 1 to 100, not 0'],
    ['notify: []', ':1: notify must be a command, or ways such as { slack: SLACK_URL, desktop: true }, not []'],
    ['notify: [""]', ':1: notify must be a command, or ways such as { slack: SLACK_URL, desktop: true }, not [""]'],
    ['notify: ["\\0"]', ':1: notify.0 must be a text without NUL, not "\\u0000"'],
    ['notify: { slac: SLACK_URL }', ':1: notify.slac: unknown key. Did you mean "slack"?'],
    [
      'notify: { slack: http://hooks.example/hunter2 }',
      ':1: notify.slack must be an https address, or the name of an environment variable that holds one, such as SLACK_URL',
    ],
    ['roles: { reviewer: 3 }', ':1: roles.reviewer must be the name of an agent such as claude, or a list such as [claude, codex], not 3'],
    ['roles: { "a b": c }', ':1: roles.a b: this name is not allowed. Use a letter, then letters, digits, _ . or -'],
    ['agents: [a]', ':1: agents must be names, each with its agent, not ["a"]'],
    ['agents:\n  a: node x.mjs', ':2: agents.a must be an agent, such as { command: "node my-agent.mjs" }, not "node x.mjs"'],
    ['agents: { a: {} }', ':1: agents.a: it is empty. Give it a command, a script, or person: true'],
    ['agents: { a: { person: false } }', ':1: agents.a.person must be true, or left out, not false'],
    ['agents: { a: { comand: x } }', ':1: agents.a.comand: unknown key. Did you mean "command"?'],
    ['agents:\n  a:\n    command: x\n    script: y', ':4: agents.a.script: an agent has only one of command, script. Remove the others'],
    ['agents: { a: { command: x, finish: SIGKILL } }', ':1: agents.a.finish must be one of SIGINT, SIGTERM, none, not "SIGKILL"'],
    [
      'agents: { a: { command: x, env: { UMPIRE_X: 1 } } }',
      ':1: agents.a.env.UMPIRE_X: this name is not allowed. Use letters, digits and _, and no name that begins with UMPIRE_: Umpire sets those',
    ],
    ['agents: { a: { command: x, env: { A: [1] } } }', ':1: agents.a.env.A must be a text or a number, not [1]'],
    ['workspace: { link: [/etc] }', ':1: workspace.link.0 must be a path inside the project, without "..", not "/etc"'],
    ['workspace: { copy: [a, ../b] }', ':1: workspace.copy.1 must be a path inside the project, without "..", not "../b"'],
    ['workspace: { copy: "C:\\\\x" }', ':1: workspace.copy must be a list of paths, not "C:\\\\x"'],
    ['workspace: { links: [a] }', ':1: workspace.links: unknown key. Did you mean "link"?'],
    ['workspace: { where: a }', ':1: workspace.where: unknown key. Known keys: home, link, copy, setup'],
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
      expect(complaintOf(allowing('').replace(key, ''))).toContain(
        `x.yaml:3: guard.allowances.0.${/\w+/.exec(key)?.[0] ?? ''} is missing. It must be`,
      );
  });

  it('takes a word for a loop, or one setting of it', () => {
    check('guard: { loops: { until: off, review: obey, mine: { scope: testing } } }', {
      guard: {
        ...DEFAULT_SETTINGS.guard,
        loops: { until: { breaches: 'off' }, review: { breaches: 'obey' }, mine: { scope: 'testing' } },
      },
    });
    for (const word of ['no', 'false'])
      expect(complaintOf(`guard: { loops: { until: ${word} } }`)).toContain('guard.loops.until must be obey, tell, off, or');
    expect(complaintOf('guard: { loops: { until: { breach: obey } } }')).toContain('Did you mean "breaches"?');
    expect(complaintOf('guard: { loops: { until: { scope: all } } }')).toContain('one of testing, any, not "all"');
    expect(complaintOf('guard: { loops: { "a b": obey } }')).toContain('this name is not allowed');
  });

  it('says what is allowed', () => {
    expect(complaintOf('guard: { scope: all }')).toBe('x.yaml:1: guard.scope must be one of testing, any, not "all".');
    expect(complaintOf('guard: { allowance: [] }')).toContain('Did you mean "allowances"?');
    expect(complaintOf(allowing('').replace('marks', 'test-skiped'))).toContain('guard.allowances.0.rule must be one of source-changed');
    expect(complaintOf(allowing('').replace('reason: r', 'reason: " "'))).toContain('why it is accepted, in a few words');
    for (const day of ['2026-02-30', '30.6.2026', '20260630', 'never'])
      expect(complaintOf(allowing('').replace('2026-06-30', `"${day}"`))).toContain(
        `guard.allowances.0.until must be a day such as 2026-06-30, not "${day}"`,
      );
    expect(complaintOf(allowing(', path: ../x').replace('path: "a/**", ', ''))).toContain('a path inside the project');
  });
});

describe('combined settings', () => {
  const file = 'umpire.config.yaml';
  const combine = (project: string, isTrusted: boolean, own: string | null = null) =>
    combineSettings({ source: project, file, isTrusted, reserved: ['claude'] }, own === null ? null : { source: own, file: 'config.yaml' });

  it('counts only stricter settings of a project that nobody trusts, and names the rest', () => {
    const { settings, ignored } = combine(example, false);
    expect(settings).toEqual({
      ...DEFAULT_SETTINGS,
      strict: true,
      maxMinutes: 120,
      maxCostUsd: 7.5,
      maxTokens: 2_000_000,
      stopWhenStalled: true,
      sandbox: true,
      untrustedAgents: ['careful', 'exact', 'talker', 'rehearsal', 'me'],
    });
    expect(ignored).toContain('agents.careful');
    expect(ignored).toContain('workspace.setup');
    expect(ignored).toContain('sandbox.write');
    expect(ignored).not.toContain('strict');
    expect(combine('strict: true', false).ignored).toEqual([]);
    expect(combine('sandbox: true', false).ignored).toEqual([]);
  });

  it("lets the person's own settings win", () => {
    const theirs = 'agent: mine\nmax_rounds: 9\nworkspace: {setup: make, copy: [.env]}';
    const { settings } = combine(theirs, true, 'agent: codex\nworkspace: {setup: npm ci}');
    expect([settings.agent, settings.maxRounds, settings.workspace.setup, settings.workspace.copy]).toEqual([
      'codex',
      9,
      'npm ci',
      ['.env'],
    ]);
    expect(combine(theirs, false, 'agent: codex').settings).toEqual({ ...DEFAULT_SETTINGS, agent: 'codex' });
  });

  it('lets no project redefine a preset, and the person do so', () => {
    const redefined = 'agents:\n  claude: {command: sh evil.sh}';
    expect(() => combine(redefined, true)).toThrow(/umpire\.config\.yaml:2: agents\.claude: a project cannot redefine claude/);
    expect(() => combine('agents: {claude: {uses: codex}}', true)).toThrow(/a project cannot redefine claude/);
    expect(combine('agents: {claude: {timeout_minutes: 5}}', true).settings.agents['claude']?.timeoutMinutes).toBe(5);
    expect(combine('', true, redefined).settings.agents['claude']?.runs.kind).toBe('command');
    expect(combine(redefined, false).settings.agents).toEqual({});
  });

  it('lists every setting with its value', () => {
    expect(listSettings({ source: 'agents: {a: {command: sh a.sh}}\nsandbox: {write: [~/]}\nx-note: 1', file })).toEqual([
      { name: 'agents.a.command', value: 'sh a.sh' },
      { name: 'sandbox.write', value: '["~/"]' },
    ]);
  });
});

it('reads lists of agents, and the stronger agent of late rounds', () => {
  const { agent, roles, fallbacks, stronger } = parseSettings(
    'agent: [claude, codex]\nroles: { developer: [gemini, claude, codex], reviewer: codex }\nstronger: { agent: strong, from_round: 3 }\n',
    'x.yaml',
  );
  expect({ agent, roles, fallbacks, stronger }).toEqual({
    agent: 'claude',
    roles: { developer: 'gemini', reviewer: 'codex' },
    fallbacks: { '*': ['codex'], developer: ['claude', 'codex'] },
    stronger: { agent: 'strong', fromRound: 3 },
  });
});
