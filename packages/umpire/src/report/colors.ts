// The colours of Umpire's own output: the only escape sequences that it prints.

const ESC = String.fromCharCode(27);

const CODES = { bold: 1, red: 31, green: 32, yellow: 33, magenta: 35 } as const;

export type Color = keyof typeof CODES;

/** The text in a colour, if `isOn`. */
export function paint(color: Color, text: string, isOn: boolean): string {
  return isOn && text !== '' ? `${ESC}[${CODES[color]}m${text}${ESC}[0m` : text;
}

/** Splits a text into text and colours, in turns. */
export function splitAtColors(text: string): readonly string[] {
  return text.includes(ESC) ? text.split(SEQUENCES) : [text];
}

const SEQUENCES = new RegExp(`(${ESC}\\[(?:0|${Object.values(CODES).join('|')})m)`);
