// Conditions of `#[cfg(…)]` as values: what is compiled under tests, what never is, and what only on some machines.

import type { Value } from '../nodes.js';
import { readMetas } from './items.js';
import type { Meta } from './items.js';
import type { Token } from './tokens.js';

/** Of the attribute between two tokens; null where it always holds under tests, or is no condition. */
export function conditionOf(tokens: readonly Token[], first: number, last: number): Value | null {
  const [meta] = readMetas(tokens, first, last);
  return meta?.name === 'cfg' ? conditionOfMeta(meta.args?.[0] ?? meta) : null;
}

/** Null: it always holds under tests. A condition that never holds is the constant `false`. */
function conditionOfMeta(meta: Meta): Value | null {
  const truth = truthOfMeta(meta);
  if (truth === true) return null;
  const place = { from: meta.from, to: meta.to };
  return truth === false ? { ...place, kind: 'constant', value: 'false' } : valueOf(meta);
}

/** `undefined`: it depends. */
function truthOfMeta({ name, value, args }: Meta): boolean | undefined {
  if (value !== null) return undefined;
  if (args === null) return name === 'test' || name === 'true' ? true : name === 'false' || name === 'FALSE' ? false : undefined;
  const all = args.map(truthOfMeta);
  if (name === 'all') return all.includes(false) ? false : all.every((one) => one === true) ? true : undefined;
  if (name === 'any') return all.includes(true) ? true : all.every((one) => one === false) ? false : undefined;
  if (name !== 'not') return undefined;
  return all[0] === undefined ? undefined : !all[0];
}

/** An attribute as a name or a call; its condition is a constant where it always or never holds under tests. */
export function lowerAttribute(meta: Meta): Value {
  const value = valueOf(meta);
  const [first] = meta.args ?? [];
  if (value.kind !== 'call' || first === undefined || !/^cfg(?:_attr)?$/.test(meta.name)) return value;
  const condition = conditionOfMeta(first) ?? { kind: 'constant', value: 'true', from: first.from, to: first.to };
  return { ...value, args: [{ name: null, value: condition }, ...value.args.slice(1)] };
}

function valueOf(meta: Meta): Value {
  const place = { from: meta.from, to: meta.to };
  const name: Value = { ...place, kind: 'name', name: meta.name };
  if (meta.args !== null)
    return { ...place, kind: 'call', callee: name, args: meta.args.map((arg) => ({ name: null, value: valueOf(arg) })), isNew: false };
  if (meta.value === null) return name;
  return { ...place, kind: 'binary', op: '==', left: name, right: { ...place, kind: 'text', value: meta.value } };
}
