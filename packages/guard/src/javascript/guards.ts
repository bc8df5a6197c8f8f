// An `if` that throws asks something too: `if (!result.ok) throw new Error(…)` wants `result.ok`. And what a try that failed leaves in
// the variables that it was to fill.

import type { Draft } from './checks.js';
import { printValue, print } from './print.js';
import type { Env } from './scope.js';
import { at, bare, isLiteral, listAt, nameOf, ownNodes, textAt } from './tree.js';
import type { Node } from './tree.js';

/** What must not be so for the test to go on; none where the `if` does more than throw. */
export function guardsOf(node: Node): readonly Draft[] {
  const body = at(node, 'consequent');
  const [only, ...more] = body?.type === 'BlockStatement' ? listAt(body, 'body') : [body];
  if (more.length > 0 || only?.type !== 'ThrowStatement' || at(node, 'alternate') !== null) return [];
  return alternatives(at(node, 'test')).map((subject) => ({
    kind: 'falsy',
    subject,
    suffix: '',
    expected: [],
    constant: null,
    matcher: 'guard',
    delta: null,
  }));
}

/** Each side of an `||` is enough to throw. */
function alternatives(test: Node | null): readonly Node[] {
  const inner = bare(test);
  if (inner === null) return [];
  const either = inner.type === 'LogicalExpression' && textAt(inner, 'operator') === '||';
  return either ? [...alternatives(at(inner, 'left')), ...alternatives(at(inner, 'right'))] : [inner];
}

/** Words and values by which tests say on purpose that something failed. */
const FAILED = /fail|err|throw|reject|caught|^(true|false|null|undefined)$/i;

/** By name: the literals that a variable holds where the try that fills it fails, from before it or from its catch. */
export function leftBy(block: Node | null, handler: Node | null, env: Env): ReadonlyMap<string, ReadonlySet<string>> {
  const left = new Map<string, Set<string>>();
  const note = (name: string, text: string) => {
    if (!FAILED.test(text)) left.get(name)?.add(text);
  };
  for (const name of filledIn(block).keys()) {
    left.set(name, new Set());
    const value = env.find(name);
    if (value !== null && isLiteral(bare(value.node))) note(name, printValue(value));
  }
  if (left.size === 0) return left;
  for (const [name, node] of filledIn(handler)) if (isLiteral(bare(node))) note(name, print(node, env));
  return left;
}

/** What is assigned to variables in there. */
function filledIn(block: Node | null): ReadonlyMap<string, Node | null> {
  const found = new Map<string, Node | null>();
  for (const node of block === null ? [] : ownNodes(block)) {
    const name = node.type === 'AssignmentExpression' ? nameOf(at(node, 'left')) : '';
    if (name !== '') found.set(name, at(node, 'right'));
  }
  return found;
}

/** `expect.fail()` where nobody hears of it. */
export function failing(subject: Node): Draft {
  return { kind: 'custom', subject, suffix: '', expected: [], constant: 'fail', matcher: 'fail', delta: null };
}

/** What a call asks that by its name asserts: `page.expectTotal(3)`, `assertSaved(row)`. */
export function askedByName(node: Node, callee: Node, name: string): Draft {
  const owner = callee.type === 'MemberExpression' ? bare(at(callee, 'object')) : null;
  const args = listAt(node, 'arguments').filter((argument) => argument.type !== 'SpreadElement');
  const subject = owner ?? args[0] ?? callee;
  const expected = owner === null ? args.slice(1) : args;
  return { kind: 'custom', subject, suffix: '', expected, constant: null, matcher: name, delta: null };
}
