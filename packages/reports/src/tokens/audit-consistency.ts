// Consistency, 20 %: the files are as the format wants them, every reference leads somewhere and not in a circle, types agree,
// names follow one style.

import { type AuditDimension, DimensionAudit } from './audit-dimension.js';
import { readColour } from './colour.js';
import { readReference, type TokenPlace, type Token } from './token.js';
import type { Resolved, TokenSet } from './token-set.js';
import { checkValue, isKnownType, type ValueFault } from './token-value.js';
import { addToList } from '@umpire/core/formats/multimap.js';

const COLOUR_TEXT = /^\s*(?:#|rgb|hsl|hwb|lab|lch|okl|color\()/;
const SEVERITY = { broken: 'critical', older: 'medium', differs: 'high' } as const;

export function auditConsistency(set: TokenSet): AuditDimension {
  const audit = new DimensionAudit('consistency', 20);
  for (const fault of set.files.flatMap((file) => file.faults)) {
    audit.look('format', false);
    audit.find(`format/${fault.rule}`, fault.severity, sentence(fault.cause), fault);
  }
  for (const token of set.tokens) {
    const faults = formatFaults(token, set);
    // Readable and not as it should be: half right.
    audit.look('format', faults.length === 0 ? 1 : faults.every(({ grade }) => grade === 'older') ? 0.5 : 0);
    for (const { grade, cause } of faults)
      audit.find(grade === 'older' ? 'format/older' : 'format/value', SEVERITY[grade], sentence(cause), token);
    if (refers(token.value)) checkReference(token, set, audit);
  }
  checkTwins(set, audit);
  checkNames(set, audit);
  return audit.end('there is no token to look at');
}

/** What is wrong with the token by itself. */
function formatFaults(token: Token, set: TokenSet): readonly ValueFault[] {
  const values = [token.value, ...token.modes.values()];
  const resolved = set.resolve(token, token.theme ?? set.contexts[0] ?? null);
  const type = token.type ?? (resolved.ok ? resolved.type : null);
  if (type === null)
    return resolved.ok
      ? [{ grade: 'broken', cause: 'there is no $type, neither its own nor of a group, so nobody knows what the value is' }]
      : [];
  if (type === 'string' && typeof token.value === 'string' && COLOUR_TEXT.test(token.value) && readColour(token.value).ok)
    return [{ grade: 'differs', cause: 'a colour of the type "string": no tool will treat it as a colour' }];
  const known = new Map(values.flatMap((value) => checkValue(type, value)).map((fault) => [fault.cause, fault]));
  if (!isKnownType(type) && readReference(token.value) !== null && token.type !== null)
    for (const fault of checkValue(type, null)) known.set(fault.cause, fault);
  return [...known.values()];
}

/** A reference, or a value with one in it. */
function refers(value: unknown, level = 0): boolean {
  if (readReference(value) !== null) return true;
  return typeof value === 'object' && value !== null && level < 5 && Object.values(value).some((inner) => refers(inner, level + 1));
}

function checkReference(token: Token, set: TokenSet, audit: DimensionAudit): void {
  const contexts = token.theme === null ? set.contexts : [token.theme];
  const all = contexts.map((context) => set.resolve(token, context));
  const failed = all.find((each): each is Extract<Resolved, { ok: false }> => !each.ok);
  audit.look('references', failed === undefined);
  if (failed !== undefined) {
    const why = {
      cycle: `The references go in a circle (${failed.reference})`,
      group: `${failed.reference} leads to a group; only a token has a value`,
      missing: `${failed.reference} leads to a token that does not exist`,
    };
    audit.find(`reference/${failed.problem}`, 'critical', why[failed.problem], token);
    return;
  }
  for (const each of all) {
    if (!each.ok) continue;
    const [, target] = each.way;
    if (target === undefined || readReference(token.value) === null) continue;
    checkTarget(token, target, each.way, audit);
  }
}

function checkTarget(token: Token, target: Token, way: readonly Token[], audit: DimensionAudit): void {
  const type = way.slice(1).find((each) => each.type !== null)?.type ?? null;
  const isWhole = readReference(token.value)?.inside?.length !== 0 ? typeof token.value === 'string' : true;
  if (isWhole && token.type !== null && type !== null && token.type !== type) {
    // A type of a tool's own says nothing that others could hold against it.
    const severity = isKnownType(token.type) && isKnownType(type) ? 'critical' : 'medium';
    audit.find('reference/type', severity, `The type is ${token.type}, but the reference leads to one of type ${type}`, token);
  }
  if (target.deprecated && !token.deprecated)
    audit.find('reference/deprecated', 'medium', `It refers to ${target.path}, which is deprecated`, token);
}

/** The same token in light and dark, or in two files, must be of one type; in two files that hold together, of one value. */
function checkTwins(set: TokenSet, audit: DimensionAudit): void {
  const byRole = new Map<string, Token>();
  for (const token of set.tokens) {
    const twin = byRole.get(token.role);
    byRole.set(token.role, twin ?? token);
    if (twin === undefined || twin.type === null || token.type === null || twin.type === token.type) continue;
    audit.find('twin/type', 'high', `The same token has the type ${twin.type} in ${twin.file} and ${token.type} in ${token.file}`, token);
  }
}

function sentence(cause: string): string {
  return cause.startsWith('$') || cause.startsWith('"') ? `In the file, ${cause}` : cause.charAt(0).toUpperCase() + cause.slice(1);
}

type NameStyle = 'kebab-case' | 'snake_case' | 'camelCase' | 'PascalCase' | 'words with spaces';

const STYLES: readonly (readonly [NameStyle, RegExp])[] = [
  ['kebab-case', /^[a-z0-9]+(?:-[a-z0-9]+)+$/],
  ['snake_case', /^[a-z0-9]+(?:_[a-z0-9]+)+$/],
  ['camelCase', /^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/],
  ['PascalCase', /^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$/],
  ['words with spaces', /^\S+(?: \S+)+$/],
];

/** Null: a single word or a number goes with every style; what mixes styles is told by none. */
function styleOf(name: string): NameStyle | null {
  if (name.length > 200) return null;
  return STYLES.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

function checkNames(set: TokenSet, audit: DimensionAudit): void {
  const names = new Map<string, TokenPlace>();
  for (const token of set.tokens) {
    const { segments, file, line } = token;
    for (let at = 1; at < segments.length; at += 1) {
      const path = segments.slice(0, at).join('.');
      if (!names.has(path) && segments[at - 1] !== '$root') names.set(path, { path, file, line });
    }
    // A set may hold a hundred thousand: the last is the token itself.
    if (!names.has(token.path) && segments.at(-1) !== '$root') names.set(token.path, token);
  }
  const styles = new Map<NameStyle, TokenPlace[]>();
  for (const place of names.values()) {
    const style = styleOf(place.path.slice(place.path.lastIndexOf('.') + 1));
    if (style !== null) addToList(styles, style, place);
  }
  checkStyles(styles, audit);
  checkCase(names, audit);
}

function checkStyles(styles: ReadonlyMap<NameStyle, readonly TokenPlace[]>, audit: DimensionAudit): void {
  const [main, ...others] = [...styles].toSorted((a, b) => b[1].length - a[1].length);
  for (const _ of main?.[1] ?? []) audit.look('names', true);
  for (const [style, places] of others) {
    for (const place of places) {
      audit.look('names', false);
      audit.find('name/style', 'medium', `Names in ${style}, while most are in ${main?.[0] ?? ''}`, place);
    }
  }
}

function checkCase(names: ReadonlyMap<string, TokenPlace>, audit: DimensionAudit): void {
  const plain = new Map<string, string>();
  for (const [path, place] of names) {
    const lower = path.toLowerCase();
    const twin = plain.get(lower);
    if (twin !== undefined && twin !== path) audit.find('name/case', 'medium', `The name differs from ${twin} in its case alone`, place);
    else plain.set(lower, path);
  }
}
