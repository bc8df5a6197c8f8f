// Mutation reports (the schema of Stryker and its kin): a mutant that no test noticed is a Medium finding. The score is noted; it
// fails the report only where the report itself names a threshold to break at.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { counted, jsonReader } from './json-reader.js';
import { lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

const FOUND: ReadonlySet<string> = new Set(['killed', 'timeout']);
const MISSED: ReadonlyMap<string, string> = new Map([
  ['survived', 'no test notices it'],
  ['nocoverage', 'no test reaches it'],
]);
const BROKEN: ReadonlySet<string> = new Set(['compileerror', 'runtimeerror']);

export const stryker: Format = {
  id: 'stryker',
  title: 'Stryker mutation report',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    !isArray &&
    ((keys.has('schemaVersion') && keys.has('thresholds')) ||
      (keys.has('files') && (text.includes('"mutants"') || text.includes('"mutatorName"')))),
  open: (options): ReportReader => {
    const sheet = new Sheet('stryker', 'findings', options);
    const run = new MutationRun(sheet, options);
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "files"`),
        files: { value: (value) => sheet.fail(`"files" is ${nameOf(value)}; expected an object with a member for each file`) },
        'files.*': { value: (file, path) => run.file(file, path), without: ['source'] },
        thresholds: (value) => run.threshold(value),
        'config.thresholds': (value) => run.threshold(value),
      },
      unit: 'mutant',
      count: () => run.mutants,
      finish: (isWhole) => {
        if (isWhole) run.finish();
      },
    }));
  },
};

class MutationRun {
  mutants = 0;
  private found = 0;
  private missed = 0;
  private broken = 0;
  private pending = 0;
  private breaksAt: number | null = null;

  constructor(
    private readonly sheet: Sheet,
    private readonly options: ReadOptions,
  ) {}

  threshold(value: unknown): void {
    const limit = isObject(value) ? own(value, 'break') : undefined;
    if (typeof limit === 'number') this.breaksAt = Math.max(limit, this.breaksAt ?? limit);
  }

  file(value: unknown, path: string): void {
    const mutants = isObject(value) ? own(value, 'mutants') : undefined;
    if (!Array.isArray(mutants))
      return this.sheet.note(
        `"mutants" of "${path.slice(0, 200)}" is ${mutants === undefined ? 'missing' : nameOf(mutants)}; expected a list`,
      );
    const artifact = placeInProject(path, this.options.root);
    for (const mutant of mutants as readonly unknown[]) this.mutant(mutant, artifact);
  }

  finish(): void {
    const { sheet, found, missed } = this;
    if (this.mutants === 0) return sheet.fail('there is no mutant in it; expected at least one');
    if (this.pending > 0) sheet.fail(`${counted(this.pending, 'mutant')} still pending: the run is not over`);
    if (this.broken > 0) sheet.note(`${counted(this.broken, 'mutant')} could not be compiled or run; left out of the score`);
    if (found + missed === 0) return sheet.fail('no mutant was tried against a test; expected at least one killed or survived');
    const score = Math.floor((found / (found + missed)) * 10_000) / 100;
    sheet.note(`mutation score ${score}: ${found} of ${found + missed} mutants were noticed`);
    if (this.breaksAt !== null && score < this.breaksAt)
      sheet.saysFailed(`the mutation score ${score} is below the report's limit of ${this.breaksAt}`);
  }

  private mutant(value: unknown, artifact: string | null): void {
    this.mutants += 1;
    if (!isObject(value)) return this.sheet.fail(`a mutant is ${nameOf(value)}; expected an object`);
    const said = textIn(value, 'status');
    const status = said.toLowerCase();
    if (FOUND.has(status)) this.found += 1;
    else if (BROKEN.has(status)) this.broken += 1;
    else if (status === 'pending') this.pending += 1;
    else if (status !== 'ignored') this.missedOne(value, artifact, said);
  }

  private missedOne(mutant: JsonObject, artifact: string | null, said: string): void {
    this.missed += 1;
    const why = MISSED.get(said.toLowerCase());
    if (why === undefined) this.sheet.note(`the status "${said.slice(0, 40)}" of a mutant is not known; it counts as survived`);
    const name = textIn(mutant, 'mutatorName') || 'a mutant';
    const what = textIn(mutant, 'description') || textIn(mutant, 'replacement');
    this.sheet.finding({
      severity: 'medium',
      message: `${name}: ${why ?? 'it counts as survived'}${what === '' ? '' : ` (${what.slice(0, 200)})`}`,
      artifact,
      line: lineIn(objectIn(objectIn(mutant, 'location'), 'start'), 'line'),
      rule: textIn(mutant, 'mutatorName'),
    });
  }
}
