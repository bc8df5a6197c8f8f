// What the test does itself says nothing about the code: doubles that it calls, properties of a result that it writes.

import type { AssertionFact } from '../facts.js';
import { rootName } from './answers.js';
import { isMaker } from './names.js';
import { print, squeeze } from './print.js';
import type { Env } from './scope.js';
import { at, bare, listAt, nameOf, propertyName, settled, textAt } from './tree.js';
import type { Node } from './tree.js';
import { put } from '../keyed-lists.js';

const FORGETS = /^(mockClear|mockReset|mockRestore|reset|resetHistory|restore)$/;
const FORGETS_ALL = /^(clear|reset|restore)AllMocks$/;

export class OwnCalls {
  /** What each double was called with, call by call. */
  private readonly calls = new Map<string, string[]>();
  /** What was written to each property, and after how many calls of others. */
  private readonly writes = new Map<string, { readonly text: string; readonly after: number }>();

  /** A statement of the test that is a call or an assignment; `after`: so many calls of others came before. */
  note(call: Node | null, env: Env, after: number): void {
    if (call?.type === 'AssignmentExpression') return this.write(call, env, after);
    const callee = call?.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
    if (call === null || callee === null) return;
    if (callee.type === 'MemberExpression') {
      if (this.calls.size === 0) return;
      if (FORGETS_ALL.test(propertyName(callee))) this.calls.clear();
      else if (FORGETS.test(propertyName(callee))) this.calls.delete(rootName(callee));
      return;
    }
    const name = nameOf(callee);
    const value = name === '' ? null : env.find(name);
    if (value === null || value.named !== true || value.node === null || !isMaker(value.node)) return;
    const texts = listAt(call, 'arguments').map((argument) => print(argument, env));
    put(this.calls, name, texts.join(','));
  }

  /** `invoice.tax = 332` of what a call gave back; of an object that the test made, a setter may be what is tested. */
  private write(node: Node, env: Env, after: number): void {
    const left = bare(at(node, 'left'));
    const right = at(node, 'right');
    if (left?.type !== 'MemberExpression' || right === null || textAt(node, 'operator') !== '=') return;
    if (settled(env.find(rootName(left))?.node ?? null)?.type !== 'CallExpression') return;
    this.writes.set(written(left, env), { text: print(right, env), after });
  }

  /** The fact with why it cannot fail, where the test did by itself what is asked. */
  judged(fact: AssertionFact, subject: Node | null, env: Env, after: number): AssertionFact {
    if (this.writes.size > 0 && fact.kind === 'equal' && subject !== null) {
      const write = this.writes.get(written(subject, env));
      if (write !== undefined && write.after === after && write.text === fact.expected) return { ...fact, echo: true };
    }
    const calls = this.calls.size === 0 ? undefined : this.calls.get(nameOf(bare(subject)));
    if (calls === undefined || fact.tautology !== null) return fact;
    const free =
      fact.kind === 'called' ||
      (fact.kind === 'calledTimes' && fact.expected === String(calls.length)) ||
      (fact.kind === 'calledWith' && calls.includes(fact.expected ?? ''));
    return free ? { ...fact, tautology: 'the test itself makes the call it asks for' } : fact;
  }
}

function written(node: Node, env: Env): string {
  return squeeze(env.module.tree.text.slice(node.start, node.end));
}
