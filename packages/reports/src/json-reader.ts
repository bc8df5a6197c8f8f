// A reader of JSON reports: the stream, the sheet, and what is said where the stream breaks off. What is picked is each format's.

import { nameOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { ReportReader } from './format.js';
import { JsonStream } from './json-stream.js';
import type { Picks } from './json-picks.js';
import { countIn } from '@umpire/core/formats/json-values.js';
import type { Sheet, Where } from './sheet.js';

export interface JsonPlan {
  readonly picks: Picks;
  /** What is counted while reading, for people: `test`. */
  readonly unit: string;
  readonly count: () => number;
  /** All has been read that can be. `isWhole`: to its end. */
  readonly finish?: (isWhole: boolean) => void;
}

/** `where` is the place of the value that is being handed out. */
export function jsonReader(sheet: Sheet, plan: (where: () => Where) => JsonPlan): ReportReader {
  const where = (): Where => stream.where;
  const { picks, unit, count, finish } = plan(where);
  const stream = new JsonStream(picks);
  return {
    write: (chunk) => stream.write(chunk),
    end: () => {
      stream.end();
      const { fault, repeated } = stream;
      if (fault !== null) {
        const { line, byte, isCut, problem } = fault;
        const read = `${counted(count(), unit)} ${count() === 1 ? 'was' : 'were'} read before that`;
        if (isCut && problem === '') sheet.fail('it is empty; expected JSON');
        else if (isCut)
          sheet.fail(`it ends in the middle of ${problem}: ${read}; the report was cut off or is still being written`, { line, byte });
        else sheet.fail(`it is not valid JSON: ${problem}; ${read}`, { line, byte });
      }
      if (repeated !== null)
        sheet.note(`the key "${repeated}" is given twice in one object; both are read, and of plain values the last holds`);
      finish?.(fault === null);
      return sheet.end();
    },
  };
}

/** `1 test`, `2 tests` */
export function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

/** A count that the head gives. One that is no number, such as a text, is said to be of no use; what is not there is not missed. */
export function statedIn(sheet: Sheet, head: JsonObject, key: string): number | null {
  const stated = countIn(head, key);
  const value = own(head, key);
  if (stated === null && value !== undefined && value !== null)
    sheet.note(`"${key}" in its head is ${nameOf(value)}, not a count; it was not held against the body`);
  return stated;
}

/** What a report says of itself, held against what is in it. The body holds; of failures the head may know more. `what`: `failed tests`. */
export function holdAgainst(sheet: Sheet, what: string, stated: number | null, found: number, areFailures = false): void {
  if (stated === null || stated === found) return;
  const said = `its head says ${stated} ${stated === 1 ? what.replace(/s(?= that |$)/, '') : what}, its body has ${found}`;
  if (areFailures && stated > found) sheet.saysFailed(`${said}; it counts as failed`);
  else sheet.note(`${said}; the body holds`);
}
