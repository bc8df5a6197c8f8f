// Token files taken together: which tokens hold in light and in dark, and what a token comes to when its references are followed.

import { isObject, own } from '@umpire/core/formats/json-text.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { readReference, type TokenReference, type Theme, type Token, type TokenFile } from './token.js';
import { fileTheme, modeTheme } from './name-words.js';

/** Null: the set has no modes, and everything holds. */
export type ColourMode = Theme | null;

export type Resolved =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly type: string | null;
      /** Tokens on the way, itself first. */ readonly way: readonly Token[];
    }
  | { readonly ok: false; readonly problem: 'missing' | 'group' | 'cycle'; readonly reference: string };

const LONGEST_WAY = 100;
const DEEPEST = 20;

export class TokenSet {
  readonly tokens: readonly Token[];
  readonly contexts: readonly ColourMode[];
  private readonly byPath = new Map<string, Token[]>();
  private readonly byRole: Map<string, Token[]>;
  private readonly roots = new Map<string, unknown>();
  private readonly groups = new Set<string>();
  private readonly known = new Map<ColourMode, Map<Token, Resolved>>();

  constructor(readonly files: readonly TokenFile[]) {
    const themes = themesOf(files);
    this.tokens = files.flatMap(({ file, tokens }) =>
      tokens.map((token) => {
        const theme = token.theme ?? themes.get(file) ?? null;
        return theme === token.theme ? token : { ...token, theme };
      }),
    );
    // Without modes every role is a path.
    const isPlain = this.tokens.every(({ path, role }) => path === role);
    this.byRole = isPlain ? this.byPath : new Map();
    for (const token of this.tokens) {
      addToList(this.byPath, token.path, token);
      if (!isPlain) addToList(this.byRole, token.role, token);
    }
    for (const { file, root, groups } of files) {
      this.roots.set(file, root);
      for (const group of groups) this.groups.add(group);
    }
    this.contexts = this.findContexts();
  }

  /** Every token that holds in this mode, one a role and file; what is themed takes the place of what is not. */
  within(context: ColourMode): readonly Token[] {
    return [...this.byRole.values()].flatMap((tokens) => {
      const themed = tokens.filter(({ theme }) => theme !== null && theme === context);
      return themed.length > 0 ? themed : tokens.filter(({ theme }) => theme === null);
    });
  }

  /** The token of this path or role that `from` means. */
  find(path: string, from: Token, context: ColourMode): Token | null {
    const candidates = this.byPath.get(path) ?? this.byRole.get(path) ?? [];
    const theme = context ?? from.theme;
    const themed = candidates.filter((token) => token.theme !== null && token.theme === theme);
    const plain = candidates.filter((token) => token.theme === null);
    const pool =
      themed.length > 0
        ? themed
        : plain.length > 0
          ? plain
          : from.theme === null
            ? []
            : candidates.filter((token) => token.file === from.file);
    return nearest(pool, from.file);
  }

  /** A token of this path, wherever it holds. */
  named(path: string): Token | null {
    return (this.byPath.get(path) ?? this.byRole.get(path))?.[0] ?? null;
  }

  resolve(token: Token, context: ColourMode): Resolved {
    return this.follow(token, context, []);
  }

  /** The value that the token itself has in a mode. */
  valueOf(token: Token, context: ColourMode): unknown {
    if (context !== null) for (const [name, value] of token.modes) if (modeTheme(name) === context) return value;
    return token.value;
  }

  /** Each token is followed once: values that refer to each other many times over cost no more than their number. */
  private follow(token: Token, context: ColourMode, before: readonly Token[]): Resolved {
    const known = this.known.get(context) ?? new Map<Token, Resolved>();
    this.known.set(context, known);
    const settled = known.get(token);
    if (settled !== undefined) return settled;
    if (before.includes(token) || before.length > LONGEST_WAY) return { ok: false, problem: 'cycle', reference: circleOf(before, token) };
    const resolved = this.lead(token, context, [...before, token]);
    known.set(token, resolved);
    return resolved;
  }

  private lead(token: Token, context: ColourMode, stack: readonly Token[]): Resolved {
    const value = this.valueOf(token, context);
    const reference = readReference(value);
    const found = reference === null ? this.settle(value, token, context, stack, 0) : this.target(reference, token, context, stack);
    if (!found.ok) return found;
    return { ok: true, value: found.value, type: token.type ?? found.type, way: [token, ...found.way] };
  }

  private target(reference: TokenReference, token: Token, context: ColourMode, stack: readonly Token[]): Resolved {
    const path = reference.segments.join('.');
    const target = this.find(path, token, context);
    if (target === null) return this.pointed(reference, token, path);
    const resolved = this.follow(target, context, stack);
    if (!resolved.ok || reference.inside === null || reference.inside.length === 0) return resolved;
    const inner = followPointer(resolved.value, reference.inside);
    if (inner === undefined) return { ok: false, problem: 'missing', reference: reference.text };
    return { ok: true, value: inner, type: null, way: resolved.way };
  }

  /** A pointer may lead to what is no token. */
  private pointed(reference: TokenReference, token: Token, path: string): Resolved {
    const raw = reference.inside === null ? undefined : followPointer(this.roots.get(token.file), reference.segments);
    if (raw !== undefined && !isObject(raw)) return { ok: true, value: raw, type: null, way: [] };
    return { ok: false, problem: this.groups.has(path) && path !== '' ? 'group' : 'missing', reference: reference.text };
  }

  /** References inside a value are put in place. A value without any is itself: most are, and a copy of each would double the set. */
  private settle(value: unknown, token: Token, context: ColourMode, stack: readonly Token[], level: number): Resolved {
    const keepValue = (inner: unknown): Resolved => ({ ok: true, value: inner, type: null, way: [] });
    if (typeof value !== 'object' || value === null || level > DEEPEST) return keepValue(value);
    const parts: [string, unknown][] = [];
    let isSame = true;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'number' || typeof inner === 'boolean') {
        parts.push([key, inner]);
        continue;
      }
      const reference = readReference(inner);
      const found =
        reference === null ? this.settle(inner, token, context, stack, level + 1) : this.target(reference, token, context, stack);
      if (!found.ok) return found;
      if (found.value !== inner) isSame = false;
      parts.push([key, found.value]);
    }
    if (isSame) return keepValue(value);
    return keepValue(Array.isArray(value) ? parts.map(([, inner]) => inner) : Object.fromEntries(parts));
  }

  /** Files for dark alone change what the others say: those hold for light. */
  private findContexts(): readonly ColourMode[] {
    const has = (theme: Theme): boolean =>
      this.tokens.some((token) => token.theme === theme || [...token.modes.keys()].some((name) => modeTheme(name) === theme));
    if (has('dark')) return ['light', 'dark'];
    return has('light') ? ['light'] : [null];
  }
}

/** By name, or as a resolver document says. */
function themesOf(files: readonly TokenFile[]): ReadonlyMap<string, Theme | null> {
  const themes = new Map<string, Theme | null>(files.map(({ file }) => [file, fileTheme(file)]));
  for (const { file, themedFiles } of files) {
    const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
    for (const { path, theme } of themedFiles) {
      const parts: string[] = folder === '' ? [] : folder.split('/');
      for (const part of path.split('/')) {
        if (part === '..') parts.pop();
        else if (part !== '.' && part !== '') parts.push(part);
      }
      const place = parts.join('/');
      if (themes.has(place)) themes.set(place, theme);
    }
  }
  return themes;
}

/** The same file before others, then the one whose path begins most like it: several systems may lie in one project. */
function nearest(tokens: readonly Token[], file: string): Token | null {
  let best: Token | null = null;
  let most = -1;
  for (const token of tokens) {
    let shared = 0;
    while (shared < file.length && token.file[shared] === file[shared]) shared += 1;
    if (token.file === file) shared = Infinity;
    if (shared > most) [best, most] = [token, shared];
  }
  return best;
}

/** `a > b > a`, the same from wherever it was entered. */
function circleOf(stack: readonly Token[], token: Token): string {
  const circle = stack.slice(Math.max(0, stack.indexOf(token))).map(({ path }) => path);
  const first = circle.indexOf(circle.toSorted()[0] ?? '');
  return [...circle.slice(first), ...circle.slice(0, first), circle[first] ?? ''].slice(0, 12).join(' > ');
}

function followPointer(value: unknown, names: readonly string[]): unknown {
  let at: unknown = value;
  for (const name of names) {
    if (Array.isArray(at) && /^\d{1,6}$/.test(name)) at = at[Number(name)];
    else if (isObject(at)) at = own(at, name);
    else return undefined;
  }
  return at;
}
