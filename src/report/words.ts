// Numbers with their nouns, as people write them (`1 case`, `6,912 cases`), and texts of others on one plain line.

export function count(number: number, noun: string): string {
  const [whole = '', rest] = (Number.isInteger(number) && number < 1e15 ? String(number) : number.toExponential(1)).split('e+');
  const grouped = rest === undefined ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : `${whole} x 10^${rest}`;
  return `${grouped} ${noun}${number === 1 ? '' : 's'}`;
}

/** On one line, with nothing in it that a terminal obeys. */
export function plain(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, ' ').trim();
}

/** The same for a line of a page, which keeps its indent. */
export function plainLine(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ''}${plain(line)}`;
}
