// Colours as token files write them, in any CSS colour space, and the contrast of one on another. The arithmetic is colorjs.io's.

import { ColorSpace, contrastWCAG21, parse, spaces, to } from 'colorjs.io/fn';
import { isObject, own } from '@umpire/core/formats/json-text.js';

/** In sRGB, where screens lay one colour over another; beyond 0 to 1 where the screen's gamut is larger. */
export interface Colour {
  readonly rgb: readonly [number, number, number];
  readonly alpha: number;
}

export type ColourResult =
  | { readonly ok: true; readonly colour: Colour; /** It can be read, and is not as the format wants it. */ readonly odd: string | null }
  | { readonly ok: false; readonly problem: string };

for (const space of Object.values(spaces)) ColorSpace.register(space);

interface ColourSpace {
  readonly id: string;
  /** What each component may be; null: anything. */
  readonly ranges: readonly (readonly [number, number] | null)[];
}

const UNIT = [0, 1] as const;
const RGB = [UNIT, UNIT, UNIT];
const TURN = [0, 360] as const;
const HUNDRED = [0, 100] as const;

const SPACES: Readonly<Record<string, ColourSpace>> = {
  srgb: { id: 'srgb', ranges: RGB },
  'srgb-linear': { id: 'srgb-linear', ranges: RGB },
  hsl: { id: 'hsl', ranges: [TURN, HUNDRED, HUNDRED] },
  hwb: { id: 'hwb', ranges: [TURN, HUNDRED, HUNDRED] },
  lab: { id: 'lab', ranges: [HUNDRED, null, null] },
  lch: { id: 'lch', ranges: [HUNDRED, null, TURN] },
  oklab: { id: 'oklab', ranges: [UNIT, null, null] },
  oklch: { id: 'oklch', ranges: [UNIT, null, TURN] },
  'display-p3': { id: 'p3', ranges: RGB },
  'a98-rgb': { id: 'a98rgb', ranges: RGB },
  'prophoto-rgb': { id: 'prophoto', ranges: RGB },
  rec2020: { id: 'rec2020', ranges: RGB },
  'xyz-d65': { id: 'xyz-d65', ranges: [null, null, null] },
  'xyz-d50': { id: 'xyz-d50', ranges: [null, null, null] },
};

const HEX = /^#[0-9a-f]{6}$/i;
/** One step of eight bits, and a little for rounding. */
const HEX_STEP = 1.5 / 255;

export function readColour(value: unknown): ColourResult {
  if (typeof value === 'string') return readColourText(value);
  if (!isObject(value)) return refuseColour('a colour is an object with colorSpace and components');
  const name = own(value, 'colorSpace');
  const space = typeof name === 'string' && Object.hasOwn(SPACES, name) ? SPACES[name] : undefined;
  if (space === undefined)
    return refuseColour(typeof name === 'string' ? `there is no colour space "${name.slice(0, 40)}"` : 'a colour needs its colorSpace');
  const components = own(value, 'components');
  if (!Array.isArray(components) || components.length !== 3) return refuseColour('a colour has three components');
  const coords = (components as readonly unknown[]).map((each) => (each === 'none' ? null : each));
  for (const [at, coord] of coords.entries()) {
    if (coord === null && components[at] === 'none') continue;
    if (typeof coord !== 'number' || !Number.isFinite(coord)) return refuseColour('components are numbers or "none"');
    const range = space.ranges[at] ?? null;
    if (range !== null && (coord < range[0] || coord > range[1]))
      return refuseColour(`component ${at + 1} of ${String(name)} lies between ${range[0]} and ${range[1]}, not at ${round(coord)}`);
  }
  const alpha = own(value, 'alpha') ?? 1;
  if (typeof alpha !== 'number' || !(alpha >= 0 && alpha <= 1)) return refuseColour('alpha lies between 0 and 1');
  const colour = toRgb(space.id, coords as (number | null)[], alpha);
  return colour === null
    ? refuseColour('it cannot be converted to sRGB')
    : { ok: true, colour, odd: oddHex(own(value, 'hex'), colour, String(name)) };
}

/** The drafts before 2025.10 had colours as text. */
function readColourText(text: string): ColourResult {
  const shown = `"${text.slice(0, 40)}"`;
  if (text.length > 120) return refuseColour(`${shown} is no colour`);
  try {
    const { spaceId, coords, alpha } = parse(text.trim());
    const colour = toRgb(spaceId, [...coords], alpha ?? 1);
    if (colour === null) return refuseColour(`${shown} is no colour`);
    return { ok: true, colour, odd: 'a colour as text: since 2025.10 it is an object with colorSpace and components' };
  } catch {
    return refuseColour(`${shown} is no colour`);
  }
}

function toRgb(spaceId: string, coords: readonly (number | null)[], alpha: number): Colour | null {
  const [a = 0, b = 0, c = 0] = coords.map((each) => each ?? 0);
  try {
    const [red, green, blue] = to({ space: ColorSpace.get(spaceId), coords: [a, b, c], alpha: 1 }, 'srgb').coords.map((each) => each ?? 0);
    const rgb = [red ?? NaN, green ?? NaN, blue ?? NaN] as const;
    return rgb.every((each) => Number.isFinite(each)) ? { rgb, alpha: Math.min(1, Math.max(0, alpha)) } : null;
  } catch {
    return null;
  }
}

function oddHex(hex: unknown, { rgb }: Colour, space: string): string | null {
  if (hex === undefined) return null;
  if (typeof hex !== 'string' || !HEX.test(hex)) return 'a hex that is not "#" and six digits';
  // Elsewhere the fallback is the nearest colour that a screen of sRGB has, and there are several ways to find it.
  if (space !== 'srgb') return null;
  const differs = rgb.some((each, at) => Math.abs(each - Number.parseInt(hex.slice(1 + 2 * at, 3 + 2 * at), 16) / 255) > HEX_STEP);
  return differs ? 'hex is another colour than the components' : null;
}

function refuseColour(problem: string): ColourResult {
  return { ok: false, problem };
}

/** A colour laid over an opaque one. */
export function over(front: Colour, back: Colour): Colour {
  const mixed = front.rgb.map((each, at) => each * front.alpha + (back.rgb[at] ?? 0) * (1 - front.alpha));
  const [red = 0, green = 0, blue = 0] = mixed;
  return { rgb: [red, green, blue], alpha: 1 };
}

/** By WCAG 2, from 1 to 21, cut off after two digits: 4.499 is not 4.5. Both must be opaque. */
export function contrastOf(a: Colour, b: Colour): number {
  const ratio = contrastWCAG21({ space: 'srgb', coords: [...a.rgb], alpha: 1 }, { space: 'srgb', coords: [...b.rgb], alpha: 1 });
  return Math.floor(ratio * 100 + 1e-6) / 100;
}

/** `#1a2b3c`, with what shines through: for messages. */
export function hexOf({ rgb, alpha }: Colour): string {
  const digits = rgb.map((each) =>
    Math.round(Math.min(1, Math.max(0, each)) * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}${alpha < 1 ? ` at ${Math.round(alpha * 100)} %` : ''}`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
