// What a value of the settings may be: one small rule a kind, each with the words for people. A rule reads a value or says
// what is allowed; where it stands is the caller's business.

import { nearestWord } from '@umpire/core/formats/nearest-word.js';

export type Path = readonly (string | number)[];

/** Thrown while reading, caught by settings.ts, which knows the line. */
export class Misfit extends Error {
  constructor(
    readonly path: Path,
    readonly problem: string,
  ) {
    super(problem);
  }
}

/** Reads a value that stands at `path`, or throws a `Misfit`. */
export type Rule<T> = (value: unknown, path: Path) => T;

function rule<T>(allowed: string, read: (value: unknown) => T | undefined): Rule<T> {
  return (value, path) => {
    const result = read(value);
    if (result === undefined) throw new Misfit(path, `it must be ${allowed}, ${value === null ? 'and is empty' : `not ${show(value)}`}`);
    return result;
  };
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'that';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

export const flag = rule('true or false', (value) => (typeof value === 'boolean' ? value : undefined));

export function whole(least: number, most: number): Rule<number> {
  const fits = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return rule(`a whole number from ${least} to ${most}`, (value) => (fits(value) ? value : undefined));
}

export function amount(most: number): Rule<number> {
  const fits = (value: unknown): value is number => typeof value === 'number' && value > 0 && value <= most;
  return rule(`a number above 0, at most ${most}`, (value) => (fits(value) ? value : undefined));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}

export function text(what: string): Rule<string> {
  return rule(what, (value) => (isText(value) ? value.trim() : undefined));
}

/** Words as a person would type them in a terminal, or the list of them. No shell reads either, but for the text of `notify`. */
export const command = rule(
  'a command such as "node my-agent.mjs", or the list of its words',
  (value): string | readonly string[] | undefined => {
    if (isText(value)) return value.trim();
    const words =
      Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0')) ? (value as string[]) : [];
    return isText(words[0]) ? words : undefined;
  },
);

export function choice<const T extends string>(words: readonly T[]): Rule<T> {
  return rule(`one of ${words.join(', ')}`, (value) => words.find((word) => word === value));
}

/** A day that there is. */
export const day = rule('a day such as 2026-06-30', (value) => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  const time = Date.parse(`${value}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value ? undefined : value;
});

export const onlyTrue = rule('true, or left out', (value): true | undefined => (value === true ? true : undefined));

/** A path that stays inside the project. */
export const inside = rule('a path inside the project, without ".."', (value) =>
  isText(value) && !/^([/\\~]|[A-Za-z]:)/.test(value.trim()) && !value.split(/[/\\]/).includes('..') ? value.trim() : undefined,
);

export function listOf<T>(item: Rule<T>, what: string): Rule<readonly T[]> {
  const isList = rule(what, (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));
  return (value, path) => isList(value, path).map((one, index) => item(one, [...path, index]));
}

function objectAt(value: unknown, path: Path, what: string): Readonly<Record<string, unknown>> {
  const isObject = rule(what, (one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? (one as Record<string, unknown>) : undefined,
  );
  return isObject(value, path);
}

/** Names of a person's own choice, each with a value of the same kind. */
export function mapOf<T>(item: Rule<T>, what: string, nameFits: RegExp, nameIs: string): Rule<Readonly<Record<string, T>>> {
  return (value, path) =>
    Object.fromEntries(
      Object.entries(objectAt(value, path, what)).map(([name, one]) => {
        if (!nameFits.test(name)) throw new Misfit([...path, name], `this name is not allowed: ${nameIs}`);
        return [name, item(one, [...path, name])];
      }),
    );
}

type Fields = Readonly<Record<string, Rule<unknown>>>;

export type Read<F extends Fields> = { readonly [K in keyof F]?: ReturnType<F[K]> };

/** The known keys of an object. Others are refused, with the one that is meant where that can be guessed; those in `free` are left alone. */
export function fieldsOf<F extends Fields>(fields: F, what: string, free: RegExp | null = null): Rule<Read<F>> {
  const known = Object.keys(fields);
  return (value, path) => {
    const read: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(objectAt(value, path, what))) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field !== undefined) read[key] = field(one, [...path, key]);
      else if (free?.test(key) !== true) throw new Misfit([...path, key], `this key is not known here; ${instead(key, known)}`);
    }
    return read as Read<F>;
  };
}

function instead(key: string, known: readonly string[]): string {
  const meant = nearestWord(key, known) ?? holding(key, known);
  return meant === null ? `there are ${known.join(', ')}` : `did you mean "${meant}"?`;
}

/** The only known word that holds this one as a part: `rounds` in `max_rounds`. */
function holding(word: string, known: readonly string[]): string | null {
  const found = known.filter((one) => `_${one}_`.includes(`_${word.toLowerCase().replaceAll('-', '_')}_`));
  return found.length === 1 ? (found[0] ?? null) : null;
}
