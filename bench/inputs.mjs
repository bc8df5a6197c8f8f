// Large reports as tools write them, for the readers' benchmarks: the same bytes for the same size on every machine. Written piece
// by piece, so that a gigabyte needs no memory. `node bench/inputs.mjs <folder> [MB]` writes all four.

import { closeSync, existsSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seededRandom } from './harness.mjs';

const MB = 1_000_000;
const PIECE = 1 << 20;
const MOST_FILES = 30_000;

/** Pieces from `next` until the size is reached, between a head and a foot. */
function write(path, bytes, { head = '', next, foot = '' }) {
  const file = openSync(path, 'w');
  let held = head;
  let written = 0;
  try {
    for (let index = 0; written + held.length + foot.length < bytes; index += 1) {
      held += next(index);
      if (held.length < PIECE) continue;
      written += writeSync(file, held);
      held = '';
    }
    writeSync(file, held + foot);
  } finally {
    closeSync(file);
  }
}

const WORDS = 'parse render token cart order user invoice query cache route layout theme parser stream commit merge worker queue'.split(
  ' ',
);

function chance(seed) {
  const random = seededRandom(seed);
  const below = (limit) => Math.floor(random() * limit);
  const word = () => WORDS[below(WORDS.length)];
  return { random, below, word };
}

/** Suites of 40 tests: 3 in 100 fail with a stack trace, 2 are skipped, now and then a test has printed something. */
export function writeJunit(path, bytes) {
  const { random, below, word } = chance(1);
  const testcase = (suite, number) => {
    const open = `    <testcase classname="src/${suite}.test.ts" name="${suite} &gt; ${word()}s the ${word()} of ${word()} ${number}" time="${random().toFixed(6)}"`;
    const luck = random();
    if (luck < 0.03) {
      const frames = Array.from({ length: 8 }, () => `      at ${word()} (/project/src/${word()}/${word()}.ts:${below(900)}:${below(80)})`);
      const said = `expected ${below(99)} to be ${below(99)} // Object.is equality`;
      return `${open}>\n      <failure message="${said}" type="AssertionError">AssertionError: ${said}\n${frames.join('\n')}\n      </failure>\n    </testcase>\n`;
    }
    if (luck < 0.05) return `${open}>\n      <skipped/>\n    </testcase>\n`;
    if (luck < 0.08)
      return `${open}>\n      <system-out>${word()} ${word()} &amp; ${word()}\nstarted in ${below(500)} ms</system-out>\n    </testcase>\n`;
    return `${open}>\n    </testcase>\n`;
  };
  const next = (index) => {
    const suite = `${word()}/${word()}-${index}`;
    const cases = Array.from({ length: 40 }, (_, number) => testcase(suite, number)).join('');
    return `  <testsuite name="src/${suite}.test.ts" timestamp="2026-03-01T09:00:00.000Z" hostname="ci" tests="40" time="${random().toFixed(3)}">\n${cases}  </testsuite>\n`;
  };
  write(path, bytes, {
    head: '<?xml version="1.0" encoding="UTF-8" ?>\n<testsuites name="vitest tests">\n',
    next,
    foot: '</testsuites>\n',
  });
}

/** Files of about 300 lines, 15 functions and 40 branches, every tenth line not reached. 100 MB are some 30,000 files, a large project;
 * in more than that they come back under the name of another test, as lcov writes it. */
export function writeLcov(path, bytes) {
  const { random, below } = chance(2);
  const next = (index) => {
    const file = index % MOST_FILES;
    // What a file is made of stays the same; how often it was run does not.
    const { below: belowOfFile, word } = chance(1000 + file);
    const test = index === file ? '' : `test_${Math.floor(index / MOST_FILES)}`;
    const lines = [`TN:${test}`, `SF:/project/src/${word()}/${word()}-${file}.ts`];
    const functions = Array.from({ length: 5 + belowOfFile(20) }, (_, number) => `${word()}${number}`);
    functions.forEach((name, at) => lines.push(`FN:${at * 12 + 1},${name}`));
    lines.push(`FNF:${functions.length}`, `FNH:${functions.length}`);
    functions.forEach((name) => lines.push(`FNDA:${below(100)},${name}`));
    let [found, hit] = [0, 0];
    for (let line = 1, last = 150 + belowOfFile(300); line < last; line += 1 + belowOfFile(2)) {
      const count = random() < 0.1 ? 0 : below(5000);
      found += 1;
      if (count > 0) hit += 1;
      lines.push(`DA:${line},${count}`);
    }
    lines.push(`LF:${found}`, `LH:${hit}`);
    for (let block = 0; block < 20; block += 1)
      lines.push(`BRDA:${block * 10 + 1},${block},0,${below(9)}`, `BRDA:${block * 10 + 1},${block},1,-`);
    lines.push('BRF:40', 'BRH:18', 'end_of_record', '');
    return lines.join('\n');
  };
  write(path, bytes, { next });
}

/** One run of a security scanner: 200 rules, results with places, fingerprints and sometimes the way the data took. */
export function writeSarif(path, bytes) {
  const { random, below, word } = chance(3);
  const place = () => ({
    physicalLocation: {
      artifactLocation: { uri: `src/${word()}/${word()}-${below(4000)}.ts`, uriBaseId: '%SRCROOT%', index: below(4000) },
      region: { startLine: 1 + below(900), startColumn: 1 + below(60), endColumn: 20 + below(80) },
    },
  });
  const rules = Array.from({ length: 200 }, (_, number) => ({
    id: `js/${WORDS[number % WORDS.length]}-${number}`,
    name: `js/${WORDS[number % WORDS.length]}-${number}`,
    shortDescription: { text: `Unsafe ${word()} of a ${word()}` },
    fullDescription: {
      text: `A ${word()} that comes from outside reaches the ${word()} without being checked, so that a ${word()} can be forged.`,
    },
    defaultConfiguration: { enabled: true, level: ['error', 'warning', 'note'][number % 3] },
    properties: { tags: ['security', 'external/cwe/cwe-079'], precision: 'high', 'security-severity': (1 + (number % 9)).toFixed(1) },
  }));
  const result = () => {
    const ruleIndex = below(rules.length);
    const from = place();
    const flow =
      random() < 0.3
        ? { codeFlows: [{ threadFlows: [{ locations: [from, place(), place(), place()].map((location) => ({ location })) }] }] }
        : {};
    return {
      ruleId: rules[ruleIndex].id,
      ruleIndex,
      rule: { id: rules[ruleIndex].id, index: ruleIndex },
      message: {
        text: `This ${word()} depends on a [user-provided value](1), and the "${word()}" is not checked before.\nSee the ${word()} of ${word()}.`,
      },
      locations: [from],
      partialFingerprints: {
        primaryLocationLineHash: `${below(1 << 30).toString(16)}${below(1 << 30).toString(16)}:1`,
        primaryLocationStartColumnFingerprint: String(below(40)),
      },
      ...flow,
      relatedLocations: [{ id: 1, ...place(), message: { text: 'user-provided value' } }],
    };
  };
  const tool = JSON.stringify({ driver: { name: 'Scanner', organization: 'Example', semanticVersion: '2.20.1', rules } });
  const head = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":${tool},"results":[`;
  write(path, bytes, {
    head,
    next: (index) => `${index === 0 ? '' : ','}${JSON.stringify(result())}`,
    foot: '],"columnKind":"utf16CodeUnits"}]}\n',
  });
}

/** Rows of tasks: every value quoted where it needs to be, some with commas, quotes and lines of their own. */
export function writeCsv(path, bytes) {
  const { random, below, word } = chance(4);
  const text = () => {
    const plain = `${word()} the ${word()} so that every ${word()} is ${word()}ed once`;
    if (random() < 0.7) return plain;
    return random() < 0.8 ? `"${plain}, then the ${word()}"` : `"${plain}\nand ""${word()}"" as well"`;
  };
  const next = (index) =>
    `TASK-${index},${word()} ${word()},${text()},${word()},${index === 0 ? '' : `TASK-${below(index)}`},,csv-wave,${1 + (index % 9)},completed,${text()},\n`;
  write(path, bytes, { head: 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,error\n', next });
}

const WRITERS = { 'junit.xml': writeJunit, 'lcov.info': writeLcov, 'scan.sarif': writeSarif, 'tasks.csv': writeCsv };

/** The path of one of them, written where it is not there yet. */
export function input(folder, name, megabytes = 100) {
  const path = join(folder, `${megabytes}-${name}`);
  if (!existsSync(path) || statSync(path).size < megabytes * MB * 0.9) WRITERS[name](path, megabytes * MB);
  return path;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder = '.', megabytes = '100'] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(WRITERS)) console.log(input(folder, name, Number(megabytes)));
}
