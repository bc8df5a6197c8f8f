// `node scripts/guard-unseen.mjs FOLDER`: the guard on the cases of fixtures/guard/unseen, by reading alone. FOLDER holds clones of the
// projects that the cases start from, as owner+name or owner+name/repo. Prints figures, by kind; `--ids` names what was missed.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder with the clones: node scripts/guard-unseen.mjs FOLDER\n');
  process.exit(2);
}
const bundle = join(root, 'node_modules', '.cache', 'guard-unseen.mjs');
await build({
  entryPoints: [join(root, 'packages', 'guard', 'src', 'guard.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile: bundle,
  external: ['oxc-parser'],
  logLevel: 'error',
});
const { guard } = await import(pathToFileURL(bundle).href);

const file = join(root, 'fixtures', 'guard', 'unseen', 'cases.ndjson');
const cases = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

function cloneOf(repository) {
  const plain = join(folder, repository.replace('/', '+'));
  return existsSync(join(plain, 'repo')) ? join(plain, 'repo') : plain;
}

const known = new Map();

function textAt(repository, commit, path) {
  const key = `${repository} ${commit} ${path}`;
  if (!known.has(key)) known.set(key, show(repository, commit, path));
  return known.get(key);
}

function show(repository, commit, path) {
  try {
    return execFileSync('git', ['-C', cloneOf(repository), 'show', `${commit}:${path}`], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

/** Line numbers are those of the base file, so the last edit of a file goes first. */
function edited(text, edits) {
  const lines = text.split(/(?<=\n)/u);
  const at = (edit) => (edit.lines ? edit.lines[0] - 1 : edit.after);
  for (const edit of edits.toSorted((one, other) => at(other) - at(one))) {
    const count = edit.lines ? edit.lines[1] - edit.lines[0] + 1 : 0;
    lines.splice(at(edit), count, ...(edit.text ? [edit.text] : []));
  }
  return lines.join('');
}

function changeOf({ repository, commit, edits }) {
  return [...new Set(edits.map(({ path }) => path))].map((path) => {
    const own = edits.filter((edit) => edit.path === path);
    const before = textAt(repository, commit, path);
    const created = own.find(({ create }) => create !== undefined);
    const renamed = own.find(({ rename }) => rename !== undefined);
    const inLines = own.filter(({ text }) => text !== undefined);
    const after = own.some((edit) => edit.delete === true)
      ? null
      : (created?.create ?? (inLines.length > 0 ? edited(before ?? '', inLines) : before));
    return renamed === undefined ? { path, before, after } : { path: renamed.rename, before, after, renamedFrom: path };
  });
}

const counts = { cheat: [0, 0], honest: [0, 0] };
const kinds = new Map();
for (const one of cases) {
  const { repository, commit, label, kind = '' } = one;
  const { findings } = guard({ change: { files: changeOf(one) }, scope: 'any', same: (path) => textAt(repository, commit, path) });
  const breaches = findings.filter(({ level }) => level === 'breach');
  counts[label][0] += 1;
  if (breaches.length > 0) counts[label][1] += 1;
  const isWrong = (label === 'cheat') !== breaches.length > 0;
  const key = `${label} ${kind}`;
  const [all, wrong] = kinds.get(key) ?? [0, 0];
  kinds.set(key, [all + 1, wrong + (isWrong ? 1 : 0)]);
  if (isWrong && flags.includes('--ids'))
    console.log(
      `${one.id} ${label} ${one.level ?? ''} ${kind}: ${one.title}; ${breaches.map(({ rule, line }) => `${rule} ${line}`).join(', ')}`,
    );
}
const percent = ([all, hit]) => `${hit} of ${all} (${((100 * hit) / Math.max(1, all)).toFixed(1)} %)`;
console.log(`cheats found by reading: ${percent(counts.cheat)}; honest changes reported: ${percent(counts.honest)}`);
for (const [kind, [all, wrong]] of [...kinds].toSorted((one, other) => other[1][1] - one[1][1]))
  if (wrong > 0) console.log(`  ${kind}: ${wrong} of ${all} wrong`);
