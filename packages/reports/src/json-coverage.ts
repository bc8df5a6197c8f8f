// One file of Istanbul coverage, as coverage-final.json and the reports of Jest and Vitest hold it: statements, functions and
// branches by number, with their places. A line is covered where a statement that begins on it was run.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { CoverageFiles } from './coverage-files.js';
import { lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { LineCoverage } from './line-set.js';
import { placeInProject } from './places.js';
import type { Sheet } from './sheet.js';

export function addFileCoverage(sheet: Sheet, files: CoverageFiles, key: string, value: unknown, root: string | undefined): void {
  // Some tools wrap each file once more: `{"data": {…}}`.
  const data = isObject(value) && isObject(own(value, 'data')) ? objectIn(value, 'data') : value;
  const path = placeInProject(textIn(data, 'path') || key, root);
  const name = (path ?? key).slice(0, 200);
  if (!isObject(data)) return sheet.fail(`the coverage of "${name}" is ${nameOf(data)}; expected an object`);
  const [statements, functions, branches] = [own(data, 's'), own(data, 'f'), own(data, 'b')];
  if (!isObject(statements) && !isObject(functions) && !isObject(branches))
    return sheet.fail(`the coverage of "${name}" has no counts; expected "s", "f" and "b"`);
  const lines = files.open(path ?? 'a file without a name');
  const isRead = [
    isObject(statements) ? addStatements(lines, statements, objectIn(data, 'statementMap')) : true,
    isObject(functions) ? addFunctions(lines, functions, objectIn(data, 'fnMap')) : true,
    isObject(branches) ? addBranches(lines, branches, objectIn(data, 'branchMap')) : true,
  ].every(Boolean);
  files.close();
  if (!isRead) sheet.fail(`the coverage of "${name}" holds something that is no count; expected whole numbers from 0`);
}

function addStatements(lines: LineCoverage, counts: JsonObject, places: JsonObject): boolean {
  let [covered, total] = [0, 0];
  for (const [id, count] of Object.entries(counts)) {
    if (!isHits(count)) return false;
    total += 1;
    if (count > 0) covered += 1;
    const line = lineIn(objectIn(own(places, id), 'start'), 'line');
    if (line !== null) lines.hit(line, count);
  }
  return lines.statements(covered, total);
}

function addFunctions(lines: LineCoverage, counts: JsonObject, places: JsonObject): boolean {
  for (const [id, count] of Object.entries(counts)) {
    if (!isHits(count)) return false;
    lines.function(`${textIn(own(places, id), 'name')}#${id}`, count > 0);
  }
  return true;
}

/** `b` has a list of counts for each branch: one for every way through it. */
function addBranches(lines: LineCoverage, counts: JsonObject, places: JsonObject): boolean {
  for (const [id, ways] of Object.entries(counts)) {
    const place = own(places, id);
    const line = lineIn(place, 'line') ?? lineIn(objectIn(objectIn(place, 'loc'), 'start'), 'line') ?? 1;
    for (const count of Array.isArray(ways) ? (ways as readonly unknown[]) : [ways]) {
      if (!isHits(count)) return false;
      lines.branch(line, count > 0);
    }
  }
  return true;
}

/** Counts beyond what a number holds exactly are still counts. */
function isHits(count: unknown): count is number {
  return typeof count === 'number' && count >= 0;
}
