import { expect, it } from 'vitest';
import { pixelsOf } from './token.js';
import { checkValue } from './token-value.js';

const px = (value: unknown) => ({ value, unit: 'px' });
const black = { colorSpace: 'srgb', components: [0, 0, 0] };

it.each<readonly [string, unknown]>([
  ['color', '{a.b}'],
  ['dimension', { $ref: '#/a' }],
  ['dimension', { value: '{a.b}', unit: { $ref: '#/u' } }],
  ['duration', { value: 1, unit: 's' }],
  ['fontWeight', 'extra-black'],
  ['fontWeight', 1],
  ['fontFamily', 'Inter'],
  ['strokeStyle', 'double'],
  ['cubicBezier', [0, '{n}', 1, 5]],
  ['shadow', [{ color: black, offsetX: px(0), offsetY: px(0), blur: px(0), spread: px(0), inset: true }, '{shadow.low}']],
  ['typography', { fontFamily: '{f}', fontSize: px(12) }],
  ['gradient', ['{stop}', { color: '{c}', position: 0.5 }]],
])('%s %j is fine', (type, value) => {
  expect(checkValue(type, value)).toEqual([]);
});

it.each<readonly [string, unknown, 'broken' | 'older', string]>([
  ['dimension', '10px', 'older', 'a dimension as text: since 2025.10 it is an object with value and unit'],
  ['dimension', 0, 'older', 'a dimension as 0: since 2025.10 it is an object with value and unit'],
  ['dimension', 5, 'broken', 'a dimension is an object with value and unit, not a number'],
  ['dimension', '', 'broken', 'a dimension is an object with value and unit, not a string'],
  ['dimension', px('5'), 'broken', 'the value of a dimension is a number'],
  ['dimension', { value: 1, unit: '%' }, 'older', 'the unit "%": the format has px or rem, and other tools may refuse it'],
  ['dimension', { value: 1, unit: 5 }, 'broken', 'the unit of a dimension is px or rem'],
  ['duration', '200ms', 'older', 'a duration as text: since 2025.10 it is an object with value and unit'],
  ['duration', { value: 1, unit: 'min' }, 'broken', 'the unit of a duration is ms or s'],
  ['number', '1.5', 'older', 'a number as text'],
  ['number', null, 'broken', 'a number is expected, not null'],
  ['fontWeight', 0, 'broken', 'a font weight lies between 1 and 1000'],
  ['fontWeight', 'Semi Bold', 'older', 'a font weight in words of its own'],
  ['fontWeight', 'extrabold', 'older', 'a font weight in words of its own'],
  ['fontWeight', '700', 'older', 'a font weight in words of its own'],
  ['fontWeight', [], 'broken', 'a font weight is a number or a name, not a list'],
  ['fontFamily', [], 'broken', 'a font family is a name or a list of names'],
  ['fontFamily', ['Inter', ' '], 'broken', 'a font family is a name or a list of names'],
  ['cubicBezier', [0, 0, 1], 'broken', 'a cubic Bézier has four numbers'],
  ['cubicBezier', [0, 'x', 1, 1], 'broken', 'a cubic Bézier has four numbers'],
  ['strokeStyle', 'wavy', 'broken', 'there is no stroke style "wavy"'],
  ['strokeStyle', 5, 'broken', 'a stroke style is a name, or an object with dashArray and lineCap'],
  ['strokeStyle', { dashArray: [], lineCap: 'sharp' }, 'broken', 'lineCap is round, butt or square'],
  [
    'strokeStyle',
    { dashArray: ['2px'], lineCap: 'butt' },
    'older',
    'a dimension as text: since 2025.10 it is an object with value and unit',
  ],
  ['border', 'thin', 'broken', 'a border is an object, not a string'],
  ['border', { color: black, width: px(1) }, 'broken', 'a border needs style'],
  ['shadow', { color: black, offsetX: px(0), offsetY: px(0), blur: px(0), spread: px(0), inset: 1 }, 'broken', 'inset is true or false'],
  ['gradient', {}, 'broken', 'a gradient is a list of stops'],
  ['typography', { fontFamily: 'a', fontSize: px(1), lineHeight: px(20) }, 'older', 'a line height with a unit: it is a plain number'],
  ['typography', { fontFamily: 'a', fontSize: px(1), lineHeight: [] }, 'broken', 'a number is expected, not a list'],
  ['__proto__', 1, 'broken', 'the type "__proto__" is none of the format\'s, and other tools may pass its tokens over'],
  ['boolean', true, 'older', 'the type "boolean" is none of the format\'s, and other tools may pass its tokens over'],
])('%s %j is not', (type, value, grade, cause) => {
  expect(checkValue(type, value)).toEqual([{ grade, cause }]);
});

it('says all that is wrong with the parts of a value', () => {
  expect(checkValue('border', { color: 'blau', width: '1px', style: 'solid' })).toEqual([
    { grade: 'broken', cause: '"blau" is no colour' },
    { grade: 'older', cause: 'a dimension as text: since 2025.10 it is an object with value and unit' },
  ]);
});

it('measures in pixels what can be', () => {
  expect(
    [px(3), { value: 1.5, unit: 'rem' }, '2rem', '-4px', '1em', { value: 1, unit: 'em' }, px('3'), null, px(Infinity)].map(pixelsOf),
  ).toEqual([3, 24, 32, -4, null, null, null, null, null]);
});
