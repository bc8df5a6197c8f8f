// The colours of Umpire's own output: the only escape sequences that it prints.

const ESC = String.fromCharCode(27);

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36 } as const;

export type Color = keyof typeof CODES;

export function paint(color: Color, text: string, isOn: boolean): string {
  return isOn && text !== '' ? `${ESC}[${CODES[color]}m${text}${ESC}[0m` : text;
}

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;

/** --color decides, then NO_COLOR and FORCE_COLOR, then the terminal. FORCE_COLOR=0 turns colours off. */
export function wantsColor(choice: string, env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (choice === 'always' || choice === 'never') return choice === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Splits a text into text and colours, in turns. */
export function splitAtColors(text: string): readonly string[] {
  return text.includes(ESC) ? text.split(SEQUENCES) : [text];
}

const SEQUENCES = new RegExp(`(${ESC}\\[(?:0|${Object.values(CODES).join('|')})m)`);

type Rule = readonly [pattern: RegExp, color: Color];

const GOOD = 'complete|completed|ok';
const BAD = 'failed|aborted|unreadable|blocked|fault';
const CALL = 'awaiting a person|awaiting|interrupted|stopped|asked|note';

/** For finished pages: the words of states, headings and changed lines. */
const PAGE_RULES = {
  status: [
    [new RegExp(`(?<=^\\S+: )(?:${GOOD})\\b`), 'green'],
    [new RegExp(`(?<=^\\S+: )(?:${BAD})\\b`), 'red'],
    [new RegExp(`(?<=^\\S+: )(?:${CALL})\\b`), 'yellow'],
    [/^wave \d+.*$/, 'bold'],
    [/^ {2}completed\b/, 'green'],
    [/^ {2}(?:failed|blocked)\b/, 'red'],
    [/^ {2}(?:running|submitted)\b/, 'cyan'],
    [/^ {2}(?:asked|stopped)\b/, 'yellow'],
    [/^ {2}(?:pending|skipped)\b/, 'dim'],
    [/^(?:Waiting for|Unverified:|Suspected bug:|Note:).*$/, 'yellow'],
    [/^(?:rounds|spent|work|folder) {2,}/, 'dim'],
    [/^ {2}umpire .*$/, 'cyan'],
  ],
  doctor: [
    [/^ok {4}/, 'green'],
    [/^note {2}/, 'yellow'],
    [/^fault /, 'red'],
    [/^(?:Machine|Project|Agents|Critics)$/, 'bold'],
  ],
  report: [
    [/^#{1,6} .*$/, 'bold'],
    [/^>.*$/, 'dim'],
    [/\bUNVERIFIED\b/, 'yellow'],
  ],
  diff: [
    [/^(?:diff |index |new file|deleted file|old mode|new mode|similarity |rename |copy |--- |\+\+\+ ).*$/, 'bold'],
    [/^@@.*?@@/, 'cyan'],
    [/^\+.*$/, 'green'],
    [/^-.*$/, 'red'],
  ],
} as const satisfies Readonly<Record<string, readonly Rule[]>>;

/** The first rule that a line matches colours what it matched. The text stays the same. */
export function colorPage(kind: keyof typeof PAGE_RULES, page: string, isOn: boolean): string {
  if (!isOn) return page;
  const rules: readonly Rule[] = PAGE_RULES[kind];
  const lines = page.split('\n').map((line) => {
    const rule = rules.find(([pattern]) => pattern.test(line));
    return rule === undefined ? line : line.replace(rule[0], (match) => paint(rule[1], match, true));
  });
  return lines.join('\n');
}
