// Consistency, 20 %: the files are as the format wants them, every reference leads somewhere and not in a circle, types agree,
// names follow one style.

import { AuditSheet, type AuditDimension } from './audit-sheet.js';
import { checkNames } from './naming.js';
import { isKnownType, checkValue, type ValueFault } from './token-value.js';
import { readColour } from './colour.js';
import { readReference } from './reference.js';
import type { Fault, Token } from './token.js';
import type { Resolved, TokenSet } from './token-set.js';

const SEVERITY = { broken: 'critical', older: 'medium', differs: 'high' } as const;

export function auditConsistency(set: TokenSet): AuditDimension {
  const sheet = new AuditSheet('consistency', 20);
  for (const fault of set.files.flatMap((file) => file.faults)) take(fault, sheet);
  for (const token of set.tokens) {
    checkFormat(token, set, sheet);
    if (refers(token.value)) checkReference(token, set, sheet);
  }
  checkTwins(set, sheet);
  checkNames(set, sheet);
  return sheet.end('there is no token to look at');
}

function take(fault: Fault, sheet: AuditSheet): void {
  sheet.look('format', false);
  sheet.find(`format/${fault.rule}`, fault.severity, sentence(fault.cause), fault);
}

function checkFormat(token: Token, set: TokenSet, sheet: AuditSheet): void {
  const faults = formatFaults(token, set);
  // Readable and not as it should be: half right.
  sheet.look('format', faults.length === 0 ? 1 : faults.every(({ grade }) => grade === 'older') ? 0.5 : 0);
  for (const { grade, cause } of faults)
    sheet.find(grade === 'older' ? 'format/older' : 'format/value', SEVERITY[grade], sentence(cause), token);
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
  if (type === 'string' && typeof token.value === 'string' && isColourText(token.value))
    return [{ grade: 'differs', cause: 'a colour of the type "string": no tool will treat it as a colour' }];
  const known = new Map(values.flatMap((value) => checkValue(type, value)).map((fault) => [fault.cause, fault]));
  if (!isKnownType(type) && readReference(token.value) !== null && token.type !== null)
    for (const fault of checkValue(type, null)) known.set(fault.cause, fault);
  return [...known.values()];
}

function isColourText(text: string): boolean {
  return /^(?:#|rgb|hsl|hwb|lab|lch|okl|color\()/.test(text.trim()) && readColour(text).ok;
}

/** A reference, or a value with one in it. */
function refers(value: unknown, level = 0): boolean {
  if (readReference(value) !== null) return true;
  return typeof value === 'object' && value !== null && level < 5 && Object.values(value).some((inner) => refers(inner, level + 1));
}

function checkReference(token: Token, set: TokenSet, sheet: AuditSheet): void {
  const contexts = token.theme === null ? set.contexts : [token.theme];
  const all = contexts.map((context) => set.resolve(token, context));
  const failed = all.find((each): each is Extract<Resolved, { ok: false }> => !each.ok);
  sheet.look('references', failed === undefined);
  if (failed !== undefined) {
    sheet.find(`reference/${failed.problem}`, 'critical', reasonOf(failed), token);
    return;
  }
  for (const each of all) {
    if (!each.ok) continue;
    const [, target] = each.way;
    if (target === undefined || readReference(token.value) === null) continue;
    checkTarget(token, target, each.way, sheet);
  }
}

function checkTarget(token: Token, target: Token, way: readonly Token[], sheet: AuditSheet): void {
  const type = way.slice(1).find((each) => each.type !== null)?.type ?? null;
  const isWhole = readReference(token.value)?.inside?.length !== 0 ? typeof token.value === 'string' : true;
  if (isWhole && token.type !== null && type !== null && token.type !== type) {
    // A type of a tool's own says nothing that others could hold against it.
    const severity = isKnownType(token.type) && isKnownType(type) ? 'critical' : 'medium';
    sheet.find('reference/type', severity, `The type is ${token.type}, but the reference leads to one of type ${type}`, token);
  }
  if (target.deprecated && !token.deprecated)
    sheet.find('reference/deprecated', 'medium', `It refers to ${target.path}, which is deprecated`, token);
}

function reasonOf({ problem, reference }: Extract<Resolved, { ok: false }>): string {
  if (problem === 'cycle') return `The references go in a circle (${reference})`;
  if (problem === 'group') return `${reference} leads to a group; only a token has a value`;
  return `${reference} leads to a token that does not exist`;
}

/** The same token in light and dark, or in two files, must be of one type; in two files that hold together, of one value. */
function checkTwins(set: TokenSet, sheet: AuditSheet): void {
  const byRole = new Map<string, Token>();
  for (const token of set.tokens) {
    const twin = byRole.get(token.role);
    byRole.set(token.role, twin ?? token);
    if (twin === undefined || twin.type === null || token.type === null || twin.type === token.type) continue;
    sheet.find('twin/type', 'high', `The same token has the type ${twin.type} in ${twin.file} and ${token.type} in ${token.file}`, token);
  }
}

function sentence(cause: string): string {
  return cause.startsWith('$') || cause.startsWith('"') ? `In the file, ${cause}` : cause.charAt(0).toUpperCase() + cause.slice(1);
}
