// Times as the journal writes them, `2026-03-01T10:00:00.000Z`, to milliseconds: by arithmetic, so that pure rooms may do it.

const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/;

/** Milliseconds since 1970; 0 for anything else than such a time. */
export function millisecondsOf(text: string): number {
  const match = ISO.exec(text);
  if (match === null) return 0;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0, thousandths = 0] = match.slice(1).map(Number);
  return (((daysTo(year, month, day) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + thousandths;
}

/** Days from 1970-01-01, in the Gregorian calendar. Years begin in March here, so that the leap day comes last. */
function daysTo(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + dayOfYear - 719_468;
}
