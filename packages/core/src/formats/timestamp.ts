// Timestamps of the journal, `2026-03-01T10:00:00.000Z`, to milliseconds. By arithmetic, because pure code may not use Date.

/** The hour read last. Nearly all timestamps of a journal share it with the one before. */
let hour = { text: '', ms: 0 };

/** The timestamp read last: each is first validated, then converted. */
let last = { text: '', ms: 0 };

/** Milliseconds since 1970; 0 for anything else. */
export function millisecondsOf(text: string): number {
  if (text === last.text) return last.ms;
  const isSameHour = text.length === 24 && hour.text !== '' && text.startsWith(hour.text);
  const ms = isSameHour ? hour.ms + (msInHour(text) ?? -hour.ms) : wholeTime(text);
  last = { text, ms };
  return ms;
}

/** Whether this is a timestamp of the journal, with a date that exists. */
export function isTimestamp(text: string): boolean {
  return millisecondsOf(text) !== 0 || text === '1970-01-01T00:00:00.000Z';
}

function wholeTime(text: string): number {
  if (text.length !== 24 || text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':') return 0;
  const [year, month, day] = [readDigits(text, 0, 4), readDigits(text, 5, 7), readDigits(text, 8, 10)];
  const hours = readDigits(text, 11, 13);
  const inHour = msInHour(text);
  const isReal = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hours <= 23;
  if (!isReal || inHour === null || Number.isNaN(year)) return 0;
  hour = { text: text.slice(0, 14), ms: (daysTo(year, month, day) * 24 + hours) * 3_600_000 };
  return hour.ms + inHour;
}

/** `59:59.999Z` after the hour. */
function msInHour(text: string): number | null {
  if (text[16] !== ':' || text[19] !== '.' || text[23] !== 'Z') return null;
  const minutes = readDigits(text, 14, 16);
  const seconds = readDigits(text, 17, 19);
  const ms = (minutes * 60 + seconds) * 1000 + readDigits(text, 20, 23);
  return minutes <= 59 && seconds <= 59 && !Number.isNaN(ms) ? ms : null;
}

function daysIn(year: number, month: number): number {
  return daysTo(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - daysTo(year, month, 1);
}

/** Reads digits one by one without allocating, because a journal has very many timestamps. */
function readDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Days since 1970-01-01 in the Gregorian calendar. Years start in March here, so that the leap day comes last. */
function daysTo(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + dayOfYear - 719_468;
}
