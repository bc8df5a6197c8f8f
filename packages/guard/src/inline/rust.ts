// Rust: `#[cfg(test)]` modules and items, `#[test]` functions, and the code blocks of doc comments, which `cargo test` runs too.

import { createLineCounter, endOfLine, startOfLine, widenToLines } from '../syntax/lines.js';
import type { Place } from '../syntax/nodes.js';
import { findCodeBlocks } from '../syntax/rust/code-blocks.js';
import { readItems } from '../syntax/rust/items.js';
import type { Body, Item } from '../syntax/rust/items.js';
import { findTestFunctions, isJudgeItem, onlyInTests } from '../syntax/rust/test-items.js';
import type { Token } from '../syntax/rust/tokens.js';
import { numberKeys } from './inline-text.js';
import type { InlineKind, InlinePart, InlineTest, Opening } from './inline-text.js';

export const RUST: InlineKind = {
  language: 'Rust',
  what: '`#[cfg(test)]` modules and items, `#[test]` functions, doctests',
  files: /\.rs$/,
  mark: /#!?\[.{0,200}?test|^[ \t]*(?:\/\/[/!]|\/\*[*!])/m,
  read: (text) => {
    const { root, problem } = readItems(text);
    if (problem !== null) return null;
    const finder = new PartFinder(text);
    if (root.attributes.some(onlyInTests)) finder.add({ from: 0, to: text.length }, 'file', [], root.items ?? [], []);
    else finder.body(root, '', [], []);
    return { parts: finder.parts.toSorted((one, other) => one.from - other.from), places: finder.places, pieces: finder.pieces };
  },
};

/** So many pieces of product code before a part are remembered. */
const MOST_PLACES = 20;

class PartFinder {
  readonly parts: InlinePart[] = [];
  readonly places = new Map<string, Opening>();
  readonly pieces = new Map<string, Place>();

  private readonly lineNumber: (at: number) => number;

  constructor(private readonly text: string) {
    this.lineNumber = createLineCounter(text);
  }

  /** `key` names the body; `path` is what a runner puts before the names of what it holds, `modules` the modules of it. */
  body(body: Body, key: string, path: readonly string[], modules: readonly string[]): void {
    const [keyOfJudge, keyOfPiece] = [numberKeys(), numberKeys()];
    const isRoot = key === '';
    const start = isRoot ? body.from : endOfLine(this.text, body.from);
    this.documented(body.docs, `inside ${key}`, start, path);
    this.places.set(`end ${key}`, { at: isRoot ? this.text.length : Math.max(start, startOfLine(this.text, body.to)) });
    const before: string[] = [];
    for (const item of body.items ?? []) {
      const isJudge = isJudgeItem(item);
      const name = (isJudge ? keyOfJudge : keyOfPiece)(`${key}/${item.kind} ${item.name.replace(/<.*>/g, '')}`);
      const place = widenToLines(this.text, item);
      if (isJudge) {
        this.add(place, name, [...before.slice(-MOST_PLACES).toReversed(), `end ${key}`], [item], modules);
        continue;
      }
      const itemPath = namesOf(item, path);
      this.documented(item.docs, `above ${name}`, startOfLine(this.text, item.from), itemPath);
      if (item.kind !== 'field') {
        before.push(`after ${name}`);
        this.places.set(`after ${name}`, { at: endOfLine(this.text, item.to) });
        this.pieces.set(name, place);
      }
      if (item.body !== null && item.body.items !== null)
        this.body(item.body, name, itemPath, item.kind === 'mod' ? [...modules, item.name] : modules);
    }
  }

  add(place: Place, key: string, places: readonly string[], items: readonly Item[], modules: readonly string[]): void {
    const tests = findTestFunctions(items, modules).map(({ item: { from, to }, name }): InlineTest => ({ name, from, to }));
    this.parts.push({ from: place.from, to: place.to, key, places, tests });
  }

  /** Examples in doc comments. `start`: where one may be put if there are none. */
  private documented(docs: readonly Token[], key: string, start: number, path: readonly string[]): void {
    const last = docs.at(-1);
    if (last === undefined) {
      this.places.set(`${key} in lines`, { at: start });
      this.places.set(`${key} in a block`, { at: start, around: [key.startsWith('inside') ? '/*!\n' : '/**\n', '*/\n'] });
    } else if (isBlock(last)) {
      const end = startOfLine(this.text, last.to);
      if (end > last.from) this.places.set(`${key} in a block`, { at: end });
    } else this.places.set(`${key} in lines`, { at: endOfLine(this.text, last.to) });
    findCodeBlocks(this.text, docs).forEach(({ from, to, head }, index) => {
      const name = `${path.join('::')} (line ${this.lineNumber(head)})`.trim();
      const style = /^\s*\/\//.test(this.text.slice(from, endOfLine(this.text, from))) ? 'in lines' : 'in a block';
      this.parts.push({ from, to, key: `${key} example ${index + 1}`, places: [`${key} ${style}`], tests: [{ name, from, to }] });
    });
  }
}

function isBlock({ value }: Token): boolean {
  return value.startsWith('/*');
}

/** `Cart<T>::total`: an implementation is named by its type. */
function namesOf({ kind, name }: Item, path: readonly string[]): readonly string[] {
  if (kind === 'extern' || kind === 'macro' || kind === 'other') return path;
  return kind === 'impl' ? [...path, name.replace(/^.*?\bfor\b(?!<)\s*/, '')] : [...path, name];
}
