// Examples in docstrings and in texts: `>>> total([1, 2])` and what must be printed.

import { endOfLine, findLines, startOfLine } from '../lines.js';
import type { Line } from '../lines.js';
import type { Place, Statement } from '../nodes.js';
import { readPython } from './lower.js';
import { parsePython } from './parser/parse.js';
import type { Stmt } from './parser/tree.js';

export interface Example extends Place {
  /** Without the prompts. */
  readonly code: readonly Line[];
  readonly wanted: readonly Line[];
}

export interface Docstring {
  /** `Cart.total`; empty for the module. */
  readonly name: string;
  /** Between its quotes; null where there is none. */
  readonly inside: Place | null;
  /** The first line of the body: there a docstring may stand. Null where the body begins on the line of its head. */
  readonly start: number | null;
  readonly indent: string;
}

/** Null: the file is no Python. */
export function findDocstrings(text: string): readonly Docstring[] | null {
  const { body, problem } = parsePython(text);
  if (problem !== null) return null;
  const found: Docstring[] = [];
  const visit = (statements: readonly Stmt[], path: readonly string[], isOwner: boolean): void => {
    const [first] = statements;
    if (isOwner && first !== undefined) {
      const line = startOfLine(text, first.start);
      const indent = text.slice(line, first.start);
      const isText = first.type === 'Expression' && first.value.type === 'String' && !first.value.bytes;
      found.push({
        name: path.join('.'),
        inside: isText ? insideQuotes(text, { from: first.start, to: first.end }) : null,
        start: /^\s*$/.test(indent) ? line : null,
        indent,
      });
    }
    for (const statement of statements) {
      if (statement.type === 'Function' || statement.type === 'Class') visit(statement.body, [...path, statement.name], true);
      else if (statement.type === 'If') for (const branch of statement.branches) visit(branch.body, path, false);
      else if (statement.type === 'Try') visit([...statement.body, ...statement.other], path, false);
    }
  };
  visit(body, [], true);
  return found;
}

function insideQuotes(text: string, { from, to }: Place): Place {
  const quotes = /^[a-zA-Z]*("""|'''|"|')/.exec(text.slice(from, to));
  return quotes === null ? { from, to } : { from: from + quotes[0].length, to: to - (quotes[1]?.length ?? 0) };
}

/** Examples that no empty line and no other words part belong together: what one sets, the next uses. */
export function findExampleGroups(text: string, { from, to }: Place): readonly (readonly Example[])[] {
  const groups: Example[][] = [];
  let example: { code: Line[]; wanted: Line[] } | null = null;
  let group: Example[] = [];
  const closeExample = (): void => {
    if (example !== null) {
      const last = example.wanted.at(-1) ?? example.code.at(-1);
      group.push({ ...example, from: example.code[0]?.from ?? 0, to: last?.to ?? 0 });
    }
    example = null;
  };
  const closeGroup = (): void => {
    closeExample();
    if (group.length > 0) groups.push(group);
    group = [];
  };
  for (const line of findLines(text, from, to)) {
    const prompt = /^(\s*>>>)(?: (.*)|)$/.exec(line.text);
    const more = /^(\s*\.\.\.)(?: (.*)|)$/.exec(line.text);
    if (prompt !== null) {
      closeExample();
      const start = from === line.from ? line.from + line.text.indexOf('>>>') : line.from;
      example = { code: [{ ...line, from: start, text: prompt[2] ?? '' }], wanted: [] };
    } else if (example === null) continue;
    else if (more !== null && (example as { wanted: Line[] }).wanted.length === 0)
      (example as { code: Line[] }).code.push({ ...line, text: more[2] ?? '' });
    else if (line.text.trim() === '') closeGroup();
    else (example as { wanted: Line[] }).wanted.push(line);
  }
  closeGroup();
  return groups;
}

/** The whole lines of a group, as far as they are inside the text. */
export function placeOfGroup(text: string, group: readonly Example[]): Place {
  const [first, last] = [group[0], group.at(-1)];
  const from = first?.from ?? 0;
  const start = startOfLine(text, from);
  return { from: text.slice(start, from).trim() === '' ? start : from, to: Math.min(last?.to ?? 0, endOfLine(text, (last?.to ?? 1) - 1)) };
}

export interface Doctest extends Place {
  /** `Cart.total`; empty for the module. */
  readonly name: string;
  /** What it runs, and what must be printed as a check. */
  readonly body: readonly Statement[];
}

/** The examples of each docstring are one test, as its runner has it. What is skipped is no part of it. */
export function lowerDoctests(text: string): readonly Doctest[] {
  return (text.includes('>>> ') ? (findDocstrings(text) ?? []) : []).flatMap(({ name, inside }) => {
    const groups = inside === null ? [] : findExampleGroups(text, inside);
    const [first, last] = [groups[0]?.[0], groups.at(-1)?.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [{ name, from: first.from, to: last.to, body: groups.flat().flatMap((example) => lowerExample(text, example)) }];
  });
}

function lowerExample(text: string, { code, wanted, from, to }: Example): readonly Statement[] {
  if (code.some((line) => /#\s*doctest:.*\+SKIP/.test(line.text))) return [];
  const starts: { readonly at: number; readonly shift: number }[] = [];
  let joined = '';
  for (const line of code) {
    starts.push({ at: joined.length, shift: text.indexOf(line.text, line.from) - joined.length });
    joined += `${line.text}\n`;
  }
  const body = movePlaces(readPython('example.py', joined).body, (at) => at + (starts.findLast((start) => start.at <= at)?.shift ?? 0));
  const last = body.at(-1);
  if (wanted.length === 0 || last?.kind !== 'expression') return body;
  const printed = wanted.map((line) => line.text.trim()).join('\n');
  const right = { kind: 'text', value: printed, from: wanted[0]?.from ?? from, to } as const;
  const test = { kind: 'binary', op: '==', left: last.value, right, from, to } as const;
  return [...body.slice(0, -1), { kind: 'assert', test, from, to }];
}

/** The same tree with its places in another text. */
function movePlaces<Tree>(tree: Tree, move: (at: number) => number): Tree {
  if (Array.isArray(tree)) return tree.map((item: unknown) => movePlaces(item, move)) as Tree;
  if (typeof tree !== 'object' || tree === null) return tree;
  const moved = Object.entries(tree).map(([key, value]: [string, unknown]) => [
    key,
    (key === 'from' || key === 'to') && typeof value === 'number' ? move(value) : movePlaces(value, move),
  ]);
  return Object.fromEntries(moved) as Tree;
}
