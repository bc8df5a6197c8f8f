// One line of TAP: a test point with its directive, a plan, or the sign that a text is TAP at all. tap.ts puts them together.

export interface TapPoint {
  readonly ok: boolean;
  /** Without escapes, directive and number; empty where the line gives none. */
  readonly name: string;
  readonly number: number | null;
  readonly directive: 'skip' | 'todo' | null;
  readonly durationMs: number | null;
  /** `ok 1 - name {`: its subtests follow in braces. */
  readonly opensBlock: boolean;
}

const START_LINES = 200;

/** Does a text hold TAP? Programs around the tests may have printed lines of their own before it. */
export function isTapStart(text: string): boolean {
  const lines = text.slice(0, 64 * 1024).split('\n', START_LINES);
  if (lines.some((line) => /^TAP version \d{1,3}\s*$/.test(line))) return true;
  return lines.some((line) => planOf(line.trim()) !== null) && lines.some((line) => pointOf(line.trim()) !== null);
}

/** In columns; a tab counts as one. */
export function indentOf(text: string): number {
  let at = 0;
  while (at < text.length && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at += 1;
  return at;
}

/** `1..4`, `1..0 # SKIP no database` */
export function planOf(text: string): { readonly count: number; readonly skip: string | null } | null {
  const match = /^1\.\.(\d{1,9})(?=\s|#|$)/.exec(text);
  if (match === null) return null;
  const rest = text.slice(match[0].length).trim();
  return { count: Number(match[1]), skip: /^#\s{0,9}skip/i.test(rest) ? rest.replace(/^#\s{0,9}\w{1,20}/, '').trim() : null };
}

export function pointOf(text: string): TapPoint | null {
  const start = /^(not )?ok(?=\s|$)/.exec(text);
  if (start === null) return null;
  let rest = text.slice(start[0].length).trim();
  const number = /^\d{1,9}(?=\s|$)/.exec(rest)?.[0] ?? null;
  if (number !== null) rest = rest.slice(number.length).trim();
  const opensBlock = rest === '{' || rest.endsWith(' {');
  if (opensBlock) rest = rest.slice(0, -1).trimEnd();
  const marked = splitDirective(rest);
  const bare = marked.name === '-' ? '' : marked.name.startsWith('- ') ? marked.name.slice(2) : marked.name;
  return {
    ok: start[1] === undefined,
    name: unescaped(bare.trim()),
    number: number === null ? null : Number(number),
    directive: marked.directive,
    durationMs: marked.durationMs,
    opensBlock,
  };
}

/** `\#` and `\\` stand for the characters themselves. */
export function unescaped(name: string): string {
  return name.includes('\\') ? name.replace(/\\([#\\])/g, '$1') : name;
}

function splitDirective(text: string): Pick<TapPoint, 'name' | 'directive' | 'durationMs'> {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) {
    if (isEscaped(text, at)) continue;
    const said = text
      .slice(at + 1, at + 60)
      .trimStart()
      .toLowerCase();
    const name = text.slice(0, at).trimEnd();
    if (said.startsWith('skip')) return { name, directive: 'skip', durationMs: null };
    if (/^todo\b/.test(said)) return { name, directive: 'todo', durationMs: null };
    const time = /^time=(\d{1,12}(?:\.\d{1,12})?)ms/.exec(said)?.[1];
    if (time !== undefined) return { name, directive: null, durationMs: Number(time) };
  }
  return { name: text, directive: null, durationMs: null };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (slashes < at && text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
