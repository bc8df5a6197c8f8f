// The colours of Umpire's own output: the only escape sequences that it prints.

const ESC = String.fromCharCode(27);

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36 } as const;

export type Color = keyof typeof CODES;

/** The text in a colour, if `isOn`. */
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
