// Reads one file of design tokens (DTCG 2025.10 and the drafts before it): groups, inherited types, root tokens, groups that extend
// others, modes. What a token refers to is token-set.ts's to find, what its value must look like is token-value.ts's.

import { type Member, memberOf, parseTree, plainOf, type Tree } from './json-tree.js';
import { nameWords, modeTheme, splitTheme } from './name-words.js';
import { readReference, type TokenFault, type Theme, type Token, type TokenFile } from './token.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';

const GROUP_KEYS = new Set([
  '$type',
  '$description',
  '$extensions',
  '$extends',
  '$ref',
  '$deprecated',
  '$root',
  '$schema',
  '$id',
  '$comment',
]);
const TOKEN_KEYS = new Set(['$value', '$type', '$description', '$extensions', '$deprecated', '$ref', '$schema', '$comment']);
const MOST_MODES = 20;
const MOST_WORDS = 20_000;
const NO_MODES: ReadonlyMap<string, unknown> = new Map();
/** Groups may extend groups that extend groups; further than this nobody can follow. */
const MOST_PASSES = 10;
const MOST_EXTENDING = 500;
const MOST_ADDED = 20_000;

interface Inherited {
  readonly type: string | null;
  readonly deprecated: boolean;
}

interface Extending {
  readonly segments: readonly string[];
  readonly member: Member;
  readonly theme: Theme | null;
}

export function readTokenFile(text: string, file: string): TokenFile {
  const parsed = parseTree(text);
  const walk = new TokenFileReader(file);
  if (!parsed.ok) return { ...walk.end(null), unreadable: { problem: parsed.problem, line: parsed.line } };
  if (parsed.tree.members === null)
    return { ...walk.end(null), unreadable: { problem: 'it is no JSON object; expected groups and tokens', line: 1 } };
  const order = memberOf(parsed.tree, 'resolutionOrder')?.tree.value;
  const isResolver = Array.isArray(order) && typeof memberOf(parsed.tree, 'version')?.tree.value === 'string';
  if (!isResolver) {
    walk.group(parsed.tree, [], { type: null, deprecated: false }, null);
    return walk.end(parsed.value);
  }
  const { inline, themedFiles } = readResolver(parsed.tree);
  for (const { tree, theme } of inline) walk.group(tree, [], { type: null, deprecated: false }, theme);
  return { ...walk.end(parsed.value), themedFiles };
}

class TokenFileReader {
  private readonly tokens: Token[] = [];
  private readonly faults: TokenFault[] = [];
  private readonly groups = new Set<string>();
  private readonly extending: Extending[] = [];
  private readonly words = new Map<string, string>();

  constructor(private readonly file: string) {}

  group(tree: Tree, segments: readonly string[], inherited: Inherited, theme: Theme | null): void {
    this.groups.add(segments.join('.'));
    const own = this.inherit(tree, inherited, segments);
    const seen = new Set<string>();
    for (const member of tree.members ?? []) {
      if (seen.has(member.name)) this.fault('repeated-name', segments, member, `"${cut(member.name)}" is given twice in one group`);
      seen.add(member.name);
      if (member.name === '$extends' || member.name === '$ref') this.extending.push({ segments, member, theme });
      else if (member.name.startsWith('$') && member.name !== '$root') this.property(member, segments);
      else this.item(member, segments, own, theme);
    }
  }

  end(root: unknown): TokenFile {
    this.extendAll();
    const { file, faults } = this;
    return { file, tokens: splitTheme(this.tokens), faults, groups: this.groups, root, themedFiles: [], unreadable: null };
  }

  private item(member: Member, segments: readonly string[], inherited: Inherited, theme: Theme | null): void {
    const { name, tree } = member;
    const path = [...segments, name];
    if (tree.members === null) {
      this.fault('no-token', path, member, 'a name without "$" holds a token or a group, and this is a plain value');
      return;
    }
    if (/[{}.]/.test(name)) this.fault('name', path, member, 'a name may not hold "{", "}" or "."');
    const isToken = memberOf(tree, '$value') !== undefined || (name === '$root' && memberOf(tree, '$ref') !== undefined);
    if (isToken) return this.token(member, path, inherited, theme);
    if (name === '$root') this.fault('no-token', path, member, '$root is a token and needs a $value');
    const holds = tree.members.some((inner) => !inner.name.startsWith('$') || ['$root', '$extends', '$ref'].includes(inner.name));
    if (!holds && memberOf(tree, '$type') !== undefined)
      this.fault('no-value', path, member, 'a $type, and the $value is missing, so it is no token', 'medium');
    this.group(tree, path, inherited, theme);
  }

  private token({ tree, line }: Member, segments: readonly string[], inherited: Inherited, theme: Theme | null): void {
    const path = segments.join('.');
    const { type, deprecated } = this.inherit(tree, inherited, segments);
    for (const member of tree.members ?? []) {
      if (!member.name.startsWith('$'))
        this.fault('token-and-group', segments, member, `a token cannot hold others, and this one holds "${cut(member.name)}"`);
      else if (!TOKEN_KEYS.has(member.name))
        this.fault('property', segments, member, `"${cut(member.name)}" is no property of a token`, 'medium');
    }
    const value = memberOf(tree, '$value') ?? memberOf(tree, '$ref');
    const held = value === undefined ? undefined : plainOf(value.tree);
    this.tokens.push({
      path,
      segments,
      file: this.file,
      line,
      type,
      value: value?.name === '$ref' ? { $ref: held } : held,
      deprecated,
      modes: modesOf(memberOf(tree, '$extensions')),
      theme,
      role: path,
      words: this.wordsOf(path),
    });
  }

  /** The same words come in many names: one of each is kept. */
  private wordsOf(path: string): readonly string[] {
    return nameWords(path).map((word) => {
      const known = this.words.get(word);
      if (known !== undefined) return known;
      if (this.words.size < MOST_WORDS) this.words.set(word, word);
      return word;
    });
  }

  private inherit(tree: Tree, inherited: Inherited, segments: readonly string[]): Inherited {
    const type = memberOf(tree, '$type');
    const deprecated = memberOf(tree, '$deprecated')?.tree.value;
    if (type !== undefined && typeof type.tree.value !== 'string') this.fault('type', segments, type, 'the $type is no text');
    return {
      type: typeof type?.tree.value === 'string' ? type.tree.value : inherited.type,
      deprecated: deprecated === undefined ? inherited.deprecated : deprecated === true || typeof deprecated === 'string',
    };
  }

  private property(member: Member, segments: readonly string[]): void {
    if (GROUP_KEYS.has(member.name)) return;
    this.fault('property', segments, member, `"${cut(member.name)}" is no property of a group`, 'medium');
  }

  /** Groups may extend groups that extend others, in any order: gone through until nothing is added. */
  private extendAll(): void {
    const valid = this.extending.slice(0, MOST_EXTENDING).filter((each) => this.hasSource(each));
    const known = new Set(this.tokens.map(({ path }) => path));
    const most = this.tokens.length + MOST_ADDED;
    const tooMany = this.extending[MOST_EXTENDING];
    if (tooMany !== undefined)
      this.fault(
        'extends',
        tooMany.segments,
        tooMany.member,
        `more than ${MOST_EXTENDING} groups extend others, and the rest was not followed`,
      );
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const before = this.tokens.length;
      for (const each of valid) this.extend(each, known, most);
      if (this.tokens.length === before) return;
    }
    const [first] = valid;
    if (first !== undefined)
      this.fault('extends', first.segments, first.member, 'groups that extend each other make tokens without an end');
  }

  /** What the extended group holds and this one does not is taken over. */
  private extend({ segments, member, theme }: Extending, known: Set<string>, most: number): void {
    const from = targetOf(member);
    const isWithin = (own: readonly string[]): boolean => own.length > from.length && from.every((segment, at) => own[at] === segment);
    for (const token of this.tokens.filter((each) => isWithin(each.segments))) {
      const path = [...segments, ...token.segments.slice(from.length)];
      if (known.has(path.join('.'))) continue;
      if (this.tokens.length >= most) {
        this.fault('extends', segments, member, `extending makes more than ${MOST_ADDED} tokens, and the rest was left out`);
        return;
      }
      known.add(path.join('.'));
      this.tokens.push({
        ...token,
        path: path.join('.'),
        role: path.join('.'),
        words: nameWords(path.join('.')),
        segments: path,
        line: member.line,
        theme,
      });
    }
  }

  private hasSource({ segments, member }: Extending): boolean {
    const from = targetOf(member);
    if (from.length === 0 || !this.groups.has(from.join('.'))) {
      this.fault('extends', segments, member, `${member.name} leads to no group of this file`);
      return false;
    }
    if (from.every((segment, at) => segments[at] === segment) || segments.every((segment, at) => from[at] === segment)) {
      this.fault('extends', segments, member, `${member.name} leads to a group that holds this one, or lies in it`);
      return false;
    }
    return true;
  }

  private fault(
    rule: string,
    segments: readonly string[],
    { line }: Member,
    cause: string,
    severity: TokenFault['severity'] = 'critical',
  ): void {
    this.faults.push({ rule, severity, cause, path: segments.join('.') || '(top)', file: this.file, line });
  }
}

/** `{a.b}`, or `#/a/b` with or without an object around it. */
function targetOf({ tree }: Member): readonly string[] {
  const { value } = tree;
  const target = readReference(typeof value === 'string' && value.startsWith('#/') ? { $ref: value } : value);
  return target?.segments ?? [];
}

/** `{"mode": {"dark": …}}`, also below a vendor's name. */
function modesOf(extensions: Member | undefined): ReadonlyMap<string, unknown> {
  const top = extensions === undefined ? null : plainOf(extensions.tree);
  if (!isObject(top)) return NO_MODES;
  const modes = new Map<string, unknown>();
  for (const holder of [top, ...Object.values(top).filter(isObject)]) {
    for (const key of ['mode', 'modes']) {
      const held = own(holder, key);
      if (!isObject(held)) continue;
      for (const [name, value] of Object.entries(held).slice(0, MOST_MODES))
        if (modeTheme(name) !== null) modes.set(name, isObject(value) && own(value, '$value') !== undefined ? own(value, '$value') : value);
    }
  }
  return modes;
}

function cut(name: string): string {
  return name.slice(0, 60);
}

interface ResolverSources {
  /** Tokens written into the document itself. */
  readonly inline: readonly { readonly tree: Tree; readonly theme: Theme | null }[];
  readonly themedFiles: readonly { readonly path: string; readonly theme: Theme }[];
}

function readResolver(document: Tree): ResolverSources {
  const inline: { tree: Tree; theme: Theme | null }[] = [];
  const themedFiles: { path: string; theme: Theme }[] = [];
  const takeSources = (list: Tree | undefined, theme: Theme | null): void => {
    const plain = list === undefined ? null : plainOf(list);
    if (!Array.isArray(plain)) return;
    for (const source of plain as readonly unknown[]) {
      const ref = isObject(source) ? own(source, '$ref') : undefined;
      if (typeof ref === 'string' && theme !== null && !ref.startsWith('#')) themedFiles.push({ path: ref.split('#')[0] ?? '', theme });
      else if (isObject(source) && ref === undefined && list !== undefined) inline.push({ tree: treeOf(source, list.line), theme });
    }
  };
  for (const { tree } of memberOf(document, 'sets')?.tree.members ?? []) takeSources(memberOf(tree, 'sources')?.tree, null);
  for (const { tree } of memberOf(document, 'modifiers')?.tree.members ?? []) {
    for (const { name, tree: sources } of memberOf(tree, 'contexts')?.tree.members ?? []) takeSources(sources, modeTheme(name));
  }
  return { inline, themedFiles };
}

/** Lines inside a list are not kept: what stands in one is placed at the list. */
function treeOf(value: unknown, line: number): Tree {
  if (!isObject(value)) return { line, value, members: null };
  return { line, value: undefined, members: Object.entries(value).map(([name, inner]) => ({ name, line, tree: treeOf(inner, line) })) };
}
