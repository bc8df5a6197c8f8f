// Small defects in source, one at a time: a good test notices them. From the trees of JavaScript, TypeScript and Python, and from the operators
// of other languages. A library would do the first two, but @stryker-mutator/instrumenter installs 67 packages (26 MB) for what a walk over the
// trees at hand does.

import { isForeignCode, isJavaScript, isPython, isRust } from '../syntax/nodes.js';
import { createLineCounter } from '../syntax/lines.js';
import { parseJavaScript } from '../syntax/javascript/lower.js';
import { parsePython } from '../syntax/python/parser/parse.js';
import { listImports } from '../project/imports.js';
import { isJudge } from './judges.js';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly from: number;
  readonly to: number;
  /** Takes the place of what stands there. */
  readonly text: string;
  /** `negates a condition` */
  readonly what: string;
  /** The named functions and methods around it, the outermost first. */
  readonly within: readonly string[];
}

type Edit = Pick<Mutant, 'from' | 'to' | 'text' | 'what'>;

/** A node of either tree. */
interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Empty where the file is no code that can be read. */
export function mutantsIn(file: string, text: string): readonly Mutant[] {
  if (isForeignCode(file) || isRust(file)) return operatorMutants(file, text);
  const tree = isJavaScript(file) ? parseJavaScript(file, text) : isPython(file) ? parsePython(text) : null;
  if (tree === null || tree.problem !== null) return [];
  const rules = isPython(file) ? PYTHON_RULES : JAVASCRIPT_RULES;
  const found: Mutant[] = [];
  const walkNode = (node: TreeNode, around: readonly string[]): void => {
    const name = readNodeName(node);
    const within = name === null ? around : [...around, name];
    for (const edit of rules[node.type]?.(node, text) ?? [])
      found.push({ ...edit, file, line: text.slice(0, edit.from).split('\n').length, within });
    for (const [key, value] of Object.entries(node)) {
      if (isSkippedKey(node, key)) continue;
      for (const child of Array.isArray(value) ? value.flatMap(childNodes) : childNodes(value)) walkNode(child, within);
    }
  };
  for (const node of tree.body as unknown as readonly TreeNode[]) walkNode(node, []);
  return found;
}

/** Texts and comments, operators, constants, and names that a declaration gives. */
const TOKENS =
  /(?<aside>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[^]*?\*\/|(?<![$\w{])#[^\n]*|^[ \t]*(?:import|include|use|using|require|package|module|namespace|#\[)\b[^\n]*)|\b(?:func|function|fn|def|sub)\s+(?:\([^)\n]*\)\s*)?(?:self\.)?(?<name>\w+)|(?<operator>===?|!==?|(?<=\s)(?:<=|>=|<|>|-eq|-ne|-lt|-ge|-gt|-le|-z|-n)(?=\s)|&&|\|\||(?<=\s)[-+*/](?=\s))|(?<constant>\b(?:true|false)\b|(?<![\w.$])\d+(?![\w.]))/gm;

const FOREIGN_OPERATORS: Readonly<Record<string, readonly [text: string, what: string]>> = {
  '==': ['!=', 'changes a comparison'],
  '===': ['!==', 'changes a comparison'],
  '!=': ['==', 'changes a comparison'],
  '!==': ['===', 'changes a comparison'],
  '<': ['>=', 'changes a comparison'],
  '<=': ['>', 'changes a comparison'],
  '>': ['<=', 'changes a comparison'],
  '>=': ['<', 'changes a comparison'],
  '-eq': ['-ne', 'changes a comparison'],
  '-ne': ['-eq', 'changes a comparison'],
  '-lt': ['-ge', 'changes a comparison'],
  '-ge': ['-lt', 'changes a comparison'],
  '-gt': ['-le', 'changes a comparison'],
  '-le': ['-gt', 'changes a comparison'],
  '-z': ['-n', 'negates a condition'],
  '-n': ['-z', 'negates a condition'],
  '&&': ['||', 'changes an operator'],
  '||': ['&&', 'changes an operator'],
  '+': ['-', 'changes an operator'],
  '-': ['+', 'changes an operator'],
  '*': ['+', 'changes an operator'],
  '/': ['*', 'changes an operator'],
};

/** By the tokens alone. One that cannot be compiled is found out when it is tried. */
function operatorMutants(file: string, text: string): readonly Mutant[] {
  const lineAt = createLineCounter(text);
  let within: readonly string[] = [];
  return [...text.matchAll(TOKENS)].flatMap(({ index, groups = {} }) => {
    const { name, operator, constant } = groups;
    if (name !== undefined) within = [name];
    const token = operator ?? constant;
    if (token === undefined) return [];
    const other = /^\d/.test(token) ? `${Number(token) + 1}` : token === 'true' ? 'false' : 'true';
    const [changed, what] = FOREIGN_OPERATORS[token] ?? [other, CONSTANT];
    return [{ file, line: lineAt(index), from: index, to: index + token.length, text: changed, what, within }];
  });
}

/** The nodes in a value: itself, or those in a plain record such as a branch of a Python `if`. */
function childNodes(value: unknown): readonly TreeNode[] {
  if (isTreeNode(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner: unknown) =>
    Array.isArray(inner) ? inner.flatMap(childNodes) : isTreeNode(inner) ? [inner] : [],
  );
}

function isTreeNode(value: unknown): value is TreeNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as TreeNode).type === 'string' &&
    typeof (value as TreeNode).start === 'number'
  );
}

/** Names, types and what decorates a function are no behaviour. */
function isSkippedKey({ type, computed }: TreeNode, key: string): boolean {
  if (key === 'decorators' || key === 'annotation' || key === 'returns' || key === 'typeAnnotation') return true;
  if (key === 'source' || key === 'attributes') return true;
  return key === 'key' && type !== 'Dict' && computed !== true;
}

/** The function that a node begins: by its own name, or by what it is assigned to. */
function readNodeName({ type, id, key, name, left }: TreeNode): string | null {
  if (type === 'Function') return String(name);
  if (type === 'FunctionDeclaration' || type === 'VariableDeclarator') return identifierIn(id);
  if (type === 'MethodDefinition' || type === 'Property' || type === 'PropertyDefinition') return identifierIn(key);
  return type === 'AssignmentExpression' && isTreeNode(left) ? identifierIn(left['property'] ?? left) : null;
}

function identifierIn(node: unknown): string | null {
  return isTreeNode(node) && typeof node['name'] === 'string' ? node['name'] : null;
}

type Rules = Readonly<Record<string, (node: TreeNode, text: string) => readonly Edit[]>>;

const NEGATES = 'negates a condition';
const SHIFTS = 'changes a comparison';
const SWAPS = 'changes an operator';
const DROPS = 'drops a call';
const RETURNS = 'returns nothing';
const CONSTANT = 'changes a constant';
const RAISES = 'raises another error';
const SILENCES = 'empties the message of an error';

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  is: 'is not',
  'is not': 'is',
  in: 'not in',
  'not in': 'in',
};
const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '//': '*',
  '&&': '||',
  '||': '&&',
  and: 'or',
  or: 'and',
};

function replaceNode(node: unknown, text: (old: string) => string, what: string, source: string): readonly Edit[] {
  if (!isTreeNode(node)) return [];
  return [{ from: node.start, to: node.end, text: text(source.slice(node.start, node.end)), what }];
}

/** The operator between two nodes. */
function between(left: unknown, right: unknown, op: unknown, others: Readonly<Record<string, string>>, what: string, source: string) {
  const other = typeof op === 'string' ? others[op] : undefined;
  if (other === undefined || !isTreeNode(left) || !isTreeNode(right)) return [];
  const gap = source.slice(left.end, right.start);
  const at = gap.indexOf(String(op));
  return at < 0 ? [] : [{ from: left.end + at, to: left.end + at + String(op).length, text: other, what }];
}

function isStringLiteral(node: unknown): boolean {
  return (
    isTreeNode(node) &&
    (node.type === 'String' || node.type === 'Format' || node.type === 'TemplateLiteral' || typeof node['value'] === 'string')
  );
}

function binary({ left, right, operator, op }: TreeNode, source: string): readonly Edit[] {
  const sign = operator ?? op;
  if (isStringLiteral(left) || isStringLiteral(right)) return between(left, right, sign, COMPARISONS, SHIFTS, source);
  return [...between(left, right, sign, COMPARISONS, SHIFTS, source), ...between(left, right, sign, OPERATORS, SWAPS, source)];
}

/** An error of a wider type, and one without its message: a test that asks for either notices. */
function raised(made: unknown, type: unknown, message: unknown, widest: string, source: string): readonly Edit[] {
  const isOther = isTreeNode(type) && isTreeNode(made) && identifierIn(type) !== null && identifierIn(type) !== widest;
  return [
    ...(isOther ? replaceNode(type, () => widest, RAISES, source) : []),
    ...(isStringLiteral(message) ? replaceNode(message, () => "''", SILENCES, source) : []),
  ];
}

const JAVASCRIPT_RULES: Rules = {
  ThrowStatement: ({ argument }, source) => {
    if (!isTreeNode(argument) || (argument.type !== 'NewExpression' && argument.type !== 'CallExpression')) return [];
    const [message] = argument['arguments'] as readonly unknown[];
    return raised(argument, argument['callee'], message, 'Error', source);
  },
  IfStatement: ({ test }, source) => replaceNode(test, (old) => `!(${old})`, NEGATES, source),
  ConditionalExpression: ({ test }, source) => replaceNode(test, (old) => `!(${old})`, NEGATES, source),
  BinaryExpression: binary,
  LogicalExpression: binary,
  ExpressionStatement: ({ expression }, source) => {
    const call = isTreeNode(expression) && expression.type === 'AwaitExpression' ? expression['argument'] : expression;
    const isCall = isTreeNode(call) && call.type === 'CallExpression' && isTreeNode(call['callee']) && call['callee'].type !== 'Super';
    return isCall ? replaceNode(expression, () => 'void 0', DROPS, source) : [];
  },
  ReturnStatement: ({ argument }, source) => replaceNode(argument, () => 'undefined', RETURNS, source),
  ArrowFunctionExpression: ({ body, expression }, source) =>
    expression === true ? replaceNode(body, () => 'undefined', RETURNS, source) : [],
  Literal: (node, source) => {
    const { value } = node;
    if (typeof value === 'number' && Number.isFinite(value)) return replaceNode(node, () => String(value + 1), CONSTANT, source);
    return typeof value === 'boolean' ? replaceNode(node, () => String(!value), CONSTANT, source) : [];
  },
};

const PYTHON_RULES: Rules = {
  If: ({ branches }, source) =>
    (branches as readonly { readonly test: unknown }[]).flatMap(({ test }) => replaceNode(test, (old) => `not (${old})`, NEGATES, source)),
  Conditional: ({ test }, source) => replaceNode(test, (old) => `not (${old})`, NEGATES, source),
  Binary: binary,
  Bool: ({ op, values }, source) => {
    const [left, right] = values as readonly unknown[];
    return between(left, right, op, OPERATORS, SWAPS, source);
  },
  Compare: ({ left, ops, rights }, source) => {
    const [op] = ops as readonly unknown[];
    const [right] = rights as readonly unknown[];
    return between(left, right, op, COMPARISONS, SHIFTS, source);
  },
  Expression: ({ value }, source) => {
    const call = isTreeNode(value) && value.type === 'Await' ? value['value'] : value;
    return isTreeNode(call) && call.type === 'Call' ? replaceNode(value, () => 'None', DROPS, source) : [];
  },
  Return: ({ value }, source) => replaceNode(value, () => 'None', RETURNS, source),
  Raise: ({ value }, source) => {
    if (!isTreeNode(value)) return [];
    if (value.type !== 'Call')
      return value.type === 'Name' && /^[A-Z]/.test(String(value['name'])) ? raised(value, value, null, 'Exception', source) : [];
    const [first] = value['args'] as readonly unknown[];
    return raised(value, value['callee'], (first as { readonly value?: unknown } | undefined)?.value, 'Exception', source);
  },
  Number: (node, source) =>
    replaceNode(node, (old) => (/^[\d._]+$/.test(old) ? `(${old} + 1)` : old), CONSTANT, source).filter(({ text }) => text.startsWith('(')),
  Constant: (node, source) => {
    const { name } = node;
    return name === 'True' || name === 'False' ? replaceNode(node, () => (name === 'True' ? 'False' : 'True'), CONSTANT, source) : [];
  },
};

/** The source with the defect. */
export function withMutant(text: string, { from, to, text: other }: Mutant): string {
  return text.slice(0, from) + other + text.slice(to);
}

/**
 * Those come first whose functions are named near the change and seldom elsewhere in the tests; the seed decides between equals. A part of a
 * name counts too: `test_filesize` tests `do_filesize`.
 */
export function sampleMutants(
  mutants: readonly Mutant[],
  tests: { readonly changed: string; readonly all: string },
  seed: string,
  most: number,
): readonly Mutant[] {
  const [near, all] = [countNames(tests.changed), countNames(tests.all)];
  const share = (name: string): number => (all.has(name) ? ((near.get(name) ?? 0) + NAMED_AT_ALL) / (all.get(name) ?? 1) : 0);
  const ranked = mutants.map((mutant) => ({
    mutant,
    share: Math.max(0, ...mutant.within.flatMap((name) => [name, ...partsOfName(name)]).map(share)),
    rank: hashSeed(`${seed} ${mutant.file} ${mutant.from} ${mutant.what}`),
  }));
  const sorted = ranked.toSorted((a, b) => b.share - a.share || a.rank - b.rank);
  return sorted.slice(0, most).map(({ mutant }) => mutant);
}

/** For a name that stands elsewhere in the tests alone. */
const NAMED_AT_ALL = 0.01;

function countNames(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])
    for (const name of new Set([word, ...partsOfName(word)])) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Shorter parts, such as `get` and `test`, are everywhere. */
const SHORTEST_PART = 5;

function partsOfName(name: string): readonly string[] {
  const parts = name
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '_')
    .toLowerCase()
    .split(/[_$]+/);
  return parts.filter((part) => part.length >= SHORTEST_PART);
}

/** So many lines around a change belong to it: a mark above a test, a check at its end. */
const AROUND_LINES = 12;

const IMPORT = /^\s*(?:import|from)\b|\brequire\(/;

/** The lines that only one of two versions has, and those around them. Imports check nothing. */
export function changedLines(before: string, after: string): string {
  return [linesAround(before, after), linesAround(after, before)].join('\n');
}

function linesAround(text: string, other: string): string {
  const left = new Set(other.split('\n'));
  const lines = text.split('\n');
  const changed = lines.flatMap((line, index) => (left.has(line) || IMPORT.test(line) ? [] : [index]));
  return lines.filter((_, index) => changed.some((one) => Math.abs(one - index) <= AROUND_LINES)).join('\n');
}

/** FNV-1a with a last stir, so that near texts lie far apart. */
function hashSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** So many files are read for one test. */
const MOST_FILES = 40;

/** The nearest first. `read`: null where there is no such file. Behind modules that only pass on what others have, all imports are followed. */
export function testedFiles(path: string, text: string, read: (path: string) => string | null): readonly string[] {
  const direct = importsOf(path, text, read);
  const found = new Set(direct);
  let open = direct.filter((path: string): boolean => /(?:^|\/)(?:__init__\.py|index\.\w+)$/.test(path));
  while (open.length > 0 && found.size < MOST_FILES) {
    const next = open.flatMap((file) => importsOf(file, read(file) ?? '', read)).filter((file) => !found.has(file));
    for (const file of next) found.add(file);
    open = [...new Set(next)];
  }
  return [...found].filter((file) => !isJudge(file)).slice(0, MOST_FILES);
}

function importsOf(path: string, text: string, read: (path: string) => string | null): readonly string[] {
  return listImports(path, text).files.flatMap((files) => files.find((file) => read(file) !== null) ?? []);
}
