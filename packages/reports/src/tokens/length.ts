// Dimensions in pixels, as far as a token file tells: `{value, unit}`, and text such as `16px` of the drafts before.

import { isObject, own } from '@umpire/core/formats/json-text.js';

const REM_PX = 16;
const TEXT = /^(-?\d{1,9}(?:\.\d{1,9})?)(px|rem)$/;

/** Null where it is none, or depends on what it is used in. */
export function pixelsOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const match = TEXT.exec(value.trim());
    return match === null ? null : inPixels(Number(match[1]), match[2]);
  }
  if (!isObject(value)) return null;
  const amount = own(value, 'value');
  return typeof amount === 'number' && Number.isFinite(amount) ? inPixels(amount, own(value, 'unit')) : null;
}

function inPixels(amount: number, unit: unknown): number | null {
  if (unit === 'px') return amount;
  return unit === 'rem' ? amount * REM_PX : null;
}
