// Which colours are taken for pairs in the ways that systems are really named: the certain ones, and nothing that a designer would
// call nonsense.

import { modeViews } from './colour-pairs.js';
import { readTokenFile } from './token-file.js';
import { TokenSet } from './token-set.js';
import { expect, it } from 'vitest';

function pairsOf(names: readonly string[]): readonly string[] {
  const tree: Record<string, unknown> = {};
  for (const name of names) {
    let at = tree;
    for (const part of name.split('.')) at = (at[part] ??= {}) as Record<string, unknown>;
    at['$type'] = 'color';
    at['$value'] = { colorSpace: 'srgb', components: [0, 0, 0] };
  }
  const [view] = modeViews(new TokenSet([readTokenFile(JSON.stringify(tree), 'a.tokens.json')]), []);
  return (view?.pairs ?? []).map(({ front, back, kind }) => `${kind}: ${front.token.path} on ${back.token.path}`);
}

it.each<readonly [string, string, readonly string[]]>([
  [
    'roles of a page',
    'color.text.default color.text.muted color.text.danger color.background.default color.background.danger',
    ['text: color.text.default on color.background.default', 'text: color.text.muted on color.background.default'],
  ],
  [
    'on a role',
    'md.sys.color.primary md.sys.color.on-primary md.sys.color.surface md.sys.color.on-surface ' +
      'md.sys.color.inverse-surface md.sys.color.inverse-on-surface',
    [
      'text: md.sys.color.on-primary on md.sys.color.primary',
      'text: md.sys.color.on-surface on md.sys.color.surface',
      'text: md.sys.color.inverse-on-surface on md.sys.color.inverse-surface',
    ],
  ],
  [
    'on a role of another group',
    'color.text.brand.on-brand-secondary color.icon.brand.on-brand color.background.brand.$root ' +
      'color.background.brand.secondary color.brand.800',
    [
      'text: color.text.brand.on-brand-secondary on color.background.brand.secondary',
      'ui: color.icon.brand.on-brand on color.background.brand.$root',
    ],
  ],
  [
    'foreground behind a name',
    'background foreground card card-foreground primary primary-foreground border',
    ['text: foreground on background', 'text: card-foreground on card', 'text: primary-foreground on primary'],
  ],
  [
    'a component with states',
    'button.primary.fgColor.rest button.primary.bgColor.rest button.primary.bgColor.hover',
    [
      'text: button.primary.fgColor.rest on button.primary.bgColor.rest',
      'text: button.primary.fgColor.rest on button.primary.bgColor.hover',
    ],
  ],
  [
    'both sides with states',
    'button.fgColor.rest button.fgColor.hover button.bgColor.rest button.bgColor.hover button.bgColor.active',
    ['text: button.fgColor.rest on button.bgColor.rest', 'text: button.fgColor.hover on button.bgColor.hover'],
  ],
  [
    'text with states on a background without',
    'chip.text chip.text-hover chip.background',
    ['text: chip.text on chip.background', 'text: chip.text-hover on chip.background'],
  ],
  [
    'flat names of a component',
    'alert-danger-text alert-danger-background alert-danger-border',
    ['text: alert-danger-text on alert-danger-background'],
  ],
  ['flat names of roles are no pair', 'accent-content-color-default accent-background-color-default', []],
  ['roles by kind are no pair', 'color.text.brand color.background.brand color.border.brand', []],
  ['palettes are no pair', 'color.blue.100 color.blue.900 color.text.100', []],
  ['what is disabled is exempt', 'button.text-disabled button.background-disabled color.text.disabled color.background.default', []],
  ['what lies elsewhere is left out', 'color.text.inverse color.text.link color.static-white-text color.background.default', []],
  ['a switch that is on', 'switch.on.background switch.on.knob', []],
  ['on nothing that there is', 'color.text.on-color color.background.default', []],
  ['display text is large', 'color.text.display color.background.default', ['large: color.text.display on color.background.default']],
  [
    'typographic roles',
    'body-color heading-color background-base-color',
    ['text: body-color on background-base-color', 'text: heading-color on background-base-color'],
  ],
])('%s', (_, names, expected) => {
  expect(pairsOf(names.split(' '))).toEqual(expected);
});
