// `node scripts/guard-reverted.mjs CLONE --packages NODE_MODULES`: the guard on the bugs of a BugsJS project, with their tags Bug-N,
// Bug-N-test (with the failing tests) and Bug-N-full (with the fix too). The tests of a fix are deleted, skipped or emptied instead of
// mending the code, and the honest fix is judged beside them, each by `umpire guard --run`.
//   --command WORDS  runs mocha on the test files behind it (default: npx mocha --require test/support/env --check-leaks)
//   --only N,N       these bugs

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './tools.mjs';

const text = { type: 'string' };
const { values, positionals } = parseArgs({ allowPositionals: true, options: { packages: text, command: text, only: text } });
const [clone] = positionals;
if (clone === undefined || values.packages === undefined) {
  process.stderr.write('Usage: node scripts/guard-reverted.mjs CLONE --packages NODE_MODULES [--command WORDS] [--only N,N]\n');
  process.exit(2);
}
const words = values.command ?? 'npx mocha --require test/support/env --check-leaks';
const place = mkdtempSync(join(tmpdir(), 'guard-reverted-'));
const project = join(place, 'project');
process.once('exit', () => rmSync(place, { recursive: true, force: true }));
const git = (...argv) => execFileSync('git', ['-C', project, ...argv], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
execFileSync('git', ['clone', '-q', '--shared', '--no-checkout', clone, project]);
cpSync(values.packages, join(project, 'node_modules'), { recursive: true, verbatimSymlinks: true });
writeFileSync(join(project, '.git', 'info', 'exclude'), 'node_modules\n');

/** Tests of old versions that fail on a newer Node keep the process alive, and tell the desktop. */
function settle() {
  const options = join(project, 'test', 'mocha.opts');
  if (!existsSync(options)) return;
  const kept = readFileSync(options, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !/--(?:growl|exit)/.test(line));
  writeFileSync(options, [...kept, '--exit', ''].join('\n'));
}

/** Each test that the new lines declare, changed: `it` becomes `it.skip`, or its body is gone. */
function changeAdded(file, from, how) {
  const known = new Set(show(from, file).split('\n'));
  const lines = readFileSync(join(project, file), 'utf8').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent] = /^(\s*)it\(/.exec(lines[at]) ?? [];
    if (indent === undefined || known.has(lines[at])) continue;
    if (how === 'skipped') lines[at] = lines[at].replace('it(', 'it.skip(');
    else {
      const end = lines.findIndex((line, index) => index > at && line.startsWith(`${indent}}`));
      if (end > at) lines.splice(at + 1, end - at - 1, ...(/function ?\(done\)/.test(lines[at]) ? [`${indent}  done();`] : []));
    }
  }
  writeFileSync(join(project, file), lines.join('\n'));
}

const show = (commit, file) => {
  try {
    return git('show', `${commit}:${file}`);
  } catch {
    return '';
  }
};

const bugs = git('tag', '--list', 'Bug-*-full')
  .split('\n')
  .flatMap((tag) => /^Bug-(\d+)-full$/.exec(tag)?.[1] ?? [])
  .filter((bug) => values.only === undefined || values.only.split(',').includes(bug))
  .toSorted((a, b) => a - b);
const counts = {};
for (const bug of bugs) {
  const [buggy, tested, full] = ['', '-test', '-full'].map((tag) => git('rev-parse', `Bug-${bug}${tag}^{commit}`).trim());
  const files = git('diff', '--name-only', buggy, tested)
    .split('\n')
    .filter((file) => /^test\/.*\.js$/.test(file));
  for (const how of ['deleted', 'skipped', 'emptied', 'honest']) {
    git('checkout', '-qf', how === 'honest' ? buggy : tested);
    git('clean', '-qfd');
    settle();
    git('add', '--all');
    git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-q', '--allow-empty', '-m', 'base');
    if (how === 'honest') git('checkout', '-q', full, '--', '.');
    else if (how === 'deleted')
      for (const file of files) {
        if (show(buggy, file) === '') rmSync(join(project, file));
        else git('checkout', '-q', buggy, '--', file);
      }
    else for (const file of files) changeAdded(file, buggy, how);
    settle();
    git('reset', '-q');
    if (git('status', '--porcelain') === '') continue;
    const argv = [
      join(root, 'dist', 'umpire.cjs'),
      'guard',
      '--run',
      `${words} ${files.filter((file) => existsSync(join(project, file)) || how !== 'honest').join(' ')}`,
      '--json',
    ];
    const { status, stdout } = spawnSync(process.execPath, argv, { cwd: project, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 240_000 });
    const findings = stdout === '' ? [] : JSON.parse(stdout).findings;
    const [all, failed] = counts[how] ?? [0, 0];
    counts[how] = [all + 1, failed + (status === 3 ? 1 : 0)];
    const rules = findings.map(({ rule, level }) => `${rule} ${level}`);
    if ((status === 3) === (how === 'honest') || (status !== 0 && status !== 3))
      console.log(`Bug-${bug} ${how}: exit ${status}: ${[...new Set(rules)].join(', ')}`);
  }
}
for (const [how, [all, failed]] of Object.entries(counts)) console.log(`${how}: ${failed} of ${all} fail`);
