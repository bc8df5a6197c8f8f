// Doubles that the test calls itself: that they were called says nothing about the code.

import type { AssertionFact } from '../facts.js';
import { rootName } from './answers.js';
import { isMaker } from './names.js';
import { print } from './print.js';
import type { Env } from './scope.js';
import { at, bare, listAt, nameOf, propertyName } from './tree.js';
import type { Node } from './tree.js';
import { put } from '../../formats/keyed-lists.js';

const FORGETS = /^(mockClear|mockReset|mockRestore|reset|resetHistory|restore)$/;
const FORGETS_ALL = /^(clear|reset|restore)AllMocks$/;

export class OwnCalls {
  /** What each double was called with, call by call. */
  private readonly calls = new Map<string, string[]>();

  /** A statement of the test that is a call. */
  note(call: Node | null, env: Env): void {
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

  /** The fact with why it cannot fail, where the test did by itself what is asked. */
  judged(fact: AssertionFact, subject: Node | null): AssertionFact {
    const calls = this.calls.size === 0 ? undefined : this.calls.get(nameOf(bare(subject)));
    if (calls === undefined || fact.tautology !== null) return fact;
    const free =
      fact.kind === 'called' ||
      (fact.kind === 'calledTimes' && fact.expected === String(calls.length)) ||
      (fact.kind === 'calledWith' && calls.includes(fact.expected ?? ''));
    return free ? { ...fact, tautology: 'the test itself makes the call it asks for' } : fact;
  }
}
