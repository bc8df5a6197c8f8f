// Whether a call answers yes or no: then `assert f(x)` wants one value and no other, as `assert f(x) is True` does.

import { functionOf, isOfTests } from './scope.js';
import type { Callable, Env } from './scope.js';
import type { Expr } from './tree.js';
import { lastName, settled, statementsIn } from './tree.js';

const NAMED =
  /^_?(is|has|can|should|was|are|does|did|contains|includes|exists|allows|supports|accepts|matches|overlaps|verify|within)(_|[A-Z]|$)/;
const KNOWN: ReadonlySet<string> = new Set('isinstance issubclass hasattr callable any all bool startswith endswith exists'.split(' '));

/** Asked of files, mostly on the way to what is in them. */
const OF_FILES = /^(exists|is_file|is_dir|isfile|isdir|is_absolute|is_alive|is_set)$/;

/** The call can only answer True or False. */
export function isYesOrNo(node: Expr, env: Env): boolean {
  const inner = settled(node);
  if (inner.type !== 'Call') return false;
  const target = functionOf(inner.callee, env, true);
  if (target === null) return NAMED.test(lastName(inner.callee)) && !OF_FILES.test(lastName(inner.callee));
  return !isOfTests(target.env.module.tree.file) && answersYesOrNo(target);
}

function answersYesOrNo({ node }: Callable): boolean {
  if (node.type === 'Lambda') return isBoolean(node.body);
  if (node.returns !== null) return lastName(node.returns) === 'bool';
  const answers = [...statementsIn(node.body, false)].flatMap((statement) => (statement.type === 'Return' ? [statement.value] : []));
  return answers.length > 0 && answers.every((answer) => answer !== null && isBoolean(answer));
}

function isBoolean(node: Expr): boolean {
  const inner = settled(node);
  if (inner.type === 'Compare') return true;
  if (inner.type === 'Constant') return inner.name === 'True' || inner.name === 'False';
  if (inner.type === 'Unary') return inner.op === 'not';
  if (inner.type === 'Bool') return inner.values.every(isBoolean);
  if (inner.type === 'Conditional') return isBoolean(inner.body) && isBoolean(inner.other);
  return inner.type === 'Call' && (KNOWN.has(lastName(inner.callee)) || NAMED.test(lastName(inner.callee)));
}
