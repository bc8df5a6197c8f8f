// Every setting of umpire.config.yaml, for docs/reference/settings.md. A test compares the keys with those that the reader of the
// file knows, and the defaults with the real ones.

export interface SettingRow {
  /** Its path in the file; NAME stands for a name of your choice, [] for an item of a list. */
  readonly key: string;
  readonly allowed: string;
  readonly standard: string;
  readonly meaning: string;
}

const NONE = 'none';
const NOT_SET = '';
const FOUND = "found from the project's files";

function row(key: string, allowed: string, standard: string, meaning: string): SettingRow {
  return { key, allowed, standard, meaning };
}

export const SETTING_ROWS: readonly SettingRow[] = [
  row('agent', "an agent's name", NONE, 'does every role that has no agent of its own'),
  row('roles.NAME', "an agent's name", '`agent`', 'does this role'),
  row('agents.NAME', 'one of the keys below', NONE, 'your own agent, or a preset with changes'),
  row('agents.NAME.command', 'words, or a list of words', NOT_SET, 'a program; no shell runs'),
  row('agents.NAME.acp', 'words, or a list of words', NOT_SET, 'a program that speaks the Agent Client Protocol'),
  row('agents.NAME.script', 'a path in the project', NOT_SET, 'a YAML file of answers, for tests and dry runs'),
  row('agents.NAME.person', '`true`', NOT_SET, 'the task is shown in the terminal'),
  row('agents.NAME.timeout_minutes', 'a number above 0, at most 1440', '`timeout_minutes`', 'time for one task with this agent'),
  row('agents.NAME.finish', '`SIGINT`, `SIGTERM` or `none`', '`SIGTERM`', 'the signal that asks it to finish; not for `acp`'),
  row('agents.NAME.grace_seconds', 'a number above 0, at most 600', '5', 'time to finish, before it is killed'),
  row('agents.NAME.allow', 'a list of `execute`, `fetch`, `other`', NONE, 'what an ACP agent may do when it asks'),
  row('agents.NAME.env', 'names with values, not `UMPIRE_…`', NONE, 'added to its environment'),
  row('concurrency', 'a whole number from 1 to 256', '3', 'tasks at the same time'),
  row('timeout_minutes', 'a number above 0, at most 1440', '30', 'time for one task'),
  row('retries', 'a whole number from 0 to 20', '4', "retries of a task whose model's server was busy or unreachable"),
  row('max_rounds', 'a whole number from 1 to 100', "the loop's", 'the cap; frozen by the first verdict'),
  row('max_minutes', 'a number above 0, at most 525600', NONE, 'minutes of a session before a person is asked'),
  row('max_cost_usd', 'a number above 0, at most 1000000', NONE, 'dollars of a session before a person is asked'),
  row('max_tokens', 'a whole number from 1', NONE, 'tokens of a session before a person is asked'),
  row('stop_when_stalled', '`true` or `false`', 'false', 'ask a person if a loop stalls, oscillates or diverges'),
  row('strict', '`true` or `false`', 'false', 'approve nothing by waiver: escalate instead'),
  row('sandbox', '`true`, `false` or `{ write: [...] }`', 'false', 'programs write only where their work goes'),
  row('sandbox.write', 'a list of paths', NONE, 'where else they may write: absolute, `~/`, or in the project'),
  row('notify', 'a shell command, or a list of words without a shell', NONE, 'runs when a person is needed'),
  row('notify_at_end', '`true` or `false`', 'false', '`notify` also runs when a session has ended'),
  row('workspace.home', 'a folder', "Umpire's cache", 'where worktrees are made'),
  row('workspace.link', 'a list of paths in the project', NONE, 'shared by all worktrees, besides installed packages'),
  row('workspace.copy', 'a list of paths in the project', NONE, 'untracked files that every worktree gets a copy of'),
  row('workspace.setup', 'a shell command', NONE, 'runs in every new worktree'),
  row('critics.timeout_minutes', 'a number above 0, at most 1440', '20', 'time for one tool'),
  row('critics.testing.runner', '`vitest`, `jest`, `mocha`, `node` or `pytest`', FOUND, 'the test runner'),
  row('critics.testing.layers', 'patterns of test files by layer', 'integration is L2, e2e is L3', 'all other tests are L1'),
  row('critics.debt.reruns', 'a whole number from 0 to 20', '3', 'how often a test that seems to have regressed runs again'),
  row('critics.debt.types', 'a command, or `false`', FOUND, 'replaces the type check, or turns it off'),
  row('critics.debt.lint', 'a command, or `false`', FOUND, 'replaces the linters, or turns them off'),
  row('critics.debt.quality', 'a command, or `false`', FOUND, 'replaces the quality check, or turns it off'),
  row('critics.debt.complexity', 'a whole number from 1 to 1000', '15', 'a more complex function is a finding'),
  row('critics.design.tokens', 'a list of patterns', 'every token file', 'token files'),
  row('critics.design.industry', '`standard` or `strict`', 'standard', '`strict` as for healthcare and finance'),
  row('critics.design.pairs', 'a list', 'inferred from names', 'colours that stand on each other'),
  row('critics.design.pairs[].text', 'the path of a token', NOT_SET, 'the colour in front'),
  row('critics.design.pairs[].background', 'the path of a token', NOT_SET, 'the colour behind it'),
  row('critics.design.pairs[].kind', '`text`, `large` or `ui`', 'text', 'large text and parts of the interface need less contrast'),
  row('critics.design.grid', 'a number above 0, at most 64', '4', 'spacing is a multiple of so many pixels'),
  row('critics.review.reports', 'a list of patterns', '`**/*.sarif`', 'reports to read besides those of linters'),
  row('guard.scope', '`testing` or `any`', 'testing', 'what `umpire guard` lets change: only tests, or source too'),
  row('guard.allowances', 'a list', NONE, 'findings that are accepted for a while'),
  row('guard.allowances[].rule', 'a rule or a group of rules', NOT_SET, 'what is accepted'),
  row('guard.allowances[].path', 'a pattern', NOT_SET, 'in which files'),
  row('guard.allowances[].test', 'titles joined by ` > `', 'every test', 'in which test'),
  row('guard.allowances[].reason', 'a text', NOT_SET, 'why'),
  row('guard.allowances[].until', 'a day, as YYYY-MM-DD', NOT_SET, 'the last day'),
  row(
    'guard.loops.NAME',
    '`obey`, `tell`, `off` or the two keys below',
    '`testing` and `until` obey, `debt` and `review` tell, others are off',
    'what the guard does in runs of this loop',
  ),
  row('guard.loops.NAME.breaches', '`obey`, `tell` or `off`', NOT_SET, 'revert findings, report them, or do not look'),
  row('guard.loops.NAME.scope', '`testing` or `any`', '`testing` for the testing loop, else `any`', 'what may change'),
];
