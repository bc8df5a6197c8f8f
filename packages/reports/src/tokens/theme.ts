// Light and dark: which of the two a file, a group or a name holds for. Only where names make it certain: `primary.light` beside
// `primary.main` is a shade, not a mode.

import { nameWords } from './name-words.js';
import type { Theme, Token } from './token.js';

/** Names such as `light`, `Dark`, `theme-dark`, `lightMode`. High-contrast and other variants are modes of their own. */
export function modeTheme(name: string): Theme | null {
  const words = nameWords(name).filter((word) => !['theme', 'mode', 'color', 'colors', 'scheme', 'default'].includes(word));
  const [only, ...others] = words;
  return others.length === 0 && (only === 'light' || only === 'dark') ? only : null;
}

/** By the file's name, else by the nearest folder that is named so. */
export function fileTheme(file: string): Theme | null {
  const [name = '', ...folders] = file.split('/').toReversed();
  const words = nameWords(name.replace(/\.(?:tokens\.)?json$|\.tokens$/i, ''));
  const light = words.includes('light');
  const dark = words.includes('dark');
  if (words.includes('contrast') || (light && dark)) return null;
  if (light || dark) return light ? 'light' : 'dark';
  return folders.map(modeTheme).find((theme) => theme !== null) ?? null;
}

/** At least this share of what two groups hold must be the same for them to be modes of one another. */
const SHARED = 0.5;

/** Gives tokens under `light` and `dark` groups, or with just these two names, their mode and their path without it. */
export function splitTheme(tokens: readonly Token[]): readonly Token[] {
  const known = new Map<string, Theme | null>();
  const themeOf = (segment: string): Theme | null => {
    const theme = known.get(segment);
    if (theme !== undefined) return theme;
    const found = modeTheme(segment);
    known.set(segment, found);
    return found;
  };
  // Most files have no modes, and then nothing needs to be counted.
  if (!tokens.some(({ segments }) => segments.some((segment) => themeOf(segment) !== null))) return tokens;
  const sides = new Map<string, { readonly light: Set<string>; readonly dark: Set<string> }>();
  const siblings = new Map<string, Set<string>>();
  for (const { segments } of tokens) {
    segments.forEach((segment, at) => {
      const parent = keyOf(segments.slice(0, at));
      siblings.set(parent, (siblings.get(parent) ?? new Set<string>()).add(segment));
      const theme = themeOf(segment);
      if (theme === null) return;
      const side = sides.get(parent) ?? { light: new Set<string>(), dark: new Set<string>() };
      side[theme].add(keyOf(segments.slice(at + 1)));
      sides.set(parent, side);
    });
  }
  const isSplit = (parent: string): boolean => {
    const side = sides.get(parent);
    if (side === undefined || side.light.size === 0 || side.dark.size === 0) return false;
    // Two tokens, not groups: modes only where nothing else stands beside them.
    if (side.light.has(keyOf([])) || side.dark.has(keyOf([]))) return siblings.get(parent)?.size === 2;
    const both = [...side.light].filter((path) => side.dark.has(path)).length;
    return both / Math.min(side.light.size, side.dark.size) >= SHARED;
  };
  return tokens.map((token) => {
    const at = token.segments.findIndex((segment, index) => themeOf(segment) !== null && isSplit(keyOf(token.segments.slice(0, index))));
    if (at < 0 || token.theme !== null) return token;
    const theme = themeOf(token.segments[at] ?? '');
    const role = token.segments.filter((_, index) => index !== at).join('.');
    return { ...token, theme, role, words: nameWords(role) };
  });
}

function keyOf(segments: readonly string[]): string {
  return segments.join('\0');
}
