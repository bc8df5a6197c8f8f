// What a Python test puts into a result itself, before it asks for it: that says nothing about the code.

import type { AssertionFact } from '../facts.js';
import { print, squeeze } from './print.js';
import type { Env } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { dotted, positional, settled } from './tree.js';

export class OwnWrites {
  /** What was written to each place, and after how many calls of others. */
  private readonly writes = new Map<string, { readonly text: string; readonly after: number }>();

  /** `result["total"] = 4`, `result.total = 4`, `result.update(wanted)`; `after`: so many calls have been. */
  note(statement: Stmt, env: Env, after: number): void {
    if (statement.type === 'Assign' && statement.value !== null) {
      for (const target of statement.targets)
        if ((target.type === 'Subscript' || target.type === 'Attribute') && isGiven(target.object, env))
          this.writes.set(written(target, env), { text: print(statement.value, env), after });
      return;
    }
    const call = statement.type === 'Expression' ? statement.value : null;
    if (call?.type !== 'Call' || call.callee.type !== 'Attribute' || call.callee.name !== 'update') return;
    const [only, ...more] = positional(call.args);
    if (only === undefined || more.length > 0 || call.args.length > 1 || !isGiven(call.callee.object, env)) return;
    this.writes.set(written(call.callee.object, env), { text: print(only, env), after });
  }

  /** The fact as an echo, where nothing but the test had a say in what is asked. */
  judged(fact: AssertionFact, subject: Expr | null, env: Env, after: number): AssertionFact {
    if (fact.kind !== 'equal' || subject === null || fact.expected === null) return fact;
    const write = this.writes.size === 0 ? undefined : this.writes.get(written(subject, env));
    const own = write !== undefined && write.after === after && write.text === fact.expected;
    return own || isOverlaid(subject, fact.expected, env) ? { ...fact, echo: true } : fact;
  }
}

function written(node: Expr, env: Env): string {
  return squeeze(env.module.tree.text.slice(node.start, node.end));
}

/** A variable that holds what a call gave back; of an object that the test made, a setter may be what is tested. */
function isGiven(node: Expr, env: Env): boolean {
  const value = node.type === 'Name' ? env.find(node.name) : null;
  if (value === null || value.node === null || value.node.type === 'Function' || value.node.type === 'Class') return false;
  const made = settled(value.node);
  return made.type === 'Call' && !/(^|\.)[A-Z]\w*$/.test(dotted(made.callee));
}

/** `{**result, **wanted}`, `result | wanted`: the wanted value lies over the actual one. */
function isOverlaid(node: Expr, expected: string, env: Env): boolean {
  if (node.type === 'Binary') return node.op === '|' && expected.startsWith('{') && print(node.right, env) === expected;
  if (node.type !== 'Dict' || node.entries.length < 2) return false;
  const last = node.entries.at(-1);
  return last !== undefined && last.key === null && print(last.value, env) === expected;
}
