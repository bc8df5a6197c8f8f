import { describe, expect, it } from 'vitest';
import { contrastOf, hexOf, over, readColour, type Colour } from './colour.js';

function colour(value: unknown): Colour {
  const read = readColour(value);
  if (!read.ok) throw new Error(read.problem);
  return read.colour;
}

describe('contrast', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.47],
    ['#ffffff', '#ffffff', 1],
    ['#0000ff', '#ffffff', 8.59],
    ['hsl(0 100% 50%)', 'white', 3.99],
  ])('of %s on %s is %d', (front, back, ratio) => {
    expect(contrastOf(colour(front), colour(back))).toBe(ratio);
  });

  it('is the same in every space that can say the colour', () => {
    const spaces = [
      { colorSpace: 'srgb', components: [0.2, 0.4, 0.8] },
      { colorSpace: 'srgb-linear', components: [0.0331047666, 0.1328683216, 0.6038273389] },
      { colorSpace: 'hsl', components: [220, 60, 50] },
      { colorSpace: 'hwb', components: [220, 20, 20] },
    ];
    expect(spaces.map((value) => hexOf(colour(value)))).toEqual(['#3366cc', '#3366cc', '#3366cc', '#3366cc']);
  });

  it('lays what shines through over what is behind', () => {
    const black = colour({ colorSpace: 'srgb', components: [0, 0, 0], alpha: 0.5 });
    expect(over(black, colour('#ffffff'))).toEqual({ rgb: [0.5, 0.5, 0.5], alpha: 1 });
    const blue = colour({ colorSpace: 'srgb', components: [0, 0, 1], alpha: 0.25 });
    expect(over(blue, colour('#000000'))).toEqual({ rgb: [0, 0, 0.25], alpha: 1 });
    expect(hexOf(black)).toBe('#000000 at 50 %');
  });
});

describe('a colour', () => {
  it.each([
    [{ colorSpace: 'display-p3', components: [1, 0, 0] }, null],
    [{ colorSpace: 'oklch', components: [0.6, 0.1, 'none'] }, null],
    [{ colorSpace: 'srgb', components: [0, 0, 1], hex: '#0000ff' }, null],
    [{ colorSpace: 'srgb', components: [0, 0, 1], hex: '#00f' }, 'a hex that is not "#" and six digits'],
    [{ colorSpace: 'srgb', components: [0, 0, 1], hex: '#ff0000' }, 'hex is another colour than the components'],
    [{ colorSpace: 'display-p3', components: [1, 0, 0], hex: '#ff0000' }, null],
    ['rebeccapurple', 'a colour as text: since 2025.10 it is an object with colorSpace and components'],
  ])('%j is read', (value, odd) => {
    expect(readColour(value)).toMatchObject({ ok: true, odd });
  });

  it.each([
    [null, 'a colour is an object with colorSpace and components'],
    [{}, 'a colour needs its colorSpace'],
    [{ colorSpace: '__proto__', components: [0, 0, 0] }, 'there is no colour space "__proto__"'],
    [{ colorSpace: 'srgb' }, 'a colour has three components'],
    [{ colorSpace: 'srgb', components: [0, 0] }, 'a colour has three components'],
    [{ colorSpace: 'srgb', components: [0, null, 0] }, 'components are numbers or "none"'],
    [{ colorSpace: 'srgb', components: [0, 128, 0] }, 'component 2 of srgb lies between 0 and 1, not at 128'],
    [{ colorSpace: 'srgb', components: [0, 0, 0], alpha: 2 }, 'alpha lies between 0 and 1'],
    [{ colorSpace: 'lab', components: [50, 1e308, -1e308] }, 'it cannot be converted to sRGB'],
    ['nothing', '"nothing" is no colour'],
    ['('.repeat(500), `"${'('.repeat(40)}" is no colour`],
  ])('%j is refused', (value, problem) => {
    expect(readColour(value)).toEqual({ ok: false, problem });
  });
});
