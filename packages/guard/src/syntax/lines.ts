// The lines of a text with their places.

import type { Place } from './nodes.js';

export interface Line extends Place {
  readonly text: string;
}

/** Lines with their ends: `to` is the start of the next. */
export function findLines(text: string, from = 0, to = text.length): readonly Line[] {
  const lines: Line[] = [];
  for (let at = from; at < to;) {
    const end = text.indexOf('\n', at);
    const next = end < 0 || end >= to ? to : end + 1;
    lines.push({ from: at, to: next, text: text.slice(at, next).replace(/\r?\n$/, '') });
    at = next;
  }
  return lines;
}

/** Behind the end of the line. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

export function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

export function lineNumber(text: string, at: number): number {
  let count = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) count += 1;
  return count;
}

/** For many places of one text. */
export function createLineCounter(text: string): (at: number) => number {
  const starts = findLines(text).map(({ from }) => from);
  return (at) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** The whole lines of a place where nothing else stands on them. */
export function widenToLines(text: string, { from, to }: Place): Place {
  const [start, next] = [startOfLine(text, from), endOfLine(text, to)];
  const isAlone = text.slice(start, from).trim() === '' && /^\s*(?:\/\/.*)?$/.test(text.slice(to, next).trimEnd());
  return isAlone ? { from: start, to: next } : { from, to };
}
