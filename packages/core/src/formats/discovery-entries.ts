// The reader `entries`: lines of discoveries.ndjson, each entry's data as an item of a list. Also the cutting of such
// lines for the reader `critique-entries`. Which entries are handed over is the caller's choice.

import type { Item, Scalar } from '../model.js';
import { findRepeatedKey } from './json-keys.js';
import { isObject, nameOf, own, parseJson, type JsonObject } from './json-text.js';
import { readable, record, type Reader } from './reader.js';

export interface Entry {
  readonly line: number;
  readonly worker: string;
  readonly data: JsonObject;
  /** A key that the entry gives twice, so that it is unclear what it says. */
  readonly repeated?: string;
}

export const readEntries: Reader = (text) => {
  const { entries, notes } = splitEntries(text);
  return readable({ lists: [['entries', entries.map(itemOf)]], notes });
};

/** A broken line is left out and noted; an entry without `data` is its own data. */
export function splitEntries(text: string): { readonly entries: readonly Entry[]; readonly notes: readonly string[] } {
  const entries: Entry[] = [];
  const notes: string[] = [];
  text.split('\n').forEach((line, index) => {
    const start = line.trimStart()[0];
    if (start === undefined) return;
    // Asked first, because a board full of other text would cost an exception per line.
    if (start !== '{' && start !== '[') {
      notes.push(`the entry on line ${index + 1} was left out: it is not a JSON object`);
      return;
    }
    const json = parseJson(line, index + 1);
    if (!json.ok) notes.push(`an entry was left out: ${json.problem}`);
    else if (!isObject(json.value))
      notes.push(`the entry on line ${index + 1} was left out: it is ${nameOf(json.value)}, expected an object`);
    else {
      const worker = own(json.value, 'worker');
      const data = own(json.value, 'data');
      const repeated = findRepeatedKey(line)?.key;
      entries.push({
        line: index + 1,
        worker: typeof worker === 'string' ? worker : '',
        data: isObject(data) ? data : json.value,
        ...(repeated === undefined ? {} : { repeated }),
      });
    }
  });
  return { entries, notes };
}

function itemOf({ worker, data }: Entry): Item {
  return { ...scalarsOf(data), worker };
}

/** The members that a list item may hold: texts, finite numbers, flags, nothing. */
export function scalarsOf(object: JsonObject): Item {
  return record(Object.entries(object).filter((member): member is [string, Scalar | null] => isScalar(member[1]) || member[1] === null));
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
