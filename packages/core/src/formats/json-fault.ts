// Finds where a text stops being JSON and says so in plain words. Runs only after JSON.parse has refused the text;
// a stack of brackets instead of recursion, so no nesting can hurt it.

export interface JsonFault {
  readonly offset: number;
  readonly problem: string;
}

type Expect = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end';

const EXPECTED: Readonly<Record<Expect, string>> = {
  value: 'a value was expected',
  'value or ]': 'a value or "]" was expected',
  key: 'a key in double quotes was expected',
  'key or }': 'a key in double quotes or "}" was expected',
  colon: '":" was expected after the key',
  comma: '"," or the closing bracket was expected',
  end: 'nothing more was expected',
};

const WORD = /[a-zA-Z0-9_.+-]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})$/;

export function findFault(text: string): JsonFault {
  const open: string[] = [];
  let expect = 'value' as Expect;
  let at = 0;
  for (;;) {
    while (isSpace(text.charCodeAt(at))) at += 1;
    const char = text[at];
    if (char === undefined) return atEnd(text, open, expect);
    if (expect === 'end') return refuse(text, at, expect);
    if (char === '"' && expect !== 'comma' && expect !== 'colon') {
      const end = scanString(text, at);
      if (typeof end !== 'number') return end;
      at = end;
      expect = expect === 'key' || expect === 'key or }' ? 'colon' : after(open);
    } else if (expect === 'colon' && char === ':') {
      expect = 'value';
      at += 1;
    } else if (expect === 'comma' && char === ',') {
      expect = open.at(-1) === '{' ? 'key' : 'value';
      at += 1;
    } else if (closes(char, open, expect)) {
      open.pop();
      expect = after(open);
      at += 1;
    } else if (expect !== 'value' && expect !== 'value or ]') return refuse(text, at, expect);
    else if (char === '{' || char === '[') {
      open.push(char);
      expect = char === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      const end = scanWord(text, at);
      if (!isLiteral(text.slice(at, end))) return cutWord(text, at, end) ?? refuse(text, at, expect);
      at = end;
      expect = after(open);
    }
  }
}

function after(open: readonly string[]): Expect {
  return open.length === 0 ? 'end' : 'comma';
}

function closes(char: string, open: readonly string[], expect: Expect): boolean {
  if (char === '}') return open.at(-1) === '{' && (expect === 'comma' || expect === 'key or }');
  return char === ']' && open.at(-1) === '[' && (expect === 'comma' || expect === 'value or ]');
}

function isLiteral(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null' || NUMBER.test(word);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The end of a string that starts at `at`, or what is wrong in it. */
function scanString(text: string, start: number): number | JsonFault {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20 && text.slice(at).trim() === '') break;
    if (code < 0x20) return { offset: at, problem: 'a text in quotes is broken by a line end or control character' };
    if (code !== 0x5c) continue;
    const length = text[at + 1] === 'u' ? 6 : 2;
    if (at + length > text.length) break;
    if (!ESCAPE.test(text.slice(at, at + length))) return { offset: at, problem: 'there is an unknown escape after the backslash' };
    at += length - 1;
  }
  return { offset: text.trimEnd().length, problem: 'it ends inside a text in quotes and looks cut off' };
}

function scanWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && WORD.test(text[at] ?? '')) at += 1;
  return at;
}

/** `tru` at the very end. */
function cutWord(text: string, start: number, end: number): JsonFault | null {
  const word = text.slice(start, end);
  if (word === '' || text.slice(end).trim() !== '' || !['true', 'false', 'null'].some((literal) => literal.startsWith(word))) return null;
  return { offset: end, problem: 'it ends inside a value and looks cut off' };
}

function atEnd(text: string, open: readonly string[], expect: Expect): JsonFault {
  const offset = text.trimEnd().length;
  if (open.length > 0)
    return {
      offset,
      problem: `it ends while ${open.length === 1 ? 'one bracket is' : `${open.length} brackets are`} still open and looks cut off`,
    };
  return { offset, problem: expect === 'end' ? 'it could not be parsed' : 'it ends where a value was expected' };
}

function refuse(text: string, offset: number, expect: Expect): JsonFault {
  const char = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  return { offset, problem: `there is ${char === '"' ? 'a quotation mark' : `"${char}"`} where ${EXPECTED[expect]}` };
}
