// Recorded times in the local time zone, the same in every output.

import { UTC } from '../../views/words.js';
import type { Clock } from '../../views/words.js';

/** `2026-03-01 10:02` and `UTC+1`. An invalid time is shown as recorded. */
export const LOCAL_CLOCK: Clock = {
  moment: (ts) => {
    const time = new Date(ts);
    if (Number.isNaN(time.getTime())) return UTC.moment(ts);
    return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${timeOfDay(ts)}`;
  },
  zone: (ts) => {
    const east = -new Date(ts).getTimezoneOffset();
    if (Number.isNaN(east) || east === 0) return UTC.zone(ts);
    const minutes = Math.abs(east) % 60;
    return `UTC${east < 0 ? '-' : '+'}${Math.floor(Math.abs(east) / 60)}${minutes === 0 ? '' : `:${two(minutes)}`}`;
  },
};

/** `10:02`. */
export function timeOfDay(ts: string): string {
  const time = new Date(ts);
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
