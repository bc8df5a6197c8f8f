// Mutation reports in Stryker's schema: a mutant that no test detects is a Medium finding. The score is noted; it fails the report
// only below the report's own `break` threshold.

import type { Format, ReadOptions } from './format.js';
import { jsonReader } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';

const FOUND: ReadonlySet<string> = new Set(['killed', 'timeout']);
const MISSED: ReadonlyMap<string, string> = new Map([
  ['survived', 'no test detects it'],
  ['nocoverage', 'no test reaches it'],
]);
const BROKEN: ReadonlySet<string> = new Set(['compileerror', 'runtimeerror']);

export const stryker: Format = {
  id: 'stryker',
  title: 'Stryker mutation report',
  content: 'findings',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    !isArray &&
    ((keys.has('schemaVersion') && keys.has('thresholds')) ||
      (keys.has('files') && (text.includes('"mutants"') || text.includes('"mutatorName"')))),
  open: (report, options) => {
    const run = new MutationRun(report, options);
    return jsonReader(report, () => ({
      picks: {
        '': (value) => report.fail(`the report is ${nameOf(value)}; expected an object with "files"`),
        files: { value: (value) => report.fail(`"files" is ${nameOf(value)}; expected an object with a member for each file`) },
        'files.*': { value: (file, path) => run.file(file, path), without: ['source'] },
        thresholds: (value) => run.threshold(value),
        'config.thresholds': (value) => run.threshold(value),
      },
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
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  threshold(value: unknown): void {
    const limit = isObject(value) ? own(value, 'break') : undefined;
    if (typeof limit === 'number') this.breaksAt = Math.max(limit, this.breaksAt ?? limit);
  }

  file(value: unknown, path: string): void {
    const mutants = isObject(value) ? own(value, 'mutants') : undefined;
    if (!Array.isArray(mutants))
      return this.report.note(
        `"mutants" of "${path.slice(0, 200)}" is ${mutants === undefined ? 'missing' : nameOf(mutants)}; expected a list`,
      );
    const artifact = toProjectPath(path, this.options.root);
    for (const mutant of mutants as readonly unknown[]) this.mutant(mutant, artifact);
  }

  finish(): void {
    const { report, found, missed } = this;
    if (this.mutants === 0) return report.fail('the report has no mutants');
    if (this.pending > 0) report.fail(`${counted(this.pending, 'mutant')} still pending: the run is not finished`);
    if (this.broken > 0) report.note(`${counted(this.broken, 'mutant')} could not be compiled or run; left out of the score`);
    if (found + missed === 0) return report.fail('no mutant was tried against a test; expected at least one killed or survived');
    const score = Math.floor((found / (found + missed)) * 10_000) / 100;
    report.note(`mutation score ${score}: tests detected ${found} of ${found + missed} mutants`);
    if (this.breaksAt !== null && score < this.breaksAt)
      report.markFailed(`the mutation score ${score} is below the report's limit of ${this.breaksAt}`);
  }

  private mutant(value: unknown, artifact: string | null): void {
    if (!isObject(value)) return this.report.drop(`a mutant is ${nameOf(value)}; expected an object`);
    this.mutants += 1;
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
    if (why === undefined) this.report.note(`unknown mutant status "${said.slice(0, 40)}"; counted as survived`);
    const name = textIn(mutant, 'mutatorName') || 'a mutant';
    const what = textIn(mutant, 'description') || textIn(mutant, 'replacement');
    this.report.addFinding({
      severity: 'medium',
      message: `${name}: ${why ?? 'counted as survived'}${what === '' ? '' : ` (${what.slice(0, 200)})`}`,
      artifact,
      line: lineIn(objectIn(objectIn(mutant, 'location'), 'start'), 'line'),
      rule: textIn(mutant, 'mutatorName'),
    });
  }
}
