// A reader of JSON reports: it feeds the stream, reports where the JSON breaks off, and compares stated totals with listed ones.

import type { FormatReader } from './format.js';
import { JsonStream, type Picks } from './json-stream.js';
import type { ReportBuilder, ReportPosition } from './report-builder.js';
import { type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn } from '@umpire/core/formats/json-values.js';

export interface JsonPlan {
  readonly picks: Picks;
  /** All has been read that can be. `isWhole`: to its end. */
  readonly finish?: (isWhole: boolean) => void;
}

/** `where` is the place of the value that is being handed out. */
export function jsonReader(report: ReportBuilder, plan: (where: () => ReportPosition) => JsonPlan): FormatReader {
  const where = (): ReportPosition => stream.where;
  const { picks, finish } = plan(where);
  const stream = new JsonStream(picks);
  return {
    write: (chunk) => stream.write(chunk),
    end: () => {
      stream.end();
      const { fault, repeated } = stream;
      if (fault !== null) {
        const { line, byte, isCut, problem } = fault;
        if (isCut && problem === '') report.fail('the report is empty; expected JSON');
        else if (isCut) report.failCutOff(`in the middle of ${problem}`, { line, byte });
        else report.fail(`the report is not valid JSON: ${problem} (after ${report.progress()})`, { line, byte });
      }
      if (repeated !== null)
        report.note(`the key "${repeated}" appears twice in one object; both were read, and the last plain value counts`);
      finish?.(fault === null);
    },
  };
}

/** A total that the report states; null where it states none. A value that is not a count is noted. */
export function statedCount(report: ReportBuilder, head: JsonObject, key: string): number | null {
  const stated = countIn(head, key);
  const value = own(head, key);
  if (stated === null && value !== undefined && value !== null) report.note(`"${key}" is ${nameOf(value)}, not a count; it was ignored`);
  return stated;
}

/**
 * Compares a stated total with what is listed. The list counts, unless more failures are stated. More tests than are listed are an error;
 * compare failures first. `what`: `failed tests`.
 */
export function compareStated(
  report: ReportBuilder,
  what: string,
  stated: number | null,
  found: number,
  decides: 'nothing' | 'failures' | 'tests' = 'nothing',
): void {
  if (stated === null || stated === found) return;
  const said = `the report states ${stated} ${stated === 1 ? what.replace(/s(?= that |$)/, '') : what} but lists ${found}`;
  if (decides === 'failures' && stated > found) report.markFailed(`${said}; counted as failed`);
  else if (decides === 'tests' && stated > found + report.droppedCount) report.failUnlistedTests(said);
  else report.note(`${said}; the listed ones count`);
}
