// What a literal value is worth. Only what is certain: everything else is unknown.

import type { Value } from './nodes.js';
import { dottedName } from './walk.js';

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

const PLATFORMS = ['linux', 'darwin', 'win32'] as const;
const SYSTEMS = { linux: ['Linux', 'posix'], darwin: ['Darwin', 'posix'], win32: ['Windows', 'nt'] } as const;

/** The same on every platform on which tests usually run. */
export function truthAnywhere(value: Value): Truth {
  const [first, ...others] = PLATFORMS.map((platform) => truthOf(onPlatform(value, platform)));
  return others.every((truth) => truth === first) ? (first as Truth) : 'unknown';
}

function onPlatform(value: Value, platform: (typeof PLATFORMS)[number]): Value {
  const inner = (part: Value): Value => onPlatform(part, platform);
  const writeText = (text: string): Value => ({ from: value.from, to: value.to, kind: 'text', value: text });
  const name = dottedName(value.kind === 'call' ? value.callee : value);
  if (name === 'process.platform' || name === 'sys.platform' || name === 'os.platform') return writeText(platform);
  if (name === 'platform.system' || name === 'os.type')
    return writeText(platform === 'win32' && name === 'os.type' ? 'Windows_NT' : SYSTEMS[platform][0]);
  if (name === 'os.name') return writeText(SYSTEMS[platform][1]);
  if (value.kind === 'unary') return { ...value, operand: inner(value.operand) };
  if (value.kind === 'binary') {
    const [left, right] = [inner(value.left), inner(value.right)];
    if (/^(?:not )?in$/.test(value.op) && right.kind === 'list' && left.kind === 'text' && right.items.every(({ kind }) => kind === 'text'))
      return constantOf(value, right.items.some((item) => foldScalar(item) === left.value) !== value.op.startsWith('not'));
    return { ...value, left, right };
  }
  if (value.kind !== 'call' || value.callee.kind !== 'member') return value;
  const [owner, argument] = [inner(value.callee.object), value.args[0]?.value];
  if (owner.kind !== 'text' || argument?.kind !== 'text' || !/^starts_?with$/i.test(value.callee.name)) return value;
  return constantOf(value, owner.value.startsWith(argument.value));
}

function constantOf({ from, to }: Value, holds: boolean): Value {
  return { from, to, kind: 'constant', value: String(holds) };
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
