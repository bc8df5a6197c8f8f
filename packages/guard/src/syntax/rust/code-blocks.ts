// Code blocks of doc comments that rustdoc compiles and runs as tests.

import { endOfLine, findLines } from '../lines.js';
import type { Line } from '../lines.js';
import type { Place } from '../nodes.js';
import type { Token } from './tokens.js';

export interface CodeBlock extends Place {
  /** Where the line begins by which rustdoc names it. */
  readonly head: number;
  /** Behind the fence: `no_run`, `ignore`. */
  readonly words: string;
  /** Without the fences, and without what makes it a comment. */
  readonly code: readonly Line[];
}

/** Words behind a fence with which rustdoc still takes the block for Rust. */
const RUST_WORD =
  /^(?:rust|should_panic|no_run|ignore(?:-[\w-]+)?|compile_fail|allow_fail|test_harness|edition\d+|standalone(?:_crate)?|E\d{4})$/;

const FENCE = /^((?:\s|>|[-*+]\s|\d+[.)]\s)*)(`{3,}|~{3,})\s*([^`]*)$/;

export function findCodeBlocks(text: string, comments: readonly Token[]): readonly CodeBlock[] {
  const docs = comments.flatMap((comment) => findDocLines(text, comment));
  const blocks: CodeBlock[] = [];
  const indent = Math.min(...docs.filter(({ text }) => text.trim() !== '').map(({ text }) => text.search(/\S/)));
  let isList = false;
  for (let index = 0; index < docs.length; index += 1) {
    const first = docs[index] as Line;
    const fence = FENCE.exec(first.text.trimEnd());
    if (fence !== null) {
      const [, , ticks = '', words = ''] = fence;
      let last = index + 1;
      while (last < docs.length && !isClosing(docs[last]?.text ?? '', ticks)) last += 1;
      const code = docs.slice(index + 1, last);
      const end = docs[Math.min(last, docs.length - 1)] as Line;
      if (isRust(words)) blocks.push({ from: first.from, to: end.to, head: first.from, words: words.trim(), code });
      index = last;
      continue;
    }
    const text = first.text.slice(Number.isFinite(indent) ? indent : 0);
    if (/^\s{0,3}(?:[-*+]|\d+[.)])\s/.test(text)) isList = true;
    else if (/^\S/.test(text)) isList = false;
    // Indented by four after an empty line: code as well.
    if (isList || !/^(?: {4}|\t)\s*\S/.test(text) || (index > 0 && (docs[index - 1]?.text.trim() ?? '') !== '')) continue;
    let last = index;
    for (let at = index; at < docs.length; at += 1) {
      const line = (docs[at]?.text ?? '').slice(indent);
      if (/^(?: {4}|\t)/.test(line) && line.trim() !== '') last = at;
      else if (line.trim() !== '') break;
    }
    const code = docs.slice(index, last + 1);
    // With the empty line before it, without which it is no code.
    blocks.push({ from: docs[index - 1]?.from ?? first.from, to: docs[last]?.to ?? first.to, head: first.from, words: '', code });
    index = last;
  }
  return blocks;
}

function isClosing(text: string, ticks: string): boolean {
  const closing = /^[\s>]*(`{3,}|~{3,})\s*$/.exec(text)?.[1] ?? '';
  return closing.length >= ticks.length && closing[0] === ticks[0];
}

function isRust(words: string): boolean {
  const parts = words.split(/[\s,]+/).filter((word) => word !== '');
  return parts.includes('rust') || parts.every((word) => RUST_WORD.test(word));
}

/** The words of a doc comment, and the lines of the file in which they stand. */
function findDocLines(text: string, { from, to, value }: Token): readonly Line[] {
  if (value.startsWith('//')) return [{ from: text.lastIndexOf('\n', from - 1) + 1, to: endOfLine(text, to), text: value.slice(3) }];
  return findLines(text, from, to).map((line, index, all) => ({
    ...line,
    text: line.text.replace(index === 0 ? /^\/\*[*!]/ : /^\s*\*(?!\/) ?/, '').replace(index === all.length - 1 ? /\*\/$/ : /$^/, ''),
  }));
}
