// W8: foreign text reaches a terminal, a page or a Markdown file without control characters. A project whose names, findings, titles, goal,
// logs and reports are full of them, and every command on it. A new command needs a case here.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, expect, it } from 'vitest';
import type { SessionsAnswer } from '@umpire/umpire/doors/http/answers.js';
import { COMMANDS } from '@umpire/umpire/doors/cli/commands.js';
import { runDiff } from '@umpire/umpire/doors/cli/diff-apply.js';
import { runLogs } from '@umpire/umpire/doors/cli/logs.js';
import { createOutput } from '@umpire/umpire/doors/cli/output.js';
import type { CommandOutcome } from '@umpire/umpire/doors/cli/output.js';
import { writeFiles } from './support/git-project.js';
import { runInProcess, given, silentOutput } from './support/in-process.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { serveProject } from './support/served-project.js';

cleanUpProjects();

/** Controls but newline and tab, what changes the direction, line ends of Unicode, the byte order mark and the zero-width space. */
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\u200b]/;

const CONTROLS = '\u001b]0;owned\u0007\u001b[2J\u009b1A\u202etxt\u2066\u200b\u007f\u0008\u2028';
/** On one line, for places that end at a line break. */
const WORD = `x${CONTROLS}<img src=x>![p](http://evil.example)[q](http://evil.example)`;
const LINES = `${WORD}\r\nFORGED line\n# FORGED heading\n`;
/** What a file name may hold. */
const NAME = `n\u001b[2J\u009b\u202e\nFORGED name.txt`;
const TEST = (mark: string) =>
  `const { test } = require('node:test');\ntest${mark}(${JSON.stringify(LINES)}, () => {\n  require('node:assert').equal(1, 1);\n});\n`;

const REVIEW = {
  'tasks.csv':
    'id,title,description,role,pipeline_phase,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error\n' +
    `REVIEW-001,"${LINES}","${LINES}",reviewer,review,,,csv-wave,1,completed,"[CRITICAL] ${LINES}",3,REVISION_NEEDED,"${LINES}"\n`,
  'artifacts/review-results.json': JSON.stringify({
    score: 3,
    verdict: LINES,
    findings: [
      { severity: 'critical', message: LINES, file: NAME, line: 3, suggestion: LINES },
      { severity: LINES, message: '', file: LINES },
    ],
  }),
};

const REPORTS = {
  'junit.xml': `<testsuite name="s\u009b"><testcase name="x\u009b1A\u202e\u2028&#10;FORGED title" classname="c"><failure message="m\u202e&#10;FORGED">t</failure></testcase></testsuite>`,
  'tap.txt': `TAP version 13\n1..1\nnot ok 1 - ${WORD}\n  ---\n  message: "${WORD}"\n  ...\n`,
  'lint.sarif': JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: LINES } },
        results: [
          {
            level: 'error',
            ruleId: WORD,
            message: { text: LINES },
            locations: [{ physicalLocation: { artifactLocation: { uri: NAME } } }],
          },
        ],
      },
    ],
  }),
  'broken.json': `{"a": ${WORD}`,
};

const AGENT = `const fs = require('node:fs');
const lines = ${JSON.stringify(LINES)};
process.stdout.write(lines);
process.stderr.write(lines);
fs.writeFileSync(${JSON.stringify(NAME)}, lines);
fs.writeFileSync(process.env.UMPIRE_RESULT_FILE, JSON.stringify({ status: 'completed', findings: lines, error: lines }));
`;

let project: RunProject;
/** The folders of a session that Umpire ran and of one that it only judged. */
let ran = '';
let judged = '';

const umpire = (...args: readonly string[]) =>
  runInProcess(project.root, args, { GIT_CONFIG_GLOBAL: '/dev/null', HOME: project.beside, UMPIRE_WORKTREES: project.worktrees });

/** A goal and an output keep their lines inside a block. */
const outsideBlocks = (text: string) => text.replace(/^(`{3,})text\n[^]*?^\1$/gm, '').replace(/^Last lines of [^]*/m, '');

function checkText(what: string, text: string): void {
  expect(FORBIDDEN.exec(text)?.[0]?.charCodeAt(0).toString(16), `${what}: ${JSON.stringify(text.slice(0, 2000))}`).toBeUndefined();
  expect(/^(?:#+ )?FORGED.*/m.exec(outsideBlocks(text))?.[0], `${what}: a line of its own`).toBeUndefined();
}

/** Keys too. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(stringsIn) : [];
}

beforeAll(async () => {
  project = makeProject({
    files: {
      'a.test.js': TEST(''),
      'check.cjs': `process.stdout.write(${JSON.stringify(LINES)}); process.exit(1);\n`,
      '.gitignore': '.umpire\n',
      [NAME]: 'a\n',
    },
  });
  project.git('branch', `b\u202e\u009b`);
  writeFiles(project.beside, { 'agent.cjs': AGENT });
  const agent = ['--agent-command', `node ${join(project.beside, 'agent.cjs')}`];
  const started = await umpire('until', 'node check.cjs', LINES, '--max-rounds', '1', ...agent);
  checkText('until', started.stdout + started.stderr);
  ran = started.stdout.trim().split('\n').at(-1) ?? '';
  judged = join(project.root, '.umpire', 'sessions', 'judged\u202e\u001b');
  writeFiles(judged, REVIEW);
  // After the run, which would measure these tests at its base.
  writeFiles(project.root, {
    'package.json': JSON.stringify({ name: 'p', scripts: { test: 'node --test', [WORD]: LINES } }),
    'a.test.js': TEST('.skip'),
    ...REPORTS,
    'loop.yaml': `loop: ${WORD}\n  bad: [${WORD}\n`,
  });
}, 60_000);

/** Command lines by command. `decide` is first: the later ones look at its verdict. */
const CASES: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  decide: () => [['review', judged, '--dry-run', '--json'], ['review', judged], [WORD, judged], ['review', `${judged}${NAME}`], [LINES]],
  help: () => [[], [LINES]],
  check: () => [['loop.yaml'], [LINES], ['review', '--table']],
  replay: () => [[ran], [judged], ['--all'], [judged, '--json'], [LINES]],
  critique: () => [['testing', '--dry-run'], ['testing', '--quiet', '--session', `${judged}2`], [LINES]],
  run: () => [[LINES], ['testing', LINES, '--mode', LINES]],
  until: () => [
    [LINES, LINES, '--agent', LINES],
    ['node', LINES],
  ],
  resume: () => [[LINES], [ran, '--agent', LINES]],
  resolve: () => [
    [ran, LINES],
    [ran, 'abort', '--reason', LINES],
  ],
  diff: () => [[LINES], [judged]],
  apply: () => [[ran], [judged], [LINES]],
  status: () => [[ran], [judged], [ran, '--json'], [LINES]],
  list: () => [[], ['--json']],
  report: () => [[ran], [judged]],
  logs: () => [[ran], [ran, LINES]],
  read: () => [Object.keys(REPORTS), [...Object.keys(REPORTS), '--json', '--all'], [LINES, NAME]],
  doctor: () => [[], ['--json']],
  trust: () => [[], ['--print'], ['--revoke'], [LINES]],
  init: () => [['--dry-run'], [LINES]],
  hook: () => [[LINES], ['stop', '--scope', LINES]],
  serve: () => [['--port', LINES], [LINES]],
  mcp: () => [[LINES], ['--project', LINES]],
  guard: () => [[], ['--json'], ['--sarif'], ['--base', LINES]],
  clean: () => [[], [ran], [LINES]],
  dismiss: () => [[ran], [LINES], [ran, LINES, '--reason', 'x']],
  pr: () => [[LINES]],
  ci: () => [['--base', LINES]],
  worker: () => [['--engine', LINES], [LINES]],
  engine: () => [[LINES], ['limit', LINES, LINES, '--engine', LINES]],
  completion: () => [['bash'], ['zsh'], ['fish'], [LINES]],
};

it('has a case for every command', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(['help', ...Object.keys(COMMANDS)].toSorted());
});

it('prints no control character and no forged line, whatever the command', async () => {
  for (const [name, lines] of Object.entries(CASES)) {
    for (const args of lines()) {
      const { stdout, stderr } = await umpire(name, ...args);
      const what = `umpire ${name} ${JSON.stringify(args)}`;
      expect(stdout + stderr, what).not.toContain('Internal error');
      expect(stdout + stderr, what).not.toBe('');
      checkText(what, stdout);
      checkText(what, stderr);
      if (args.includes('--json')) JSON.parse(stdout);
    }
  }
}, 120_000);

it('shows patches and logs on a terminal as text', async () => {
  const printed = (outcome: CommandOutcome): string => {
    let text = '';
    const writeAll = (_: number, bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString('utf8');
      return null;
    };
    createOutput({ writeAll, writeProgress: () => undefined, isColored: () => true }).write(1, outcome.stdout ?? '');
    expect(outcome.bytes).toBeUndefined();
    return text;
  };
  const patch = printed(await runDiff(given('diff', ran), silentOutput(), true));
  expect(patch).toContain('\\u001b]0;owned\\u0007');
  expect(FORBIDDEN.test(patch)).toBe(false);
  const [log = ''] = readdirSync(join(ran, 'logs'));
  expect(FORBIDDEN.test(printed(await runLogs(given('logs', ran, log.replace(/-\d+\.txt$/, '')), silentOutput(), true)))).toBe(false);
});

it('writes no control character and no Markdown of others into its pages', () => {
  const pages = [ran, judged].flatMap((session) =>
    readdirSync(session, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') || path.endsWith('.html'))
      .map((path) => join(session, path)),
  );
  expect(pages.length).toBeGreaterThan(2);
  for (const path of pages) {
    const text = readFileSync(path, 'utf8');
    checkText(path, text);
    expect(outsideBlocks(text).replace(/<!--.*?-->/g, ''), path).not.toMatch(/(?<!\\)<\w|(?<!\\)\]\(/);
  }
});

it('answers agents over MCP without hidden characters', async () => {
  const client = new Client({ name: 'a client', version: '1.0.0' });
  const args = [command, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project.root, stderr: 'ignore' }));
  const calls: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    critique: { loop: LINES },
    decide: { loop: 'review', session: judged },
    guard: {},
    read: { reports: [...Object.keys(REPORTS), NAME] },
    check: { loop: './loop.yaml' },
    list: {},
    status: { session: ran },
    report: { session: judged },
    diff: { session: ran },
    replay: { session: judged },
    doctor: {},
  };
  const { tools } = await client.listTools();
  expect(Object.keys(calls)).toEqual(tools.map(({ name }) => name));
  for (const [name, given] of Object.entries(calls)) {
    const { content, structuredContent } = await client.callTool({ name, arguments: given });
    for (const text of stringsIn([content, structuredContent])) expect(FORBIDDEN.exec(text), `${name}: ${JSON.stringify(text)}`).toBeNull();
  }
  await client.close();
}, 60_000);

it('answers the dashboard without hidden characters', async () => {
  const served = await serveProject(project);
  const listSessions = async () => (await served.json('/api/sessions')) as Pick<SessionsAnswer, 'sessions' | 'unread'>;
  let { sessions, unread } = await listSessions();
  while (unread > 0) ({ sessions, unread } = await listSessions());
  expect(sessions.map(({ id }) => id)).toContain('.umpire/sessions/judged\\u202e\\u001b');
  for (const { id } of sessions) {
    const session = await served.json(`/api/session?id=${encodeURIComponent(id)}`);
    for (const text of stringsIn(session)) expect(FORBIDDEN.test(text), JSON.stringify(text)).toBe(false);
    for (const kind of ['report', 'diff']) {
      const { text } = await served.ask(`/api/${kind}?id=${encodeURIComponent(id)}`);
      expect(FORBIDDEN.test(text), `${kind} of ${id}`).toBe(false);
    }
    for (const { name } of session['logs'] as readonly { readonly name: string }[]) {
      const { status, text } = await served.ask(`/api/log?id=${encodeURIComponent(id)}&name=${encodeURIComponent(name)}`);
      expect({ status, isHidden: FORBIDDEN.test(text) }).toEqual({ status: 200, isHidden: false });
    }
  }
  served.running.child.kill('SIGTERM');
  await served.running.ended;
}, 60_000);
