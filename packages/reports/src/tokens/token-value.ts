// What a token's value must look like by its type (DTCG 2025.10). Parts that refer to other tokens are left out: what they lead to
// is checked where it stands.

import { readColour } from './colour.js';
import { WordSet } from './name-words.js';
import { readReference } from './token.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';

/** `broken`: no tool can use it. `older`: readable, and not as 2025.10 has it. */
export interface ValueFault {
  readonly grade: 'broken' | 'older' | 'differs';
  readonly cause: string;
}

type ValueCheck = (value: unknown) => readonly ValueFault[];

const FINE: readonly ValueFault[] = [];
const broken = (cause: string): readonly ValueFault[] => [{ grade: 'broken', cause }];
const older = (cause: string): readonly ValueFault[] => [{ grade: 'older', cause }];

/** Wherever a value may stand, so may a reference. */
const part =
  (check: ValueCheck): ValueCheck =>
  (value) =>
    readReference(value) === null ? check(value) : FINE;

const colour: ValueCheck = (value) => {
  const read = readColour(value);
  if (!read.ok) return broken(read.problem);
  if (read.odd === null) return FINE;
  return read.odd.startsWith('hex is another') ? [{ grade: 'differs', cause: read.odd }] : older(read.odd);
};

/** Units that people use, and that the format does not have. */
const OTHER_UNITS = new WordSet('em % pt dp sp vw vh vmin vmax ch ex pc in cm mm fr dvh svh lvh');
const OLD_LENGTH = /^-?\d{0,9}(?:\.\d{1,9})?(px|rem|em|%|pt|dp|sp|vw|vh)?$/;
const OLD_TIME = /^\d{0,9}(?:\.\d{1,9})?(ms|s)$/;

const checkMeasure = (units: readonly string[], old: RegExp, what: string): ValueCheck => {
  const known = units.join(' or ');
  return (value) => {
    if (typeof value === 'string' && value !== '' && old.test(value.trim()))
      return older(`${what} as text: since 2025.10 it is an object with value and unit`);
    if (value === 0) return older(`${what} as 0: since 2025.10 it is an object with value and unit`);
    if (!isObject(value)) return broken(`${what} is an object with value and unit, not ${nameOf(value)}`);
    const amount = own(value, 'value');
    const unit = own(value, 'unit');
    if (readReference(amount) === null && (typeof amount !== 'number' || !Number.isFinite(amount)))
      return broken(`the value of ${what} is a number`);
    if (readReference(unit) !== null || units.includes(String(unit))) return FINE;
    if (typeof unit === 'string' && OTHER_UNITS.has(unit))
      return older(`the unit "${unit}": the format has ${known}, and other tools may refuse it`);
    return broken(`the unit of ${what} is ${known}`);
  };
};

const dimension = checkMeasure(['px', 'rem'], OLD_LENGTH, 'a dimension');
const duration = checkMeasure(['ms', 's'], OLD_TIME, 'a duration');

const number: ValueCheck = (value) => {
  if (typeof value === 'number' && Number.isFinite(value)) return FINE;
  const isText = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim());
  return isText ? older('a number as text') : broken(`a number is expected, not ${nameOf(value)}`);
};

const WEIGHTS = new WordSet(
  'thin hairline extra-light ultra-light light normal regular book medium semi-bold demi-bold bold extra-bold ' +
    'ultra-bold black heavy extra-black ultra-black',
);

const fontWeight: ValueCheck = (value) => {
  if (typeof value === 'number') return value >= 1 && value <= 1000 ? FINE : broken('a font weight lies between 1 and 1000');
  if (typeof value !== 'string') return broken(`a font weight is a number or a name, not ${nameOf(value)}`);
  if (WEIGHTS.has(value)) return FINE;
  const lenient = value.toLowerCase().replaceAll(' ', '-');
  const isKnown =
    WEIGHTS.has(lenient) || WEIGHTS.has(lenient.replace(/(extra|ultra|semi|demi)(?=[a-z])/, '$1-')) || /^\d{3,4}$/.test(value);
  return isKnown ? older('a font weight in words of its own') : broken(`there is no font weight "${value.slice(0, 40)}"`);
};

const fontFamily: ValueCheck = (value) => {
  const isName = (each: unknown): boolean => typeof each === 'string' && each.trim() !== '';
  const fine = isName(value) || (Array.isArray(value) && value.length > 0 && value.every((each) => isName(each)));
  return fine ? FINE : broken('a font family is a name or a list of names');
};

const cubicBezier: ValueCheck = (value) => {
  if (!Array.isArray(value) || value.length !== 4) return broken('a cubic Bézier has four numbers');
  if (!value.every((each) => typeof each === 'number' || readReference(each) !== null)) return broken('a cubic Bézier has four numbers');
  const inTime = [value[0], value[2]].every((each) => typeof each !== 'number' || (each >= 0 && each <= 1));
  return inTime ? FINE : broken('the first and third number of a cubic Bézier lie between 0 and 1');
};

const STROKES = new WordSet('solid dashed dotted double groove ridge outset inset');

const strokeStyle: ValueCheck = (value) => {
  if (typeof value === 'string') return STROKES.has(value) ? FINE : broken(`there is no stroke style "${value.slice(0, 40)}"`);
  const dashes = isObject(value) ? own(value, 'dashArray') : undefined;
  if (!Array.isArray(dashes) || !isObject(value)) return broken('a stroke style is a name, or an object with dashArray and lineCap');
  if (!['round', 'butt', 'square'].includes(String(own(value, 'lineCap')))) return broken('lineCap is round, butt or square');
  return dashes.flatMap(part(dimension));
};

/** `optional`: what may be left out. */
const checkObject =
  (what: string, parts: Readonly<Record<string, ValueCheck>>, optional: readonly string[] = []): ValueCheck =>
  (value) => {
    if (!isObject(value)) return broken(`${what} is an object, not ${nameOf(value)}`);
    const missing = Object.keys(parts).filter((key) => own(value, key) === undefined && !optional.includes(key));
    const faults = Object.entries(parts).flatMap(([key, check]) => (own(value, key) === undefined ? FINE : part(check)(own(value, key))));
    return missing.length === 0 ? faults : [...broken(`${what} needs ${missing.join(', ')}`), ...faults];
  };

const flag: ValueCheck = (value) => (typeof value === 'boolean' ? FINE : broken('inset is true or false'));

const lineHeight: ValueCheck = (value) => {
  if (typeof value === 'number') return number(value);
  return dimension(value).length === 0 || typeof value === 'string'
    ? older('a line height with a unit: it is a plain number')
    : number(value);
};

const border = checkObject('a border', { color: colour, width: dimension, style: strokeStyle });
const oneShadow = checkObject(
  'a shadow',
  { color: colour, offsetX: dimension, offsetY: dimension, blur: dimension, spread: dimension, inset: flag },
  ['inset'],
);
const shadow: ValueCheck = (value) => (Array.isArray(value) ? value.flatMap(part(oneShadow)) : oneShadow(value));
const transition = checkObject('a transition', { duration, delay: duration, timingFunction: cubicBezier });
const stop = checkObject('a stop of a gradient', { color: colour, position: number });
const gradient: ValueCheck = (value) => (Array.isArray(value) ? value.flatMap(part(stop)) : broken('a gradient is a list of stops'));
const typography = checkObject('typography', { fontFamily, fontSize: dimension, fontWeight, letterSpacing: dimension, lineHeight }, [
  'letterSpacing',
  'fontWeight',
  'lineHeight',
]);

const TYPES: Readonly<Record<string, ValueCheck>> = {
  color: colour,
  dimension,
  duration,
  number,
  fontWeight,
  fontFamily,
  cubicBezier,
  strokeStyle,
  border,
  shadow,
  transition,
  gradient,
  typography,
};

export function isKnownType(type: string): boolean {
  return Object.hasOwn(TYPES, type);
}

/** Types that tools have added; their tokens are passed over by others. */
const OTHER_TYPES = new WordSet(
  'string boolean link opacity fontSize lineHeight letterSpacing paragraphSpacing spacing sizing borderRadius ' +
    'borderWidth asset other text textCase textDecoration fontFamilies fontSizes fontWeights lineHeights composition ' +
    'dimensions numbers boxShadow fontStyle percentage cubic-bezier',
);

export function checkValue(type: string, value: unknown): readonly ValueFault[] {
  if (readReference(value) !== null) return FINE;
  const check = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (check !== undefined) return check(value);
  const grade = OTHER_TYPES.has(type) ? 'older' : 'broken';
  return [{ grade, cause: `the type "${type.slice(0, 40)}" is none of the format's, and other tools may pass its tokens over` }];
}
