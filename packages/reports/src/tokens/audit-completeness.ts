// Completeness, 20 %: five states for what people use (default, hover, focus, active, disabled), light and dark for every role of
// colour. Palettes need neither.

import { AuditSheet, type AuditDimension } from './audit-sheet.js';
import { contrastOf, type Colour } from './colour.js';
import { FIXED } from './name-words.js';
import type { ColourToken } from './palette.js';
import { familiesOf } from './state-families.js';
import type { TokenSet } from './token-set.js';
import type { View } from './view.js';

export function auditCompleteness(set: TokenSet, views: readonly View[]): AuditDimension {
  const sheet = new AuditSheet('completeness', 20);
  const [view] = views;
  if (view !== undefined) checkStates(view, sheet);
  checkModes(set, views, sheet);
  return sheet.end('no role of colour and nothing that people use is named');
}

function checkStates(view: View, sheet: AuditSheet): void {
  for (const { name, token, missing } of familiesOf(view)) {
    sheet.look('states', missing.length === 0);
    if (missing.length > 0) sheet.find('state/missing', 'high', `A state is missing (${missing.join(', ')})`, { ...token, path: name });
  }
}

function checkModes(set: TokenSet, views: readonly View[], sheet: AuditSheet): void {
  const [light, dark] = views;
  const roles = (light?.colours ?? []).filter(({ isRole, words }) => isRole && !FIXED.hasAny(words));
  const [first] = roles;
  if (first === undefined) return;
  if (dark === undefined) {
    for (const _ of roles) sheet.look('light and dark', false);
    const which = set.contexts[0] === 'light' ? 'light' : 'one mode';
    sheet.find(
      'mode/single',
      'high',
      `All ${roles.length} roles of colour have a value for ${which} alone: a dark mode is missing`,
      first.token,
      false,
    );
    return;
  }
  const hasLight = set.tokens.some((token) => token.theme === 'light');
  const inDark = new Map(dark.colours.map((colour) => [colour.token.role, colour]));
  const inLight = new Map((light?.colours ?? []).map((colour) => [colour.token.role, colour]));
  for (const role of roles) {
    const twin = inDark.get(role.token.role);
    // Where light and dark are both files of their own, what stands outside them is shared on purpose.
    const isShared = hasLight && role.token.theme === null;
    const isFine = twin !== undefined && (isShared || role.token.theme === 'light' || isOther(role, twin));
    sheet.look('light and dark', isFine);
    if (!isFine) sheet.find('mode/missing', 'high', 'A role of colour is missing in dark', role.token);
  }
  for (const role of dark.colours.filter(({ isRole, token }) => isRole && token.theme === 'dark' && !inLight.has(token.role))) {
    sheet.look('light and dark', false);
    sheet.find('mode/missing', 'high', 'A role of colour is missing in light', role.token);
  }
}

/** Dark says something of its own: the token is another one, or comes to another colour. */
function isOther(light: ColourToken, dark: ColourToken): boolean {
  return light.token !== dark.token || !isEqual(light.colour, dark.colour);
}

function isEqual(a: Colour, b: Colour): boolean {
  return a.alpha === b.alpha && a.rgb.every((each, at) => each === b.rgb[at]) && contrastOf(a, b) === 1;
}
