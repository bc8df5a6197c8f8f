// Says whether the body of `with raises(…)` raises the wanted error by itself, so that the check cannot fail.

import type { Raising } from './checks.js';
import { classOf, functionOf, isOfTests, methodOf } from './scope.js';
import type { Env } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { lastName, parts, settled } from './tree.js';

const BUILT_IN: ReadonlySet<string> = new Set(
  (
    'BaseException Exception ArithmeticError AssertionError AttributeError BlockingIOError BrokenPipeError BufferError ConnectionError ' +
    'ConnectionAbortedError ConnectionRefusedError ConnectionResetError EOFError FileExistsError FileNotFoundError FloatingPointError ' +
    'GeneratorExit IOError ImportError IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError ' +
    'MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError ' +
    'ProcessLookupError RecursionError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError SystemExit ' +
    'TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError'
  ).split(' '),
);
const CALLED = /^(int|float|complex|len|iter|next|open|chr|ord|bytes|dict|list|getattr|eval|exec|compile|__import__)$/;

/** Why the check of a raised error cannot fail; null where it can. */
export function raisedByItself(body: readonly Stmt[], raising: Raising, env: Env): string | null {
  const last = body.at(-1);
  if (last === undefined || !/^(raises|assertRaises|assertRaisesRegexp?)$/.test(raising.name)) return null;
  if (raisesPlainly(last, raising, env)) return 'the test itself raises the error that it wants';
  if (body.length !== 1 || last.type !== 'Expression') return null;
  const inner = settled(last.value);
  const own = inner.type === 'Call' && inner.callee.type === 'Name' ? functionOf(inner.callee, env) : null;
  if (own?.node.type === 'Function' && own.node.decorators.length === 0 && !own.node.async && isOfTests(own.env.module.tree.file)) {
    const [only, ...more] = own.node.body;
    return only !== undefined && more.length === 0 && raisesPlainly(only, raising, own.env)
      ? 'the test itself raises the error that it wants'
      : null;
  }
  return isOfLanguage(inner, env) ? 'the language itself raises the error that the test wants' : null;
}

/** The wanted error, with nothing of the project in it that could be wrong: how a class writes its message may well be asked. */
function raisesPlainly(statement: Stmt, raising: Raising, env: Env): boolean {
  if (statement.type !== 'Raise' || statement.value === null) return false;
  const type = statement.value.type === 'Call' ? statement.value.callee : statement.value;
  if (isBuiltIn(type, env)) return raising.types.some((wanted) => isBuiltIn(wanted, env));
  const known = classOf({ type: 'Call', start: type.start, end: type.end, callee: type, args: [] }, env);
  if (known === null || ['__init__', '__new__', '__str__'].some((name) => methodOf(known, name) !== null)) return false;
  return raising.types.some((wanted) => lastName(wanted) === lastName(type) && lastName(type) !== '');
}

function isBuiltIn(type: Expr, env: Env): boolean {
  return type.type === 'Name' && BUILT_IN.has(type.name) && env.find(type.name) === null;
}

/** `1 / 0`, `int('x')`: constants and what is built in, and something is done with them. */
function isOfLanguage(node: Expr, env: Env): boolean {
  const free = (one: Expr): boolean => {
    if (one.type === 'Name') return CALLED.test(one.name) && env.find(one.name) === null;
    if (one.type === 'Call' && one.callee.type !== 'Name') return false;
    if (one.type === 'Attribute' || one.type === 'Unknown' || one.type === 'Lambda' || one.type === 'Await') return false;
    return one.type !== 'Comprehension' && one.type !== 'Yield' && one.type !== 'Named' && parts(one).every(free);
  };
  return (node.type === 'Call' || node.type === 'Binary' || node.type === 'Subscript') && free(node);
}
