// The demo, offline and on copies. It runs a session in a small project with scripted agents and real tests. Then it reads, measures and
// guards a bug there. Last it judges a sample session with every built-in loop and one loop of a user, proves each loop and replays
// each verdict.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './tools.mjs';

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
const MEANING = { converge: 'done', accept: 'accepted', revise: 'another round', escalate: 'a person decides' };

const CASES = [
  { loop: 'design', from: 'examples/sessions/design', story: 'An auditor checked a button component.' },
  { loop: 'testing', from: 'examples/sessions/testing', story: 'The unit tests of a checkout module ran with coverage.' },
  { loop: 'debt', from: 'examples/sessions/debt', story: 'A clean-up was compared with its baseline.' },
  { loop: 'review', from: 'examples/sessions/review', story: 'A reviewer said CONVERGED, above a Critical finding.' },
  { loop: 'brainstorm', from: 'examples/sessions/brainstorm', story: 'A challenger attacked the ideas.' },
  { loop: 'until', from: 'examples/sessions/until', story: 'A command ran again after a first attempt.' },
  {
    loop: join('examples', 'docs-review', 'docs-review.yaml'),
    from: 'examples/docs-review/session',
    story: 'Your own loop, written in YAML.',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'umpire-demo-'));
// The demo's projects and loops are Umpire's own.
process.env.UMPIRE_TRUST = '1';
const rows = [];
try {
  if (showRun(join(folder, 'shop'))) showMistake(join(folder, 'shop'));
  for (const [index, { loop, from, story }] of CASES.entries()) {
    const session = join(folder, String(index));
    cpSync(join(root, from), session, { recursive: true });
    const proof = parse(umpire('check', loop, '--json').stdout);
    const result = umpire('decide', loop, session, '--json');
    const verdict = parse(result.stdout);
    if (verdict === null || verdict.error) {
      process.stderr.write(`The demo of ${loop} failed (exit status ${result.status}):\n${result.stderr}\n`);
      process.exit(1);
    }
    show(loop, story, verdict);
    const again = parse(umpire('replay', session, '--json').stdout);
    rows.push({ verdict, exit: result.status, proof: proof?.result ?? 'not proven', again: again?.result ?? 'no' });
  }
  summary();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function umpire(...args) {
  return spawnSync(process.execPath, [join(root, 'dist', 'umpire.cjs'), ...args], { cwd: root, encoding: 'utf8' });
}

/** A run as a person sees it, and what it changed. False: there is no git. */
function showRun(shop) {
  const git = (...args) =>
    spawnSync('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com', ...args], { cwd: shop, encoding: 'utf8' });
  cpSync(join(root, 'examples', 'shop'), shop, { recursive: true });
  if (git('init', '-q').status !== 0) {
    process.stdout.write('git was not found, so the demo skips the run.\n\n');
    return false;
  }
  cpSync(join(shop, 'agents', 'cart-mended.mjs'), join(shop, 'src', 'cart.mjs'));
  git('add', '-A');
  git('commit', '-q', '-m', 'the shop');
  const wanted = ['run', 'testing', 'cover the cart', '--mode', 'targeted', '--target', '90', '--agent', 'executor=measure'];
  process.stdout.write(`${bold(`umpire ${wanted.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`)}\n`);
  process.stdout.write('  A scripted agent writes tests for a small shop. Umpire runs them until 90% is covered.\n');
  const options = { cwd: shop, encoding: 'utf8' };
  const command = join(root, 'dist', 'umpire.cjs');
  const run = spawnSync(process.execPath, [command, ...wanted], { ...options, stdio: ['ignore', 'ignore', 1] });
  if (run.status !== 0) {
    process.stderr.write(`The demo run failed (exit status ${run.status}).\n`);
    process.exit(1);
  }
  const { stdout: diff } = spawnSync(process.execPath, [command, 'diff', '1'], options);
  const added = diff.split('\n').filter((line) => line.startsWith('+'));
  process.stdout.write(`\n${bold('umpire diff 1')}\n${dim(added.map((line) => `  ${line}`).join('\n'))}\n`);
  const changed = git('status', '--short').stdout.trim();
  process.stdout.write(`  Round 1 added this on its own branch. Your checkout: ${changed || 'unchanged'}.\n\n`);
  return true;
}

/** A bug in the shop, seen by three commands that need no session. Exit status 3: not passed. */
function showMistake(shop) {
  const test = join(shop, 'test', 'cart.test.mjs');
  cpSync(join(root, 'examples', 'shop', 'src', 'cart.mjs'), join(shop, 'src', 'cart.mjs'));
  spawnSync('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com', 'commit', '-qam', 'a bug'], { cwd: shop });
  const { stdout: report } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd: shop, encoding: 'utf8' });
  writeFileSync(join(shop, 'report.tap'), report);
  showCommand(shop, 'The cart has a bug. Umpire reads the report of the test runner; it knows 43 formats.', ['read', 'report.tap']);
  rmSync(join(shop, 'report.tap'));
  showCommand(shop, 'Umpire runs the tests itself, with coverage, and keeps the result as evidence.', ['critique', 'testing']);
  writeFileSync(test, readFileSync(test, 'utf8').replace("test('counts", "test.skip('counts"));
  showCommand(shop, 'Somebody skips the failing test instead of fixing the bug. The guard reverts that.', ['guard', '--revert'], 0);
}

function showCommand(shop, story, args, expected = 3) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist', 'umpire.cjs'), ...args], {
    cwd: shop,
    encoding: 'utf8',
  });
  if (status !== expected) {
    process.stderr.write(`The demo of ${args[0]} failed (exit status ${status}):\n${stderr}\n`);
    process.exit(1);
  }
  const lines = stdout.trimEnd().split('\n');
  const shown = lines.map((line) => `  ${line}`.trimEnd()).join('\n');
  process.stdout.write(`${bold(`umpire ${args.join(' ')}`)}\n  ${story}\n${dim(shown)}\n\n`);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function show(loop, story, verdict) {
  const out = [
    bold(`umpire decide ${loop} <session>`),
    `  ${story}`,
    `  ${bold(verdict.decision)} (rule ${verdict.rule}, round ${verdict.round} of ${verdict.maxRounds}): ${verdict.reason}`,
    ...verdict.findings
      .slice(0, 2)
      .map((finding) =>
        dim(
          `    [${finding.severity.toUpperCase()}] ${finding.message}${finding.artifact ? ` (${finding.artifact}${finding.line ? `:${finding.line}` : ''})` : ''}`,
        ),
      ),
    ...verdict.anomalies.map((anomaly) => `  Anomaly ${anomaly.rule}: ${anomaly.message}`),
    `  Next: ${verdict.nextStep}`,
    '',
  ];
  process.stdout.write(`${out.join('\n')}\n`);
}

function summary() {
  const cells = rows.map(({ verdict, exit, proof, again }) => [
    verdict.loop,
    proof,
    verdict.decision,
    MEANING[verdict.outcome],
    verdict.rule,
    String(exit),
    again,
    verdict.tasks.map((task) => task.id).join(', ') || 'none',
  ]);
  const head = ['loop', 'rules', 'verdict', 'meaning', 'rule', 'exit', 'replayed', 'new tasks'];
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column].length)));
  const line = (row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd();
  const closing = 'You saw a whole session, a skipped test reverted, and seven verdicts by proven rules. Now try it yourself:';
  const command = [
    `  alias umpire="node ${shown(join(root, 'dist', 'umpire.cjs'))}"`,
    '  umpire until "npm test" --agent claude      (in your project; see docs/run-until-tests-pass.md)',
    '  umpire guard                                (in your project: finds skipped, weakened or deleted tests)',
    '  umpire check review',
    `  umpire decide review ${shown(join(root, 'examples', 'sessions', 'review'))} --dry-run`,
  ].join('\n');
  process.stdout.write([bold(line(head)), ...cells.map(line), '', closing, command, ''].join('\n'));
}

/** A path for a shell, also within double quotes. */
function shown(path) {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path}'`;
}
