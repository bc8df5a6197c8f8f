// A check of several values at once, written out: `[f(1), f(2)]` that is wanted as `[3, 4]`, `[1, 2].map(f)`, `[1, 2].filter(f)`, an
// object made there and then. Each value is asked by itself, as it would be in a test of its own.

import type { Draft } from './checks.js';
import { print } from './print.js';
import { isConstant } from './questions.js';
import { rowsOf } from './rows.js';
import { bind, functionOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { at, bare, holesAt, keyName, listAt, nameOf, propertyName, settled, soleExpression } from './tree.js';
import type { Node } from './tree.js';

export interface Asked {
  readonly draft: Draft;
  readonly env: Env;
}

const MOST = 20;

export function entrywise(draft: Draft, env: Env): readonly Asked[] {
  const [wanted] = draft.expected;
  const whole = [{ draft, env }];
  if (draft.kind !== 'equal' || draft.suffix !== '' || draft.constant !== null || draft.expected.length !== 1) return whole;
  const subject = together(settled(draft.subject));
  const list = bare(wanted ?? null);
  if (subject?.type === 'ArrayExpression' && list?.type === 'ArrayExpression') return listed(draft, env, subject, list) ?? whole;
  if (subject?.type === 'ObjectExpression' && list?.type === 'ObjectExpression') return keyed(draft, env, subject, list) ?? whole;
  return subject?.type === 'CallExpression' ? (walked(draft, env, subject, wanted ?? null) ?? whole) : whole;
}

/** Of `Promise.all([…])` the list. */
function together(node: Node | null): Node | null {
  const callee = node?.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
  const all = callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'Promise' && propertyName(callee) === 'all';
  return all ? settled(listAt(node, 'arguments')[0] ?? null) : node;
}

function entriesOf(list: Node): readonly Node[] | null {
  const entries: Node[] = [];
  for (const entry of holesAt(list, 'elements')) {
    if (entry === null || entry.type === 'SpreadElement') return null;
    entries.push(entry);
  }
  return entries.length < 2 || entries.length > MOST ? null : entries;
}

function listed(draft: Draft, env: Env, subject: Node, wanted: Node): readonly Asked[] | null {
  const [asked, values] = [entriesOf(subject), entriesOf(wanted)];
  if (asked === null || values === null || asked.length !== values.length || asked.some(isConstant)) return null;
  return asked.map((one, index) => ({ draft: { ...draft, subject: one, expected: values.slice(index, index + 1) }, env }));
}

function keyed(draft: Draft, env: Env, subject: Node, wanted: Node): readonly Asked[] | null {
  const [asked, values] = [propertiesOf(subject), propertiesOf(wanted)];
  if (asked === null || values === null || asked.size < 2 || asked.size !== values.size) return null;
  const found: Asked[] = [];
  for (const [key, one] of asked) {
    const value = values.get(key);
    if (value === undefined || isConstant(one)) return null;
    found.push({ draft: { ...draft, subject: one, expected: [value] }, env });
  }
  return found;
}

function propertiesOf(node: Node): ReadonlyMap<string, Node> | null {
  const found = new Map<string, Node>();
  for (const property of listAt(node, 'properties')) {
    const value = property.type === 'Property' && property['computed'] !== true ? at(property, 'value') : null;
    if (value === null) return null;
    found.set(keyName(property), value);
  }
  return found;
}

/** What a function gives for each entry of a known list, or which of them it lets pass. */
function walked(draft: Draft, env: Env, call: Node, wanted: Node | null): readonly Asked[] | null {
  const callee = bare(at(call, 'callee'));
  const how = callee?.type === 'MemberExpression' ? propertyName(callee) : '';
  if ((how !== 'map' && how !== 'filter') || listAt(call, 'arguments').length !== 1) return null;
  const fn = functionOf(listAt(call, 'arguments')[0] ?? null, env);
  const rows = fn === null ? null : rowsOf(at(callee, 'object'), env);
  const values = wanted === null ? null : rowsOf(wanted, env);
  const asked = bare(soleExpression(at(fn?.node, 'body')));
  const params = listAt(fn?.node, 'params');
  if (fn === null || rows === null || values === null || asked === null || params.length !== 1 || rows.length < 2 || rows.length > MOST)
    return null;
  const around = (row: Value): Env => {
    const inner = fn.env.child();
    bind(params[0] as Node, row, inner);
    return inner;
  };
  if (how === 'map') {
    if (values.length !== rows.length || values.some(({ node }) => node === null)) return null;
    return rows.map((row, index) => ({ draft: { ...draft, subject: asked, expected: [values[index]?.node as Node] }, env: around(row) }));
  }
  const kept = values.map(({ node, env: own }) => print(node, own));
  const texts = rows.map(({ node, env: own }) => print(node, own));
  if (!kept.every((text) => texts.includes(text))) return null;
  return rows.map((row, index) => ({
    draft: { ...draft, subject: asked, expected: [], constant: String(kept.includes(texts[index] ?? '')) },
    env: around(row),
  }));
}
