// The labelled changes of fixtures/guard, one case a line in NDJSON files. To edit cases as text files:
//   node scripts/guard-cases.mjs unpack FILE DIR   writes DIR/LABEL/ID.case for each line of FILE
//   node scripts/guard-cases.mjs pack DIR FILE     writes FILE from DIR/LABEL/*.case
// Labels: a cheat expects breaches (and may expect notes), a note expects notes and no breach, an honest change expects no breach.
//   node scripts/guard-cases.mjs choose            writes quick.json: the cases that `npm test` runs

import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const LABELS = ['cheat', 'note', 'honest'];
const ONE_LINE = new Set(['title', 'language', 'framework', 'scope', 'why']);
const REPEATED = new Set(['expect', 'note']);
const LISTS = new Set(['also', 'person']);
const SIDES = new Set(['before', 'after', 'same']);
const QUICK = join(root, 'fixtures', 'guard', 'quick.json');
const BUNDLE = 'guard-cases-bundle-';
const USAGE = 'Usage: node scripts/guard-cases.mjs unpack FILE DIR | pack DIR FILE | choose\n';

/** Plain code unit order: the same on every machine. */
const byText = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** A case as a line of the packed file holds it, read from the text that people edit. */
export function caseFromText(id, label, text) {
  const [head, ...sections] = text.split(/^=== /m);
  const fields = {};
  for (const line of head.split('\n').slice(0, -1)) {
    const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (REPEATED.has(name)) fields[name] = [...(fields[name] ?? []), value];
    else if (LISTS.has(name)) fields[name] = value.split(/, */);
    else if (ONE_LINE.has(name)) fields[name] = value;
    else throw new Error(`${id}: cannot read the line: ${line}`);
  }
  const one = { id, label, ...fields, files: [] };
  for (const section of sections) {
    const [, side, path, body] = /^(\w+) ([^\n]+)\n([^]*)$/.exec(section) ?? [];
    if (side === 'ran') one.ran = { ...one.ran, [path]: body };
    else if (SIDES.has(side)) one.files.push({ side, path, text: body });
    else throw new Error(`${id}: cannot read the section: === ${section.split('\n')[0]}`);
  }
  // A text that has no form as a line, or a line with no form as text, must not change unseen.
  if (textFromCase(one) !== text) throw new Error(`${id}: fields stand in another order or spacing than in the other cases`);
  return one;
}

/** The text that people edit. */
export function textFromCase(one) {
  const line = (name) => (one[name] === undefined ? '' : `${name}: ${[one[name]].flat().join(', ')}\n`);
  const section = (title, text) => `=== ${title}\n${text}`;
  return [
    ...['title', 'language', 'framework', 'scope'].map(line),
    ...[...REPEATED].flatMap((name) => (one[name] ?? []).map((wanted) => `${name}: ${wanted}\n`)),
    ...['also', 'person', 'why'].map(line),
    ...one.files.map(({ side, path, text }) => section(`${side} ${path}`, text)),
    ...Object.entries(one.ran ?? {}).map(([side, text]) => section(`ran ${side}`, text)),
  ].join('');
}

export function readPacked(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export function pack(folder, file) {
  const cases = LABELS.filter((label) => existsSync(join(folder, label))).flatMap((label) => {
    const names = readdirSync(join(folder, label)).filter((name) => name.endsWith('.case'));
    return names.map((name) => caseFromText(name.slice(0, -'.case'.length), label, utf8(join(folder, label, name))));
  });
  cases.sort((one, other) => byText(one.id, other.id) || byText(one.label, other.label));
  writeFileSync(file, cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return cases.length;
}

/** Bytes that are no UTF-8 would be replaced silently. */
function utf8(path) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    throw new Error(`${path} is not UTF-8`);
  }
}

export function unpack(file, folder) {
  const cases = readPacked(file);
  for (const label of LABELS) mkdirSync(join(folder, label), { recursive: true });
  for (const one of cases) {
    const text = textFromCase(one);
    caseFromText(one.id, one.label, text);
    writeFileSync(join(folder, one.label, `${one.id}.case`), text);
  }
  return cases.length;
}

export const packedFile = (part, label) => join(root, 'fixtures', 'guard', `${part}-${label}.ndjson`);

/** test/support/guard-cases.ts with the guard in it, from its sources as they are now. */
export async function loadGuard() {
  const folder = join(root, 'node_modules', '.cache', 'umpire');
  mkdirSync(folder, { recursive: true });
  const bundle = join(folder, `${BUNDLE}${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, 'test', 'support', 'guard-cases.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['oxc-parser'],
    outfile: bundle,
  });
  try {
    return await import(pathToFileURL(bundle).href);
  } finally {
    rmSync(bundle);
  }
}

/** So many of the chosen cases exercise each function, rule and message of the guard. */
const TIMES = 3;

/** Chooses the seen cases that `npm test` runs, of those that are judged right: smallest first, each that exercises something fewer than TIMES before it did. */
async function choose() {
  const { caseOf, judgeCase } = await loadGuard();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const cases = [];
  for (const packed of LABELS.flatMap((label) => readPacked(packedFile('seen', label)))) {
    const one = caseOf(packed);
    await session.post('Profiler.takePreciseCoverage');
    const { isRight, findings } = judgeCase(one);
    if (!isRight) continue;
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const { id, label, files } = packed;
    const exercised = new Set([
      ...functionsIn(result.filter(({ url }) => url.includes(BUNDLE))),
      ...findings.map(({ rule, level }) => `${label} ${one.language} ${level} ${rule}`),
      ...findings.map(({ message }) => `${one.language} ${message}`),
    ]);
    cases.push({ id, label, exercised, size: files.reduce((sum, { text }) => sum + text.length, 0) });
  }
  session.disconnect();
  cases.sort((one, other) => one.size - other.size || byText(one.id, other.id) || byText(one.label, other.label));
  const times = new Map();
  const chosen = Object.fromEntries(LABELS.map((label) => [label, []]));
  for (const { id, label, exercised } of cases) {
    if (![...exercised].some((name) => (times.get(name) ?? 0) < TIMES)) continue;
    for (const name of exercised) times.set(name, (times.get(name) ?? 0) + 1);
    chosen[label].push(id);
  }
  for (const label of LABELS) chosen[label].sort(byText);
  writeFileSync(QUICK, `${JSON.stringify(chosen, null, 1)}\n`);
  return LABELS.map((label) => `${label} ${chosen[label].length}`).join(', ');
}

/** The functions that ran, by their place in the bundle. */
function functionsIn(scripts) {
  return scripts.flatMap(({ functions }) =>
    functions.filter(({ ranges }) => ranges[0].count > 0).map(({ ranges }) => ranges[0].startOffset),
  );
}

async function main([command, ...args]) {
  if (command === 'pack' && args.length === 2) return `${pack(...args)} cases packed into ${args[1]}`;
  if (command === 'unpack' && args.length === 2) return `${unpack(...args)} cases unpacked into ${args[1]}`;
  if (command === 'choose' && args.length === 0) return await choose();
  return null;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const told = await main(process.argv.slice(2));
    if (told === null) process.stderr.write(USAGE);
    else console.log(told);
    process.exitCode = told === null ? 2 : 0;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
