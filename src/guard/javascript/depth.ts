// Code that is nested too deeply for the parser, told before it is parsed: the native parser has no limit of its own, and would take
// the whole process down with it. One pass over the text; strings and comments count as code, which only makes it more careful.

import { isPython } from '../paths.js';

/** Far beyond what people write, far below what the parser can bear. */
const DEEPEST = 800;
/** Operators one after another, without a comma, a semicolon or a brace between. */
const LONGEST_CHAIN = 4_000;
const MOST_ELSES = 4_000;

const FLAT = 60;
const FLAT_CHAIN = 500;

const SOME_PREFIXES = /(?:\b(?:typeof|await|new|void|delete|yield|keyof|infer|readonly)\s+){20}/;
const PREFIXES = /(?:\b(?:typeof|await|new|void|delete|yield|keyof|infer|readonly)\s+){500}/;

type Part = 'open' | 'close' | 'operator' | 'end';

const PARTS: readonly (Part | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ('([{'.includes(character)) return 'open';
  if (')]}'.includes(character)) return 'close';
  if (';,'.includes(character)) return 'end';
  return '+-*/%=!<>&|^~?:'.includes(character) ? 'operator' : undefined;
});

export function isTooDeep(text: string): boolean {
  return exceeds(text, DEEPEST, LONGEST_CHAIN) || (text.length > 3_000 && (PREFIXES.test(text) || elses(text) > MOST_ELSES));
}

/** Nested no more than code of people is, whatever its language: it can be read with any stack. */
export function isFlat(path: string, text: string): boolean {
  // Statements that end with their lines make no chains.
  const longest = isPython(path) ? Infinity : FLAT_CHAIN;
  return !exceeds(text, FLAT, longest) && !SOME_PREFIXES.test(text) && elses(text) <= FLAT_CHAIN;
}

function exceeds(text: string, deepest: number, longest: number): boolean {
  let depth = 0;
  let chain = 0;
  for (let index = 0; index < text.length; index += 1) {
    const part = PARTS[text.charCodeAt(index)];
    if (part === undefined) continue;
    if (part === 'operator') chain += 1;
    else if (part === 'open') depth += 1;
    else if (part === 'close') depth = Math.max(0, depth - 1);
    const code = text[index];
    if (part === 'end' || code === '{' || code === '}') chain = 0;
    if (depth > deepest || chain > longest) return true;
  }
  return false;
}

function elses(text: string): number {
  let count = 0;
  for (let at = text.indexOf('else'); at >= 0; at = text.indexOf('else', at + 4)) count += 1;
  return count;
}
