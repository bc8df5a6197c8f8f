// `npm run bench`: installs and builds where needed, runs the suites of bench/, prints one table of ratios.
// `npm run bench -- cold` runs one suite; `--runs N` sets its repeats; `--soft` never fails; `--no-build` skips both.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { installIfNeeded, root, run as runCommand } from './tools.mjs';

const BENCH = join(root, 'bench');

function prepare() {
  installIfNeeded();
  installIfNeeded(BENCH);
  runCommand(process.execPath, [join(root, 'scripts', 'build.mjs')]);
}

async function runSuite(name, options) {
  console.error(`bench: ${name} …`);
  try {
    const { run } = await import(pathToFileURL(join(BENCH, `${name}.mjs`)).href);
    return await run(options);
  } catch (error) {
    console.error(`bench: ${name} could not be measured.\n${error.stack}`);
    return [{ name, ours: 'not measured', theirs: '', ratio: null, bar: null, ok: false }];
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { soft: { type: 'boolean' }, runs: { type: 'string' }, 'no-build': { type: 'boolean' } },
});
const all = readdirSync(BENCH)
  .filter((file) => file.endsWith('.mjs') && file !== 'harness.mjs' && file !== 'inputs.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();
const unknown = positionals.find((name) => !all.includes(name));
if (unknown !== undefined || (values.runs !== undefined && !(Number(values.runs) >= 1))) {
  console.error(
    unknown === undefined ? `--runs ${values.runs} is not a count.` : `There is no suite "${unknown}". Choose from: ${all.join(', ')}.`,
  );
  process.exit(2);
}
if (!values['no-build']) prepare();
const options = values.runs === undefined ? {} : { runs: Number(values.runs) };
const lines = [];
for (const name of positionals.length > 0 ? positionals : all) lines.push(...(await runSuite(name, options)));
const { printTable } = await import(pathToFileURL(join(BENCH, 'harness.mjs')).href);
printTable(lines);
const short = lines.filter(({ ok }) => ok === false);
if (short.length > 0)
  console.error(
    `\n${short.length} of ${lines.length} lines fall short. A noisy machine moves them: run that suite alone before you believe it.`,
  );
process.exitCode = short.length > 0 && !values.soft ? 1 : 0;
