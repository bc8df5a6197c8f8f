// The broken variants of the built-in loops in fixtures/check: reads the list and applies its edits to a loop. It knows only paths, ids
// and lists, not the meaning of a loop.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

type Path = readonly (string | number)[];

type Edit =
  | { readonly at: Path; readonly set: unknown }
  | { readonly at: Path; readonly remove: true }
  | { readonly at: Path; readonly swap: string | number }
  | { readonly at: Path; readonly insert: unknown; readonly before?: string | number };

export interface Variant {
  readonly name: string;
  readonly loop: string;
  /** What went wrong in this edit, for people. */
  readonly why: string;
  readonly edits: readonly Edit[];
  /** The check must report each of these; it may report others too. */
  readonly complaints: readonly { readonly code: string; readonly at: string }[];
}

const FILE = join(import.meta.dirname, '..', '..', 'fixtures', 'check', 'variants.yaml');

export function readVariants(): readonly Variant[] {
  return parse(readFileSync(FILE, 'utf8')) as readonly Variant[];
}

/** A changed copy of the loop. */
export function applyEdits(loopObject: unknown, edits: readonly Edit[]): unknown {
  const copy: unknown = structuredClone(loopObject);
  for (const edit of edits) applyEdit(copy, edit);
  return copy;
}

function applyEdit(loop: unknown, edit: Edit): void {
  if ('insert' in edit) {
    const list = resolve(loop, edit.at, edit.at.length);
    if (!Array.isArray(list)) throw new Error(`There is no list at ${edit.at.join('.')} to insert into.`);
    list.splice(edit.before === undefined ? list.length : indexIn(list, edit.before, edit.at), 0, structuredClone(edit.insert));
    return;
  }
  const parent = resolve(loop, edit.at, edit.at.length - 1);
  const step = edit.at.at(-1);
  if (step === undefined) throw new Error('An edit needs a path of at least one step.');
  if (Array.isArray(parent)) changeList(parent, step, edit);
  else changeObject(parent as Record<string, unknown>, String(step), edit);
}

function changeList(list: unknown[], step: string | number, edit: Exclude<Edit, { readonly insert: unknown }>): void {
  const index = indexIn(list, step, edit.at);
  if ('set' in edit) list[index] = structuredClone(edit.set);
  else if ('remove' in edit) list.splice(index, 1);
  else {
    const other = indexIn(list, edit.swap, edit.at);
    [list[index], list[other]] = [list[other], list[index]];
  }
}

function changeObject(object: Record<string, unknown>, key: string, edit: Exclude<Edit, { readonly insert: unknown }>): void {
  if ('set' in edit) {
    object[key] = structuredClone(edit.set);
    return;
  }
  if ('swap' in edit) throw new Error(`Only entries of a list can be swapped, and ${edit.at.join('.')} is none.`);
  if (!Object.hasOwn(object, key)) throw new Error(`There is nothing at ${edit.at.join('.')} to remove.`);
  delete object[key];
}

/** The object or list at the first `length` steps of the path. */
function resolve(loop: unknown, at: Path, length: number): object {
  let here: unknown = loop;
  for (const step of at.slice(0, length)) {
    if (Array.isArray(here)) here = here[indexIn(here, step, at)] as unknown;
    else here = isObject(here) && Object.hasOwn(here, step) ? (here as Record<string, unknown>)[step] : undefined;
  }
  if (!isObject(here)) throw new Error(`The path ${at.join('.')} leads nowhere: there is nothing at ${at.slice(0, length).join('.')}.`);
  return here;
}

/** An index, or the id of an entry: `R6` is the first with this id, `R6#2` the second. */
function indexIn(list: readonly unknown[], step: string | number, at: Path): number {
  if (typeof step === 'number') {
    if (step < 0 || step >= list.length) throw new Error(`The path ${at.join('.')} leads nowhere: the list has no entry ${step}.`);
    return step;
  }
  const [id, nth = '1'] = step.split('#');
  const places = list.flatMap((entry, index) => (isObject(entry) && 'id' in entry && entry.id === id ? [index] : []));
  const place = places[Number(nth) - 1];
  if (place === undefined) throw new Error(`The path ${at.join('.')} leads nowhere: the list has no entry called ${step}.`);
  return place;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
