// The demo: the built-in loops and one written by a user judge sample sessions, offline, on copies. Each loop is proven first, and each
// verdict judged again afterwards. Real command, real verdicts.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './tools.mjs';

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
const MEANING = { converge: 'done', accept: 'accepted', revise: 'another round', escalate: 'a person decides' };

const CASES = [
  { loop: 'design', from: 'examples/sessions/design', story: 'An auditor looked at a button component.' },
  { loop: 'testing', from: 'examples/sessions/testing', story: 'The unit tests of a checkout module ran with coverage.' },
  { loop: 'debt', from: 'examples/sessions/debt', story: 'A clean-up was validated against its baseline.' },
  { loop: 'review', from: 'examples/sessions/review', story: 'A reviewer said CONVERGED.' },
  { loop: 'brainstorm', from: 'examples/sessions/brainstorm', story: 'A challenger attacked the ideas.' },
  { loop: 'until', from: 'examples/sessions/until', story: 'A command was run again after a first attempt.' },
  {
    loop: join('examples', 'docs-review', 'docs-review.yaml'),
    from: 'examples/docs-review/session',
    story: 'A loop of your own, written in YAML.',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'umpire-demo-'));
const rows = [];
try {
  for (const [index, { loop, from, story }] of CASES.entries()) {
    const session = join(folder, String(index));
    cpSync(join(root, from), session, { recursive: true });
    const proof = parse(umpire('check', loop, '--json').stdout);
    const result = umpire('decide', loop, session, '--json');
    const verdict = parse(result.stdout);
    if (verdict === null || verdict.error) {
      process.stderr.write(`The demo of ${loop} failed (exit ${result.status}):\n${result.stderr}\n`);
      process.exit(1);
    }
    show(loop, story, verdict);
    const again = parse(umpire('replay', session, '--json').stdout);
    rows.push({ verdict, exit: result.status, proof: proof?.result ?? 'not checked', again: again?.result ?? 'not replayed' });
  }
  summary();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function umpire(...args) {
  return spawnSync(process.execPath, [join(root, 'dist', 'umpire.cjs'), ...args], { cwd: root, encoding: 'utf8' });
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
  const head = ['loop', 'rules', 'verdict', 'meaning', 'rule', 'exit', 'judged again', 'tasks created'];
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column].length)));
  const line = (row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd();
  const closing = 'Seven verdicts, each from evidence, by rules proven before and with the rule that gave it. Try for yourself:';
  const command = ['  node dist/umpire.cjs check review', '  node dist/umpire.cjs decide review examples/sessions/review --dry-run'].join(
    '\n',
  );
  process.stdout.write([bold(line(head)), ...cells.map(line), '', closing, command, ''].join('\n'));
}
