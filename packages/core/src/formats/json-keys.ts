// Finds a key that one JSON object holds twice. JSON.parse keeps the last and says nothing: a report that says
// "critical" first and "low" after it would be read as the second alone.

/** Longer texts are no reports of an agent, and the scan would cost more than it finds. */
const MOST_CHARACTERS = 5_000_000;

export interface RepeatedKey {
  readonly key: string;
  readonly offset: number;
}

/** Of a text that JSON.parse accepts. */
export function findRepeatedKey(text: string): RepeatedKey | null {
  if (text.length > MOST_CHARACTERS) return null;
  /** The keys of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x7b) open.push(new Set());
    else if (code === 0x5b) open.push(null);
    else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x22) {
      const end = stringEnd(text, at);
      const keys = isKey(text, end) ? (open.at(-1) ?? null) : null;
      if (keys !== null) {
        const key = keyOf(text.slice(at, end));
        if (keys.has(key)) return { key, offset: at };
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return null;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

/** Behind a string in valid JSON a colon stands only where the string is a key. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x0a || text.charCodeAt(at) === 0x0d || text.charCodeAt(at) === 0x09)
    at += 1;
  return text.charCodeAt(at) === 0x3a;
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
