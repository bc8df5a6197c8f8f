// `npm run mutate`: changes the built-in loop files in one place at a time and tells which changes are noticed, by what, and
// which are not. With --json as one object. Exit status 1 where a change goes unnoticed and nobody has said why it may.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installIfNeeded, root } from './tools.mjs';

installIfNeeded();
const { LOOPS, EQUIVALENT, builtinMutants, fateOf, scoreOf } = await load('test/support/mutation.ts');
const json = process.argv.includes('--json');

const fates = LOOPS.flatMap((loop) => {
  const mutants = builtinMutants(root, loop);
  if (!json) process.stderr.write(`${loop}: ${mutants.length} mutants …\n`);
  return mutants.map((mutant) => fateOf(loop, mutant));
});
const scores = LOOPS.map((loop) =>
  scoreOf(
    loop,
    fates.filter((fate) => fate.loop === loop),
  ),
);
const all = scoreOf('all', fates);
const survivors = fates.filter((fate) => fate.caught === 'nothing').map(({ mutant }) => ({ mutant, why: EQUIVALENT[mutant] ?? null }));
const gone = Object.keys(EQUIVALENT).filter((name) => !survivors.some(({ mutant }) => mutant === name));

process.stdout.write(json ? `${JSON.stringify({ ...all, loops: scores, survivors, gone }, null, 2)}\n` : page());
process.exitCode = all.unexplained + gone.length > 0 ? 1 : 0;

function page() {
  const heads = ['loop', 'mutants', 'caught', 'loading', 'check', 'enumeration', 'equivalent', 'unexplained'];
  const rows = [heads, ...[...scores, all].map((score) => heads.map((head) => String(score[head])))];
  const lines = rows.map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(12) : cell.padStart(heads[at].length + 2))).join(''));
  const told = survivors.map(
    ({ mutant, why }) => `${why === null ? 'SURVIVED  ' : 'equivalent'}  ${mutant}${why === null ? '' : `\n            ${why}`}`,
  );
  const stale = gone.map(
    (name) =>
      `GONE        ${name}\n            It is said to change nothing, but it is not there, or it is caught. Strike it off the list.`,
  );
  const sum = `Of ${all.mutants} mutants ${all.caught} are caught: ${all.loading} by loading, ${all.check} by check, ${all.enumeration} by enumeration (many by both). ${all.equivalent} change nothing. ${all.unexplained} went unnoticed.`;
  return `${[...lines, '', ...told, ...stale, '', sum].join('\n')}\n`;
}

async function load(entry) {
  const { build } = await import('esbuild');
  const cache = join(root, 'node_modules', '.cache', 'umpire');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'mutate-'));
  try {
    const outfile = join(folder, 'mutation.mjs');
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
    const settings = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error', banner };
    await build({ entryPoints: [join(root, entry)], outfile, ...settings });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
