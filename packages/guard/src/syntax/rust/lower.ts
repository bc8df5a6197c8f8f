// The tests of a Rust file, made into the tree of all languages: functions and modules that only tests use, and the examples of doc comments.
// Product code is left out, so that its own assertions count for no test.

import { findLines } from '../lines.js';
import type { FunctionValue, Place, Source, Statement, Value } from '../nodes.js';
import { findCodeBlocks } from './code-blocks.js';
import type { CodeBlock } from './code-blocks.js';
import { lowerAttribute } from './conditions.js';
import { readBody, readParameters } from './expressions.js';
import { readItems } from './items.js';
import type { Item, Meta, RustFile } from './items.js';
import { isJudgeItem, onlyInTests } from './test-items.js';
import { readTokens } from './tokens.js';
import type { Token } from './tokens.js';

/** Files that only tests are compiled from. */
export const RUST_TESTS = /(?:^|\/)(?:(?:\w+_)?tests?\.rs$|(?:tests|benches)\/.*\.rs$)/;

export function readRust(path: string, text: string): Source {
  const file = readItems(text);
  const { root, comments, problem } = file;
  const isWhole = RUST_TESTS.test(path) || root.attributes.some(onlyInTests);
  const lowering = new Lowering(text, file);
  const body = [...lowering.examples(root.docs, []), ...lowering.items(root.items ?? [], isWhole, [])];
  return { path, text, language: 'rust', body, comments, problem };
}

class Lowering {
  private readonly tokens: readonly Token[];

  constructor(
    private readonly text: string,
    { tokens }: RustFile,
  ) {
    this.tokens = tokens;
  }

  /** `isWhole`: all of them are of tests. */
  items(items: readonly Item[], isWhole: boolean, path: readonly string[]): readonly Statement[] {
    return items.flatMap((item): readonly Statement[] => {
      const own = item.kind === 'impl' ? item.name.replace(/^.*?\bfor\b(?!<)\s*/, '') : item.name;
      const inner = item.kind === 'macro' || item.kind === 'extern' || item.kind === 'other' ? path : [...path, own];
      const isTest = isWhole || isJudgeItem(item);
      const docs = isTest ? [] : [...this.examples(item.docs, inner), ...this.examples(item.body?.docs ?? [], inner)];
      if (isTest && item.kind === 'fn') return item.body === null ? [] : [this.function(item)];
      const body = this.items(item.body?.items ?? [], isTest, item.kind === 'mod' ? [] : inner);
      if (item.kind !== 'mod') return [...docs, ...(isTest && item.kind === 'impl' ? [this.class(item, body)] : body)];
      return body.length === 0 && !isTest ? docs : [...docs, this.class(item, body)];
    });
  }

  private class(item: Item, body: readonly Statement[]): Statement {
    const decorators = [...item.attributes, ...(item.body?.attributes ?? [])].map(lowerAttribute);
    return { kind: 'class', name: item.name, bases: [], decorators, body, from: item.from, to: item.to };
  }

  private function({ name, from, to, head, attributes, signature, body }: Item): Statement {
    const statements = body === null ? [] : readBody(this.tokens, body.first, body.last);
    const panics = attributes.find((attribute) => attribute.name === 'should_panic');
    const value: FunctionValue = {
      kind: 'function',
      params: readParameters(this.tokens, ...signature),
      body: panics === undefined ? statements : [mustPanic(statements, panics, { from: body?.from ?? from, to })],
      isAsync: false,
      from,
      to,
    };
    return { kind: 'function', name, value, decorators: attributes.map(lowerAttribute), head, from, to };
  }

  /** Each code block of a doc comment is a test. */
  examples(docs: readonly Token[], path: readonly string[]): readonly Statement[] {
    return findCodeBlocks(this.text, docs).map((block, index): Statement => {
      const place = { from: block.from, to: block.to };
      const head = findLines(this.text, block.head, block.to)[0] ?? place;
      const words = block.words.split(/[\s,]+/);
      const name = (word: string): Value => ({ kind: 'name', name: word, from: head.from, to: head.to });
      const body = readExample(this.text, block);
      const panics = words.includes('should_panic') || words.includes('compile_fail');
      const value: FunctionValue = {
        ...place,
        kind: 'function',
        params: [],
        body: panics ? [mustPanic(body, { name: '', value: null, args: null, ...place }, place)] : body,
        isAsync: false,
      };
      const isIgnored = words.some((word) => word === 'ignore' || word === 'no_run');
      const decorators = ['test', ...(isIgnored ? ['ignore'] : [])].map(name);
      return { ...place, kind: 'function', name: `${path.join('::')} example ${index + 1}`.trim(), value, decorators, head };
    });
  }
}

/** `#[should_panic(expected = "…")]`: the body is what must panic. */
function mustPanic(body: readonly Statement[], { args }: Meta, place: Place): Statement {
  const { from, to } = place;
  const expected = args?.find(({ name }) => name === 'expected')?.value ?? null;
  const value: Value = {
    from,
    to,
    kind: 'call',
    callee: { from, to, kind: 'name', name: 'should_panic' },
    args: [
      { name: null, value: { from, to, kind: 'name', name: 'panic' } },
      ...(expected === null ? [] : [{ name: 'match', value: { from, to, kind: 'text' as const, value: expected } }]),
    ],
    isNew: false,
  };
  return { kind: 'with', items: [{ value, target: null }], body, from, to };
}

/** The code of an example, with the lines that rustdoc hides. Its places are those of the file. */
function readExample(text: string, { code }: CodeBlock): readonly Statement[] {
  const starts: { readonly at: number; readonly shift: number }[] = [];
  let joined = '';
  for (const line of code) {
    const words = line.text.replace(/^(\s*)#(?: |$)/, '$1').replace(/^(\s*)##/, '$1#');
    const at = text.indexOf(words.trim(), line.from);
    starts.push({ at: joined.length, shift: (at < 0 ? line.from : at) - (words.length - words.trimStart().length) - joined.length });
    joined += `${words}\n`;
  }
  const { tokens, problem } = readTokens(joined);
  if (problem !== null) return [];
  const move = (at: number): number => at + (starts.findLast((start) => start.at <= at)?.shift ?? 0);
  const moved = tokens.map((token) => ({ ...token, from: move(token.from), to: move(token.to) }));
  return readBody(moved, 0, moved.length);
}
