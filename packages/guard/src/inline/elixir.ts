// Elixir: `iex>` examples in `@doc` and `@moduledoc`, which `doctest Module` runs. Read by lines, since nothing here parses Elixir.

import { findLines } from '../syntax/lines.js';
import { numberKeys } from './inline-text.js';
import type { InlineKind, InlinePart, Opening } from './inline-text.js';

export const ELIXIR: InlineKind = {
  language: 'Elixir',
  what: '`iex>` examples in `@doc` and `@moduledoc`',
  files: /\.ex$/,
  mark: /^[ \t]*iex(?:\(\d+\))?> /m,
  read: (text) => {
    const parts: InlinePart[] = [];
    const places = new Map<string, Opening>();
    const keyOf = numberKeys();
    const lines = findLines(text);
    for (let index = 0; index < lines.length; index += 1) {
      const opening = /^\s*@(moduledoc|doc|typedoc)\s+(?:~[sS])?"""\s*$/.exec(lines[index]?.text ?? '');
      if (opening === null) continue;
      const end = lines.findIndex(({ text: line }, at) => at > index && line.trim() === '"""');
      if (end < 0) return null;
      const owner = opening[1] === 'moduledoc' ? nameAbove(lines, index) : nameBelow(lines, end);
      const key = keyOf(`${opening[1] ?? ''} ${owner}`);
      places.set(key, { at: lines[end]?.from ?? 0 });
      let count = 0;
      for (let at = index + 1; at < end; at += 1) {
        if (!/^\s*iex(?:\(\d+\))?> /.test(lines[at]?.text ?? '')) continue;
        let last = at;
        while (last + 1 < end && lines[last + 1]?.text.trim() !== '') last += 1;
        count += 1;
        const place = { from: lines[at]?.from ?? 0, to: lines[last]?.to ?? 0 };
        parts.push({ ...place, key: `${key} example ${count}`, places: [key], tests: [{ name: owner, ...place }] });
        at = last;
      }
      index = end;
    }
    return { parts, places, pieces: new Map() };
  },
};

function nameAbove(lines: readonly { readonly text: string }[], index: number): string {
  const line = lines.slice(0, index).findLast(({ text }) => /^\s*defmodule\s/.test(text));
  return /^\s*defmodule\s+([\w.]+)/.exec(line?.text ?? '')?.[1] ?? '';
}

function nameBelow(lines: readonly { readonly text: string }[], index: number): string {
  const line = lines.slice(index).find(({ text }) => /^\s*(?:def\w*|@type\w*|@callback)\s/.test(text));
  return /^\s*(?:def\w*|@type\w*|@callback)\s+([\w?!.]+)/.exec(line?.text ?? '')?.[1] ?? '';
}
