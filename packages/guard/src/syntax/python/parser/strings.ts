// The text that a Python string literal stands for.

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', '\n': '' };

/** The characters between the quotes, escapes resolved; of a raw string as they are. */
export function decodeString(text: string, raw: boolean): string {
  if (raw || !text.includes('\\')) return text;
  return text.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|[0-7]{1,3}|[^])/g, (all, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8));
    if (escape.length > 1) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    if (escape === '\\' || escape === '"' || escape === "'") return escape;
    return ESCAPES[escape] ?? all;
  });
}
