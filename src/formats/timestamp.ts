// Times as the journal writes them, `2026-03-01T10:00:00.000Z`, to milliseconds: by arithmetic, so that pure rooms may do it.

/** Milliseconds since 1970; 0 for anything else than such a time. */
export function millisecondsOf(text: string): number {
  if (text.length !== 24 || text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return 0;
  if (text[19] !== '.' || text[23] !== 'Z') return 0;
  const days = daysTo(numberIn(text, 0, 4), numberIn(text, 5, 7), numberIn(text, 8, 10));
  const seconds = (numberIn(text, 11, 13) * 60 + numberIn(text, 14, 16)) * 60 + numberIn(text, 17, 19);
  const time = (days * 86_400 + seconds) * 1000 + numberIn(text, 20, 23);
  return Number.isNaN(time) ? 0 : time;
}

/** A journal has very many times: digits are read one by one, and nothing is made on the way. */
function numberIn(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Days from 1970-01-01, in the Gregorian calendar. Years begin in March here, so that the leap day comes last. */
function daysTo(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + dayOfYear - 719_468;
}
