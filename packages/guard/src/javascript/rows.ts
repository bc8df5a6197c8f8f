// The rows of a table or loop, where they are literals: in the file, in one that it imports, or in a JSON fixture.

import { at, bare, descend, holesAt, isFunction, isLiteral, listAt, nameOf, propertyName, settled, soleExpression } from './tree.js';
import type { Node } from './tree.js';
import { bind, follow } from './scope.js';
import type { Env, Value } from './scope.js';

/** The rows; null where they are not known. */
export function rowsOf(node: Node | null, env: Env, depth = 0): readonly Value[] | null {
  const inner = settled(node);
  if (inner === null || depth > 6) return null;
  switch (inner.type) {
    case 'ArrayExpression': {
      const rows = elements(inner, env, depth);
      return rows?.length === 0 && isFilledLater(inner, env.module.tree.text) ? null : rows;
    }
    case 'Identifier': {
      const value = env.find(nameOf(inner));
      const target = value === null ? null : follow(value);
      return target === null || target.node === null ? null : rowsOf(target.node, target.env, depth + 1);
    }
    case 'TemplateLiteral':
      return templateRows(inner, env);
    case 'NewExpression':
      return ['Map', 'Set'].includes(nameOf(at(inner, 'callee'))) ? rowsOf(listAt(inner, 'arguments')[0] ?? null, env, depth + 1) : null;
    case 'CallExpression':
      return calledRows(inner, env, depth);
    case 'MemberExpression':
      return fixtureRows(inner, env);
    default:
      return null;
  }
}

/** An empty list that is held in a variable and filled by the lines and callbacks that follow, or by what it is handed to. */
function isFilledLater(node: Node, text: string): boolean {
  const name = /([\w$]+)(?::[^=;\n]{1,80})?\s*=\s*$/.exec(text.slice(Math.max(0, node.start - 120), node.start))?.[1];
  if (name === undefined) return false;
  const own = name.replaceAll('$', '\\$');
  const before = '(?<![\\w$.])';
  const fills = `${before}${own}(\\.(push|unshift|splice|fill)\\(|\\[[^\\]\\n]*\\]\\s*=(?!=)|\\s*=(?!=))|(?<!\\b(?:each|for))[(,]\\s*(\\.\\.\\.)?${own}\\s*[,)]`;
  return new RegExp(fills).test(text.slice(node.end));
}

function elements(node: Node, env: Env, depth: number): readonly Value[] | null {
  const rows: Value[] = [];
  for (const element of holesAt(node, 'elements')) {
    if (element === null) continue;
    if (element.type !== 'SpreadElement') rows.push({ node: element, env });
    else {
      const more = rowsOf(at(element, 'argument'), env, depth + 1);
      if (more === null) return null;
      rows.push(...more);
    }
  }
  return rows;
}

function calledRows(node: Node, env: Env, depth: number): readonly Value[] | null {
  const callee = bare(at(node, 'callee'));
  const [first = null] = listAt(node, 'arguments');
  if (callee?.type === 'MemberExpression') {
    const owner = bare(at(callee, 'object'));
    const name = propertyName(callee);
    if (nameOf(owner) === 'Object' && ['entries', 'keys', 'values'].includes(name)) return objectRows(first, env, name);
    if (nameOf(owner) === 'Object' && name === 'freeze') return rowsOf(first, env, depth + 1);
    if (name === 'map' && listAt(node, 'arguments').length === 1) return mapped(rowsOf(owner, env, depth + 1), bare(first), env);
    if (name === 'concat' && first !== null)
      return joined([owner, ...listAt(node, 'arguments')].map((part) => rowsOf(part, env, depth + 1)));
    if (/^(toSorted|sort|toReversed|reverse)$/.test(name)) return rowsOf(owner, env, depth + 1);
    if (name === 'slice') return sliced(rowsOf(owner, env, depth + 1), listAt(node, 'arguments'));
  }
  return fixtureRows(node, env);
}

/** `['a', 'b'].map((text) => [text, text.length])`: what the function makes of each row. */
function mapped(rows: readonly Value[] | null, fn: Node | null, env: Env): readonly Value[] | null {
  const only = isFunction(fn) ? soleExpression(at(fn, 'body')) : null;
  const [parameter = null, ...more] = listAt(fn, 'params');
  if (rows === null || only === null || parameter === null || more.length > 0) return null;
  return rows.map((row) => {
    const inner = env.child();
    bind(parameter, row, inner);
    return { node: only, env: inner };
  });
}

function joined(parts: readonly (readonly Value[] | null)[]): readonly Value[] | null {
  return parts.some((part) => part === null) ? null : parts.flatMap((part) => [...(part ?? [])]);
}

function sliced(rows: readonly Value[] | null, args: readonly Node[]): readonly Value[] | null {
  const bounds = args.map((argument) => bare(argument)?.['value']);
  if (bounds[1] === 0 || (bounds.length === 2 && typeof bounds[0] === 'number' && bounds[0] === bounds[1])) return [];
  if (rows === null || bounds.some((bound) => typeof bound !== 'number')) return null;
  return rows.slice(...bounds.filter((bound) => typeof bound === 'number'));
}

function objectRows(node: Node | null, env: Env, what: string): readonly Value[] | null {
  const inner = bare(node);
  const value = inner?.type === 'Identifier' ? env.find(nameOf(inner)) : null;
  const target = value === null ? null : follow(value);
  const object = target?.node === undefined || target.node === null ? inner : bare(target.node);
  if (object?.type !== 'ObjectExpression') return null;
  const properties = listAt(object, 'properties');
  if (!properties.every((property) => property.type === 'Property')) return null;
  return properties.map((property) => {
    const key = at(property, 'key');
    const name: Node = isLiteral(key) ? key : { type: 'Literal', start: property.start, end: property.end, value: nameOf(key) };
    const pair: Node = { type: 'ArrayExpression', start: property.start, end: property.end, elements: [name, at(property, 'value')] };
    const row = what === 'keys' ? name : what === 'values' ? (at(property, 'value') ?? name) : pair;
    return { node: row, env: target?.env ?? env };
  });
}

/** Rows of `each` written as a template: names in the first line, then one value a column. */
function templateRows(node: Node, env: Env): readonly Value[] | null {
  const quasis = listAt(node, 'quasis');
  const head = (quasis[0]?.['value'] as { raw?: string } | undefined)?.raw ?? '';
  const names = head
    .trim()
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const values = listAt(node, 'expressions');
  if (names.length === 0) return null;
  const rows: Value[] = [];
  for (let index = 0; index + names.length <= values.length; index += names.length) {
    const cells = values.slice(index, index + names.length);
    const properties = cells.map((value, column) => property(names[column] ?? '', value));
    rows.push({ node: { type: 'ObjectExpression', start: cells[0]?.start ?? 0, end: cells.at(-1)?.end ?? 0, properties }, env });
  }
  return rows;
}

function property(name: string, value: Node): Node {
  const key: Node = { type: 'Identifier', start: value.start, end: value.end, name };
  return { type: 'Property', start: value.start, end: value.end, key, value, computed: false };
}

/** `JSON.parse(readFileSync(new URL('./rows.json', …)))`, `load('fixtures/rows.json')`: a JSON file named in the expression. */
function fixtureRows(node: Node, env: Env): readonly Value[] | null {
  for (const below of descend(node)) {
    if (!isLiteral(below) || typeof below['value'] !== 'string' || !below['value'].endsWith('.json')) continue;
    const { project, tree } = env.module;
    const name = below['value'];
    const path = project.resolve(tree.file, name.startsWith('.') ? name : `./${name}`) ?? (project.lookup(name) === null ? null : name);
    const value = path === null ? undefined : project.load(path)?.exports.get('default');
    return value === undefined || value.node === null ? null : rowsOf(value.node, value.env, 5);
  }
  return null;
}
