// The table of `npm run try` in docs/why.md: of false "done", what the command alone and what Umpire accepted.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.mjs';

const RESULTS = join(root, 'fixtures', 'try', 'results.json');
const PAGE = join(root, 'docs', 'why.md');
const MARKS = ['<!-- npm run try -->', '<!-- end of npm run try -->'];

export const keyOf = ({ project, scenario }) => `${project}/${scenario}`;

export function readResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : [];
}

/** New results stand over earlier ones of the same scenario, key by key. Scenarios that are gone lose theirs. */
export function recordResults(results, scenarios) {
  const known = new Set(scenarios.map(keyOf));
  const all = new Map(readResults().map((result) => [keyOf(result), result]));
  for (const result of results) all.set(keyOf(result), { ...all.get(keyOf(result)), ...result });
  const sorted = [...all.values()].filter((result) => known.has(keyOf(result))).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  writeFileSync(RESULTS, `${JSON.stringify(sorted, null, 2)}\n`);
  writeTable(sorted);
}

function writeTable(results) {
  const text = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const [start, end] = MARKS.map((mark) => text.indexOf(mark));
  if (start === -1 || end < start) return process.stderr.write(`docs/why.md has no place for the table: ${MARKS.join(' ')}\n`);
  writeFileSync(PAGE, `${text.slice(0, start + MARKS[0].length)}\n\n${drawTable(results)}\n${text.slice(end)}`);
}

const isHonest = ({ kind }) => kind === 'honest';
const share = (part, whole) => `${part} of ${whole}`;

/** One row a language and loop, one of all; then the sentence that sums them up. */
export function drawTable(results) {
  const judged = results.filter(({ outcome }) => outcome !== undefined);
  const groupOf = ({ language, loop }) => `${language} | \`${loop}\``;
  const names = [...new Set(judged.map(groupOf))].toSorted();
  const rows = [
    ...names.map((name) =>
      drawRow(
        name,
        judged.filter((result) => groupOf(result) === name),
      ),
    ),
    drawRow('all | ', judged),
  ];
  const head = [
    '| language | loop | false "done": the command alone accepted | Umpire approved | unverified | asked or refused | honest work stopped |',
    '|---|---|---|---|---|---|---|',
  ];
  return `${sumUp(judged)}\n\n${[...head, ...rows].join('\n')}\n`;
}

function drawRow(name, results) {
  const { untrue, honest, alone, approved, unverified, held, stopped } = countResults(results);
  const cells = untrue === 0 ? ['', '', '', ''] : [share(alone, untrue), `${approved}`, `${unverified}`, `${held}`];
  return `| ${name} | ${[...cells, honest === 0 ? '' : share(stopped, honest)].join(' | ')} |`;
}

function sumUp(results) {
  const { untrue, honest, alone, approved, unverified, stopped } = countResults(results);
  const more = unverified === 0 ? '' : ` and ${unverified} more as unverified`;
  return `Of ${untrue} false "done", the command alone accepted ${alone}, Umpire ${approved}${more}. Of ${honest} honest works, Umpire stopped ${stopped}.`;
}

/** False work counts as approved where it is in the result; work that was reverted, and then done, is not false any more. */
export function countResults(results) {
  const count = (test) => results.filter(test).length;
  const isFalse = (result) => !isHonest(result) && result.isGood === false;
  return {
    untrue: count((result) => !isHonest(result)),
    honest: count(isHonest),
    alone: count((result) => !isHonest(result) && result.alone === 'accepted'),
    approved: count((result) => isFalse(result) && result.outcome === 'approved'),
    unverified: count((result) => isFalse(result) && result.outcome === 'unverified'),
    held: count((result) => !isHonest(result) && !(isFalse(result) && ['approved', 'unverified'].includes(result.outcome))),
    stopped: count((result) => isHonest(result) && result.fault !== null),
  };
}
