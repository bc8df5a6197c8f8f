// Code that is nested too deeply for the parser, told before it is parsed: the native parser has no limit of its own, and would take
// the whole process down with it. One pass over the text; strings and comments count as code, which only makes it more careful.

/** Far beyond what people write, far below what the parser can bear. */
const DEEPEST = 800;
/** Operators one after another, without a comma, a semicolon or a brace between. */
const LONGEST_CHAIN = 4_000;
const MOST_ELSES = 4_000;
/** Calls, members and operators one behind another, at one depth: `a.b().b()`. */
const MOST_LINKS = 20_000;

/** `a as A as B`. */
const CASTS = /(?:\b(?:as|satisfies)\s+[\w.]+\s+){500}/;
const PREFIXES = /(?:\b(?:typeof|await|new|void|delete|yield|keyof|infer|readonly)\s+){500}/;

type Part = 'open' | 'close' | 'operator' | 'end';

const PARTS: readonly (Part | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ('([{'.includes(character)) return 'open';
  if (')]}'.includes(character)) return 'close';
  if (';,'.includes(character)) return 'end';
  return '+-*/%=!<>&|^~?:'.includes(character) ? 'operator' : undefined;
});

export function nestsTooDeep(text: string): boolean {
  if (exceeds(text)) return true;
  if (text.length <= 3_000) return false;
  return PREFIXES.test(text) || CASTS.test(text) || elses(text) > MOST_ELSES || (text.length > MOST_LINKS && isChained(text));
}

function exceeds(text: string): boolean {
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
    if (depth > DEEPEST || chain > LONGEST_CHAIN) return true;
  }
  return false;
}

/**
 * What stands in brackets has a chain of its own, and does not end the one around it. A line that begins with a word ends it, unless
 * the line before leads on; comments end with a full stop or a slash.
 */
function isChained(text: string): boolean {
  const chains = [0];
  let [isNewLine, leadsOn] = [false, false];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= SPACE) {
      isNewLine ||= code === LINE_FEED;
      continue;
    }
    const part = PARTS[code];
    const last = chains.length - 1;
    const isLink = part === 'operator' || part === 'open' || code === DOT || code === TICK;
    if (part === 'end' || (isNewLine && !isLink && !leadsOn)) chains[last] = 0;
    if (isLink && (chains[last] = (chains[last] ?? 0) + 1) > MOST_LINKS) return true;
    if (part === 'open') chains.push(0);
    else if (part === 'close' && last > 0) chains.pop();
    if (code === BRACE) chains[chains.length - 1] = 0;
    [isNewLine, leadsOn] = [false, isLink && code !== DOT && code !== SLASH];
  }
  return false;
}

const [SPACE = 0, LINE_FEED = 0, DOT = 0, SLASH = 0, TICK = 0, BRACE = 0] = [' ', '\n', '.', '/', '`', '}'].map((sign) =>
  sign.charCodeAt(0),
);

function elses(text: string): number {
  let count = 0;
  for (let at = text.indexOf('else'); at >= 0; at = text.indexOf('else', at + 4)) count += 1;
  return count;
}
