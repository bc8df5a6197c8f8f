// Whom a test waits for: objects of which it awaits something later on run the handlers that it gave them. And marks that are there to
// say that a place was reached.

import type { AssertionFact } from '../facts.js';
import { UNCALLED } from './callbacks.js';
import { rootName } from './answers.js';
import { isConstant } from './questions.js';
import { at, bare, descend, isFunction, listAt, nameOf, settled } from './tree.js';
import type { Node } from './tree.js';

/** By name: the last place in a test where something is awaited, returned or told to `done` that has to do with it. */
export class Waited {
  private last: ReadonlyMap<string, number> | null = null;

  constructor(
    private readonly root: Node,
    private readonly done: ReadonlySet<string>,
  ) {}

  /** After the call, the test waits for the object whose method it is: `app.use(…)`, and `await app.ready()` later. */
  after(call: Node): boolean {
    const name = rootName(at(call, 'callee'));
    this.last ??= this.find();
    return name !== '' && (this.last.get(name) ?? -1) >= call.end;
  }

  private find(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const node of descend(this.root)) {
      const waits = node.type === 'AwaitExpression' || node.type === 'ReturnStatement' || this.tells(node);
      if (!waits) continue;
      for (const below of descend(node, (inner) => !isFunction(inner))) {
        const name = nameOf(below);
        if (name !== '') found.set(name, Math.max(found.get(name) ?? -1, below.start));
      }
    }
    return found;
  }

  /** `app.close(done)`, `app.ready(() => { done() })`. */
  private tells(node: Node): boolean {
    if (node.type !== 'CallExpression' || bare(at(node, 'callee'))?.type !== 'MemberExpression') return false;
    return listAt(node, 'arguments').some((argument) => {
      const inner = bare(argument);
      if (this.done.has(nameOf(inner))) return true;
      if (!isFunction(inner)) return false;
      for (const below of descend(inner))
        if (below.type === 'CallExpression' && this.done.has(nameOf(bare(at(below, 'callee'))))) return true;
      return false;
    });
  }
}

/** `t.assert.ok('closed')`, `assert(true)` where being there is what counts: in a callback, in a test that counts its checks. */
export function asMarker(fact: AssertionFact, subject: Node | null, counts: boolean): AssertionFact {
  if (fact.tautology === null || !isConstant(settled(subject))) return fact;
  return counts || fact.reachWhy === UNCALLED ? { ...fact, marker: true } : fact;
}
