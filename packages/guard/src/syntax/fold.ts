// What a literal value is worth. Only what is certain: everything else is unknown.

import type { Value } from './nodes.js';

export type Truth = 'true' | 'false' | 'unknown';

/** Whether a literal counts as true. */
export function truthOf(value: Value): Truth {
  switch (value.kind) {
    case 'text':
      return value.value === '' ? 'false' : 'true';
    case 'number':
      return value.value === 0 || Number.isNaN(value.value) ? 'false' : 'true';
    case 'constant':
      return value.value === 'true' ? 'true' : value.value === '...' ? 'unknown' : 'false';
    case 'pattern':
    case 'function':
      return 'true';
    case 'unary': {
      if (value.op !== 'not') return 'unknown';
      const inner = truthOf(value.operand);
      return inner === 'unknown' ? inner : inner === 'true' ? 'false' : 'true';
    }
    case 'binary': {
      const [left, right] = [truthOf(value.left), truthOf(value.right)];
      if (value.op === 'and') return left === 'false' || right === 'false' ? 'false' : left === 'true' ? right : 'unknown';
      if (value.op === 'or') return left === 'true' || right === 'true' ? 'true' : left === 'false' ? right : 'unknown';
      return value.left.kind === 'member' &&
        value.left.name === 'version_info' &&
        value.left.object.kind === 'name' &&
        value.left.object.name === 'sys'
        ? versionHolds(value.op, value.right)
        : compareLiterals(value.op, value.left, value.right);
    }
    case 'assign':
    case 'await':
    case 'call':
    case 'choice':
    case 'index':
    case 'list':
    case 'member':
    case 'name':
    case 'other':
    case 'record':
    case 'spread':
    case 'template':
      return 'unknown';
  }
}

/** Older Pythons are out of support. */
const OLDEST = 309;

/** `sys.version_info >= (3, 8)` holds everywhere. */
function versionHolds(op: string, wanted: Value): Truth {
  const [major, minor] = wanted.kind === 'list' ? wanted.items.map(foldScalar) : [];
  if (typeof major !== 'number' || typeof minor !== 'number' || major * 100 + minor > OLDEST) return 'unknown';
  return op === '>=' || op === '>' ? 'true' : op === '<' || op === '<=' ? 'false' : 'unknown';
}

function compareLiterals(op: string, left: Value, right: Value): Truth {
  const [one, other] = [foldScalar(left), foldScalar(right)];
  if (one === undefined || other === undefined) return 'unknown';
  const toTruth = (holds: boolean): Truth => (holds ? 'true' : 'false');
  switch (op) {
    case '==':
    case 'is':
      return toTruth(one === other);
    case '!=':
    case 'is not':
      return toTruth(one !== other);
    case '<':
      return toTruth((one as number) < (other as number));
    case '>':
      return toTruth((one as number) > (other as number));
    case '<=':
      return toTruth((one as number) <= (other as number));
    case '>=':
      return toTruth((one as number) >= (other as number));
    default:
      return 'unknown';
  }
}

/** The plain value of a text, number or constant. */
export function foldScalar(value: Value): string | number | boolean | null | undefined {
  if (value.kind === 'text' || value.kind === 'number') return value.value;
  if (value.kind === 'constant')
    return value.value === 'true' ? true : value.value === 'false' ? false : value.value === 'null' ? null : undefined;
  if (value.kind === 'unary' && value.op === '-' && value.operand.kind === 'number') return -value.operand.value;
  return undefined;
}
