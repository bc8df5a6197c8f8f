// Makes untrusted text safe to show to an agent or a person: hidden characters become visible, and nothing inside a fenced block can close
// the fence.

const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** How many hidden characters of a run are spelled out; the rest is counted. */
const MAX_SPELLED = 4;

/** Joiners inside emoji and words of scripts that need them, and the emoji variation selector. */
const HARMLESS =
  /(?<=(?!\p{ASCII}|\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)[\u200c\u200d](?=(?!\p{ASCII}|\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}])|(?<=[\p{Emoji}])\ufe0f/uy;

const HIDDEN = /(?:(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{DI}])+/gu;

/** Control, invisible and direction-changing characters become `\u{202e}`; line ends become `\n`. */
export function showHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  return lines.replace(HIDDEN, (run: string, at: number) => (isHarmless(lines, run, at) ? run : spell(run)));
}

/** The same on one line, shortened to a length. */
export function showLine(text: string, most: number): string {
  return cutText(showHidden(text).replace(/\s+/g, ' ').trim(), most);
}

/** Shortens text with an ellipsis, never inside a character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  const half = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? 1 : 0;
  return `${text.slice(0, end - half)}\u2026`;
}

/** A Markdown block with the exact text: its fence is longer than any run of backticks inside. */
export function fence(text: string, kind = 'text'): string {
  const bar = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${bar}${kind}\n${text}${text.endsWith('\n') ? '' : '\n'}${bar}`;
}

/** A short text as inline code. */
export function inlineCode(text: string): string {
  const bar = '`'.repeat(longestRun(text) + 1);
  return text.startsWith('`') || text.endsWith('`') ? `${bar} ${text} ${bar}` : `${bar}${text}${bar}`;
}

function isHarmless(text: string, run: string, at: number): boolean {
  if (run.length > 1) return run === '\ufe0f\u200d' && isHarmless(text, '\ufe0f', at) && isHarmless(text, '\u200d', at + 1);
  HARMLESS.lastIndex = at;
  return HARMLESS.test(text);
}

function spell(run: string): string {
  const characters = Array.from(run);
  const spelled = characters.slice(0, MAX_SPELLED).map((character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  const rest = characters.length - spelled.length;
  return spelled.join('') + (rest === 0 ? '' : `(and ${rest} more hidden)`);
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
