// A value as one text, the same for the same value however it is written: by it values are compared.

import type { Statement, Value } from './nodes.js';
import { blocksOf, valuesOf } from './walk.js';

const PRINTED = new WeakMap<Value, string>();

export function print(value: Value): string {
  const known = PRINTED.get(value);
  if (known !== undefined) return known;
  const text = printValue(value);
  PRINTED.set(value, text);
  return text;
}

function printValue(value: Value): string {
  switch (value.kind) {
    case 'name':
      return value.name;
    case 'text':
      return JSON.stringify(value.value);
    case 'number':
      return String(value.value);
    case 'constant':
      return value.value;
    case 'pattern':
      return `/${value.source}/`;
    case 'template':
      return `\`${value.parts.map((part) => (typeof part === 'string' ? part : `\${${print(part)}}`)).join('')}\``;
    case 'list':
      return `${value.type === 'set' ? 'set' : ''}[${value.items.map(print).join(', ')}]`;
    case 'record':
      return `{${value.entries.map(({ key, value: inner }) => (key === null ? `...${print(inner)}` : `${print(key)}: ${print(inner)}`)).join(', ')}}`;
    case 'member':
      return `${print(value.object)}.${value.name}`;
    case 'index':
      return `${print(value.object)}[${print(value.index)}]`;
    case 'call': {
      const args = value.args.map(({ name, value: inner }) => (name === null ? print(inner) : `${name}=${print(inner)}`));
      while (args.at(-1) === 'undefined') args.pop();
      return `${value.isNew ? 'new ' : ''}${print(value.callee)}(${args.join(', ')})`;
    }
    case 'unary':
      return `(${value.op} ${print(value.operand)})`;
    case 'binary':
      return `(${print(value.left)} ${value.op} ${print(value.right)})`;
    case 'choice':
      return `(${print(value.test)} ? ${print(value.then)} : ${print(value.other)})`;
    case 'await':
      return print(value.value);
    case 'spread':
      return `...${print(value.value)}`;
    case 'assign':
      return `(${print(value.target)} ${value.op} ${print(value.value)})`;
    case 'function':
      return `(${value.params.map(({ names }) => names.join(' ')).join(', ')}) => ${printBody(value.body)}`;
    case 'other':
      return `${value.type}(${value.parts.map(print).join(', ')})`;
  }
}

/** A body that only returns a value is that value. */
export function printBody(body: readonly Statement[]): string {
  const [first, ...more] = body;
  if (first !== undefined && more.length === 0 && (first.kind === 'return' || first.kind === 'expression') && first.value !== null)
    return print(first.value);
  return `{${body.map(printStatement).join('; ')}}`;
}

export function printStatement(statement: Statement): string {
  const values = valuesOf(statement).map(print).join(', ');
  const blocks = blocksOf(statement).map(printBody).join(' ');
  const name =
    statement.kind === 'function' || statement.kind === 'class'
      ? ` ${statement.name}`
      : statement.kind === 'import'
        ? ` ${statement.module}`
        : '';
  return `${statement.kind}${name} ${values} ${blocks}`.trim();
}

/** Written down in the file itself: no name, no call, nothing of what is tested. `isBuilder`: of the language, and of no other meaning there. */
export function isLiteralValue(value: Value, isBuilder: (callee: Value) => boolean = () => false): boolean {
  const isLiteral = (inner: Value): boolean => isLiteralValue(inner, isBuilder);
  switch (value.kind) {
    case 'text':
    case 'number':
    case 'constant':
    case 'pattern':
      return true;
    case 'template':
      return value.parts.every((part) => typeof part === 'string' || isLiteral(part));
    case 'list':
      return value.items.every(isLiteral);
    case 'record':
      return value.entries.every(({ key, value: inner }) => (key === null || isLiteral(key)) && isLiteral(inner));
    case 'unary':
      return isLiteral(value.operand);
    case 'binary':
      return isLiteral(value.left) && isLiteral(value.right);
    case 'call':
      return (
        (isBuilder(value.callee) || (value.callee.kind === 'member' && isLiteral(value.callee.object))) &&
        value.args.every(({ value: inner }) => isLiteral(inner))
      );
    case 'spread':
      return isLiteral(value.value);
    case 'assign':
    case 'await':
    case 'choice':
    case 'function':
    case 'index':
    case 'member':
    case 'name':
    case 'other':
      return false;
  }
}
