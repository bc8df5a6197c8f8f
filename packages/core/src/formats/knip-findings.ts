// Unused code reported by knip (version 5 and later), as findings.

import type { Finding, Severity } from '../model/vocabulary.js';
import { makeFinding } from './finding.js';
import { isObject, own } from './json-text.js';
import type { JsonObject } from './json-text.js';

interface UnusedKind {
  readonly what: string;
  readonly severity: Severity;
}

/**
 * What each list of knip holds. An unknown list keeps its name. Fingerprints are made of these texts and baselines keep fingerprints,
 * so these texts never change.
 */
const KINDS: Readonly<Record<string, UnusedKind>> = {
  files: { what: 'unused file', severity: 'medium' },
  dependencies: { what: 'unused dependency', severity: 'medium' },
  devDependencies: { what: 'unused development dependency', severity: 'medium' },
  optionalPeerDependencies: { what: 'optional peer dependency that is used', severity: 'medium' },
  unlisted: { what: 'dependency that is not listed', severity: 'medium' },
  unresolved: { what: 'import that cannot be resolved', severity: 'high' },
  binaries: { what: 'program that is not listed', severity: 'medium' },
  exports: { what: 'unused export', severity: 'low' },
  types: { what: 'unused exported type', severity: 'low' },
  nsExports: { what: 'unused export in a namespace', severity: 'low' },
  nsTypes: { what: 'unused exported type in a namespace', severity: 'low' },
  enumMembers: { what: 'unused member of an enum', severity: 'low' },
  classMembers: { what: 'unused member of a class', severity: 'low' },
  namespaceMembers: { what: 'unused member of a namespace', severity: 'low' },
  duplicates: { what: 'export under several names', severity: 'low' },
};

/** Null if the value is not a knip report. */
export function readKnip(value: unknown): readonly Finding[] | null {
  const issues = isObject(value) ? own(value, 'issues') : undefined;
  if (!isObject(value) || !Array.isArray(issues)) return null;
  const files = own(value, 'files');
  const whole = Array.isArray(files)
    ? files.filter((file) => typeof file === 'string').map((file) => finding('files', file, null, file))
    : [];
  return [...whole, ...issues.filter(isObject).flatMap(ofFile)];
}

function ofFile(issue: JsonObject): readonly Finding[] {
  const file = own(issue, 'file');
  const path = typeof file === 'string' ? file : '';
  const lists = Object.keys(issue).filter((key) => key !== 'file' && key !== 'owners');
  return lists.flatMap((kind) => entriesIn(issue[kind]).map(({ name, line }) => finding(kind, name, line, path)));
}

interface UnusedEntry {
  readonly name: string;
  readonly line: number | null;
}

/** Entries as a list, for duplicates as a list of lists, and for members of older versions as lists by owner. */
function entriesIn(value: unknown): readonly UnusedEntry[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => (Array.isArray(entry) ? together(entry) : entryOf(entry)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([owner, members]) =>
    entriesIn(members).map((member) => ({ ...member, name: `${owner}.${member.name}` })),
  );
}

function entryOf(value: unknown): readonly UnusedEntry[] {
  if (typeof value === 'string') return [{ name: value, line: null }];
  const name = isObject(value) ? own(value, 'name') : undefined;
  if (!isObject(value) || typeof name !== 'string') return [];
  const [line, owner] = [own(value, 'line'), own(value, 'namespace')];
  return [{ name: typeof owner === 'string' ? `${owner}.${name}` : name, line: typeof line === 'number' ? line : null }];
}

function together(names: readonly unknown[]): readonly UnusedEntry[] {
  const entries = names.flatMap(entryOf);
  return entries.length === 0 ? [] : [{ name: entries.map(({ name }) => name).join(', '), line: entries[0]?.line ?? null }];
}

function finding(kind: string, name: string, line: number | null, path: string): Finding {
  const { what, severity } = (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? { what: `unused (${kind})`, severity: 'low' };
  return makeFinding({
    severity,
    message: kind === 'files' ? what : `${what}: ${name}`,
    artifact: path,
    line,
    rule: `unused/${kind}`,
  });
}
