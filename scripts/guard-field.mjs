// `node scripts/guard-field.mjs PACKAGE[@VERSIONS] …`: the guard on real changes: the last releases (seven, or as many as you say) of npm
// packages that ship their tests, each against the one before. Prints findings by rule, rules about files left out; `--show N` prints N
// of each. Most changes of a careful maintainer are honest: what is told of them is worth a look. Needs the registry.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './tools.mjs';

const COMMAND = join(root, 'dist', 'umpire.cjs');
const RELEASES = 7;
const args = process.argv.slice(2);
const at = args.indexOf('--show');
const show = at < 0 ? 0 : Number(args.splice(at, 2)[1]);
if (args.length === 0) {
  process.stderr.write('Name packages that ship their tests: node scripts/guard-field.mjs fastify avvio@12 --show 2\n');
  process.exit(2);
}

/** What a program prints, whatever its exit status. */
function ask(command, words, cwd) {
  try {
    return execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 30 });
  } catch (error) {
    return String(error.stdout ?? '');
  }
}

function releasesOf(name, count) {
  const all = JSON.parse(ask('npm', ['view', name, 'versions', '--json']) || '[]');
  return [all]
    .flat()
    .filter((version) => !version.includes('-'))
    .slice(-count);
}

/** The repository holds the files of this release and no others. */
function unpack(name, version, folder, git) {
  const [file] = ask('npm', ['pack', '--silent', `${name}@${version}`], folder)
    .trim()
    .split('\n')
    .slice(-1);
  const repository = join(folder, 'repository');
  for (const entry of readdirSync(repository)) if (entry !== '.git') rmSync(join(repository, entry), { recursive: true });
  ask('tar', ['xzf', join('..', file), '--strip-components=1'], repository);
  git('add', '--all', '--force');
  git('commit', '--quiet', '--allow-empty', '--message', version);
  git('tag', `v${version}`);
}

function tell(title, { findings, rewritten }) {
  const shown = findings.filter(({ group }) => group !== 'files');
  const byRule = grouped(shown);
  const counts = [...byRule].map(([rule, list]) => `${rule} ${list.length}`).join(', ');
  console.log(`${title}: ${counts || 'nothing'}${rewritten.length === 0 ? '' : `; ${rewritten.length} files written anew`}`);
  for (const list of byRule.values())
    for (const { rule, file, line, message, before, after } of list.slice(0, show))
      console.log(`  ${rule} ${file}:${line} ${message}\n    - ${before?.text ?? ''}\n    + ${after?.text ?? ''}`);
}

function grouped(findings) {
  const groups = new Map();
  for (const finding of findings) groups.set(finding.rule, [...(groups.get(finding.rule) ?? []), finding]);
  return groups;
}

for (const word of args) {
  const [, name, count] = /^(@?[^@]+)(?:@(\d+))?$/.exec(word) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'umpire-field-'));
  try {
    ask('git', ['init', '--quiet', 'repository'], folder);
    const repository = join(folder, 'repository');
    const git = (...words) => ask('git', ['-c', 'user.name=field', '-c', 'user.email=field@localhost', ...words], repository);
    let before = null;
    for (const version of releasesOf(name, Number(count ?? RELEASES))) {
      unpack(name, version, folder, git);
      const printed =
        before === null ? '' : ask(process.execPath, [COMMAND, 'guard', '--base', `v${before}`, '--scope', 'any', '--json'], repository);
      if (printed !== '') tell(`${name} ${before} -> ${version}`, JSON.parse(printed));
      before = version;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
