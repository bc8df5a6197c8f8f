// How many examples a property of Hypothesis is tried on: what it says, or one where its strategies can make no other.

import type { Env } from './scope.js';
import type { Expr } from './tree.js';
import { keyword, lastName } from './tree.js';

export interface Examples {
  readonly about: Expr;
  readonly count: Expr;
  readonly env: Env;
}

/** A hundred where nothing is said; null of a test that is no property. */
export function examplesOf(decorators: readonly { readonly node: Expr; readonly env: Env }[]): Examples | null {
  const called = (name: string) => decorators.find(({ node }) => node.type === 'Call' && lastName(node.callee) === name);
  const [given, settings] = [called('given'), called('settings')?.node ?? null];
  if (given === undefined) return null;
  const { start, end } = settings ?? given.node;
  const about: Expr = { type: 'Unknown', start, end, text: 'examples of the property' };
  const single = singleOf(given.node, settings);
  const limit = single === null && settings?.type === 'Call' ? keyword(settings.args, 'max_examples') : null;
  return { about, count: limit ?? { type: 'Number', start, end, text: String(single ?? 100) }, env: given.env };
}

/** How many examples there are at most where the strategies make but one value, or no phase makes any; null where there are more. */
function singleOf(given: Expr, settings: Expr | null): number | null {
  const phases = settings?.type === 'Call' ? keyword(settings.args, 'phases') : null;
  if ((phases?.type === 'List' || phases?.type === 'Tuple') && phases.items.length === 0) return 0;
  if (given.type !== 'Call' || given.args.length === 0) return null;
  return given.args.every(({ value }) => isSingle(value)) ? 1 : null;
}

/** `st.just(x)`, `st.sampled_from([x])`, `st.text(max_size=0)`. */
function isSingle(strategy: Expr): boolean {
  if (strategy.type !== 'Call') return false;
  const name = lastName(strategy.callee);
  if (name === 'just' || name === 'nothing' || name === 'none') return true;
  const [first] = strategy.args;
  if (name === 'sampled_from')
    return first !== undefined && 'items' in first.value && (first.value.items as readonly unknown[]).length === 1;
  const most = keyword(strategy.args, 'max_size');
  return /^(text|binary|lists|sets|frozensets|dictionaries)$/.test(name) && most?.type === 'Number' && Number(most.text) === 0;
}
