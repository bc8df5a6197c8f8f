// JavaScript and TypeScript, made into the tree of both languages. Types and decorators of types are left out.

import { parseSync } from 'oxc-parser';
import { isTooDeep } from './depth.js';
import type { Argument, Comment, Entry, FunctionValue, ImportedName, Parameter, Source, Statement, Value } from '../nodes.js';
import { dotted } from '../walk.js';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const LANGUAGES: Readonly<Record<string, 'ts' | 'tsx' | 'jsx'>> = { ts: 'ts', mts: 'ts', cts: 'ts', tsx: 'tsx' };

export function readJavaScript(path: string, text: string): Source {
  const source = (body: readonly Statement[], comments: readonly Comment[], problem: string | null): Source => ({
    path,
    text,
    language: 'javascript',
    body,
    comments,
    problem,
  });
  if (isTooDeep(text)) return source([], [], 'the code is nested too deeply');
  try {
    const ending = path.slice(path.lastIndexOf('.') + 1);
    const result = parseSync(path, text, { lang: LANGUAGES[ending] ?? 'jsx', astType: 'js', preserveParens: false, range: false });
    // The words of a comment, its stars taken off.
    const comments = result.comments.map(({ value, start, end }) => ({
      from: start,
      to: end,
      words: value
        .slice(0, 400)
        .replace(/^[*!/\s]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    }));
    const body = statements((result.program as unknown as Node)['body']);
    return source(body, comments, result.errors[0]?.message ?? null);
  } catch (error) {
    return source([], [], error instanceof Error ? error.message : String(error));
  }
}

function at(node: Node | null, key: string): Node | null {
  const value = node?.[key] as Node | null | undefined;
  return typeof value === 'object' && value !== null && typeof value.type === 'string' ? value : null;
}

function list(value: unknown): readonly Node[] {
  return Array.isArray(value) ? (value as readonly (Node | null)[]).filter((item) => item !== null) : [];
}

function textAt(node: Node | null, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

function statements(value: unknown): readonly Statement[] {
  return list(value).flatMap(statement);
}

/** The statements of a block, or of a single statement without one. */
function block(node: Node | null): readonly Statement[] {
  if (node === null) return [];
  return node.type === 'BlockStatement' || node.type === 'StaticBlock' ? statements(node['body']) : statement(node);
}

function statement(node: Node): readonly Statement[] {
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'ExpressionStatement':
      return [expressionStatement(at(node, 'expression'), place)];
    case 'VariableDeclaration':
      return list(node['declarations']).flatMap((declaration) =>
        declared(declaration, list(node['declarations']).length === 1 ? place : null),
      );
    case 'ReturnStatement':
      return [{ ...place, kind: 'return', value: optional(at(node, 'argument')) }];
    case 'ThrowStatement':
      return [{ ...place, kind: 'raise', value: optional(at(node, 'argument')) }];
    case 'IfStatement':
      return [
        { ...place, kind: 'if', test: value(at(node, 'test')), then: block(at(node, 'consequent')), other: block(at(node, 'alternate')) },
      ];
    case 'SwitchStatement': {
      const then = list(node['cases']).flatMap((one): readonly Statement[] => [
        {
          from: one.start,
          to: one.end,
          kind: 'if',
          test: optional(at(one, 'test')) ?? value(at(node, 'discriminant')),
          then: statements(one['consequent']),
          other: [],
        },
      ]);
      return [{ ...place, kind: 'block', body: then }];
    }
    case 'ForStatement':
      return [
        ...(at(node, 'init')?.type === 'VariableDeclaration' ? statement(at(node, 'init') as Node) : []),
        { ...place, kind: 'loop', target: null, over: optional(at(node, 'test')), body: block(at(node, 'body')) },
      ];
    case 'ForInStatement':
    case 'ForOfStatement':
      return [
        { ...place, kind: 'loop', target: loopTarget(at(node, 'left')), over: value(at(node, 'right')), body: block(at(node, 'body')) },
      ];
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [{ ...place, kind: 'loop', target: null, over: value(at(node, 'test')), body: block(at(node, 'body')) }];
    case 'TryStatement':
      return [tried(node)];
    case 'BlockStatement':
    case 'StaticBlock':
      return [{ ...place, kind: 'block', body: statements(node['body']) }];
    case 'LabeledStatement':
      return block(at(node, 'body'));
    case 'BreakStatement':
    case 'ContinueStatement':
      return [{ ...place, kind: 'jump' }];
    case 'FunctionDeclaration':
    case 'TSDeclareFunction': {
      const name = at(node, 'id');
      const head = name === null ? place : { from: name.start, to: name.end };
      return [{ ...place, kind: 'function', name: textAt(name, 'name'), value: functionOf(node), decorators: [], head }];
    }
    case 'ClassDeclaration':
      return [classOf(node)];
    case 'ImportDeclaration':
      return [{ ...place, kind: 'import', module: textAt(at(node, 'source'), 'value'), names: list(node['specifiers']).map(imported) }];
    case 'ExportNamedDeclaration': {
      const inner = at(node, 'declaration');
      return inner === null ? [] : statement(inner);
    }
    case 'ExportDefaultDeclaration': {
      const inner = at(node, 'declaration');
      if (inner === null) return [];
      if (inner.type === 'FunctionDeclaration' || inner.type === 'ClassDeclaration') return statement(inner);
      return [{ ...place, kind: 'expression', value: value(inner) }];
    }
    default:
      return node.type.startsWith('TS') || node.type.startsWith('Export') || node.type === 'EmptyStatement'
        ? []
        : [{ ...place, kind: 'other', values: [] }];
  }
}

function expressionStatement(node: Node | null, place: { readonly from: number; readonly to: number }): Statement {
  if (node?.type === 'AssignmentExpression')
    return { ...place, kind: 'assign', targets: [value(at(node, 'left'))], op: textAt(node, 'operator'), value: value(at(node, 'right')) };
  return { ...place, kind: 'expression', value: value(node) };
}

function loopTarget(node: Node | null): Value | null {
  const pattern = node?.type === 'VariableDeclaration' ? at(list(node['declarations'])[0] ?? null, 'id') : node;
  return pattern === null ? null : value(pattern);
}

function declared(node: Node, whole: { readonly from: number; readonly to: number } | null): readonly Statement[] {
  const place = whole ?? { from: node.start, to: node.end };
  const target = value(at(node, 'id'));
  const init = optional(at(node, 'init'));
  const module = init === null ? null : moduleOf(init);
  if (module !== null) return [{ ...place, kind: 'import', module: module.name, names: importedBy(target, module.member) }];
  return [{ ...place, kind: 'assign', targets: [target], op: '=', value: init }];
}

/** `require('m')`, `require('m').x` and `await import('m')`. */
function moduleOf(init: Value): { readonly name: string; readonly member: string } | null {
  if (init.kind === 'member') {
    const inner = moduleOf(init.object);
    return inner === null || inner.member !== '' ? null : { name: inner.name, member: init.name };
  }
  const call = init.kind === 'await' ? init.value : init;
  if (call.kind !== 'call') return null;
  const [first] = call.args;
  const name = dotted(call.callee);
  const isModule = name === 'require' || (name === 'import' && init.kind === 'await') || name === 'jest.requireActual';
  return isModule && first?.value.kind === 'text' ? { name: first.value.value, member: '' } : null;
}

function importedBy(target: Value, member: string): readonly ImportedName[] {
  if (target.kind === 'name') return [{ name: member === '' ? '*' : member, local: target.name }];
  if (target.kind !== 'record') return [];
  return target.entries.flatMap(({ key, value: inner }) => {
    const local = inner.kind === 'assign' ? inner.target : inner;
    if (local.kind === 'record' && key?.kind === 'text') return importedBy(local, key.value);
    return local.kind === 'name' ? [{ name: key?.kind === 'text' ? key.value : '*', local: local.name }] : [];
  });
}

function imported(node: Node): ImportedName {
  const local = textAt(at(node, 'local'), 'name');
  if (node.type === 'ImportNamespaceSpecifier') return { name: '*', local };
  if (node.type === 'ImportDefaultSpecifier') return { name: 'default', local };
  const name = at(node, 'imported');
  return { name: textAt(name, 'name') || textAt(name, 'value'), local };
}

function tried(node: Node): Statement {
  const handler = at(node, 'handler');
  const param = at(handler, 'param');
  return {
    from: node.start,
    to: node.end,
    kind: 'try',
    body: block(at(node, 'block')),
    handlers: handler === null ? [] : [{ caught: null, name: textAt(param, 'name') || null, body: block(at(handler, 'body')) }],
    other: [],
    final: block(at(node, 'finalizer')),
  };
}

function classOf(node: Node): Statement {
  const base = at(node, 'superClass');
  const body = list(at(node, 'body')?.['body']).flatMap((member): readonly Statement[] => {
    const key = keyOf(member);
    const name = key?.kind === 'text' ? key.value : '';
    const inner = at(member, 'value');
    if (member.type === 'StaticBlock') return statement(member);
    const place = { from: member.start, to: member.end };
    if (inner !== null && isFunction(inner))
      return [
        { ...place, kind: 'function', name, value: functionOf(inner), decorators: [], head: { from: member.start, to: inner.start } },
      ];
    const target: Value = { ...place, kind: 'name', name };
    return [{ ...place, kind: 'assign', targets: [target], op: '=', value: optional(inner) }];
  });
  return {
    from: node.start,
    to: node.end,
    kind: 'class',
    name: textAt(at(node, 'id'), 'name'),
    bases: base === null ? [] : [value(base)],
    decorators: list(node['decorators']).map((one) => value(at(one, 'expression'))),
    body,
  };
}

function isFunction({ type }: Node): boolean {
  return (
    type === 'FunctionExpression' ||
    type === 'ArrowFunctionExpression' ||
    type === 'FunctionDeclaration' ||
    type === 'TSEmptyBodyFunctionExpression'
  );
}

function functionOf(node: Node): FunctionValue {
  const body = at(node, 'body');
  const isExpression = body !== null && body.type !== 'BlockStatement' && body.type !== 'FunctionBody';
  const statementsOf = (): readonly Statement[] => {
    if (body === null) return [];
    if (!isExpression) return statements(body['body']);
    return [{ from: body.start, to: body.end, kind: 'return', value: value(body) }];
  };
  const items = Array.isArray(node['params']) ? list(node['params']) : list(at(node, 'params')?.['items']);
  return {
    from: node.start,
    to: node.end,
    kind: 'function',
    params: items.map(parameter),
    body: statementsOf(),
    isAsync: node['async'] === true,
  };
}

function parameter(node: Node): Parameter {
  if (node.type === 'AssignmentPattern')
    return { names: patternNames(at(node, 'left')), fallback: value(at(node, 'right')), isRest: false };
  if (node.type === 'TSParameterProperty') return parameter(at(node, 'parameter') ?? node);
  return { names: patternNames(node), fallback: null, isRest: node.type === 'RestElement' };
}

function patternNames(node: Node | null): readonly string[] {
  if (node === null) return [];
  switch (node.type) {
    case 'Identifier':
      return [textAt(node, 'name')];
    case 'ObjectPattern':
      return list(node['properties']).flatMap((property) => patternNames(at(property, 'value') ?? at(property, 'argument')));
    case 'ArrayPattern':
      return list(node['elements']).flatMap(patternNames);
    case 'AssignmentPattern':
      return patternNames(at(node, 'left'));
    case 'RestElement':
      return patternNames(at(node, 'argument'));
    default:
      return [];
  }
}

function optional(node: Node | null): Value | null {
  return node === null ? null : value(node);
}

const BINARY: Readonly<Record<string, string>> = { '===': '==', '!==': '!=', '&&': 'and', '||': 'or' };

function value(node: Node | null): Value {
  if (node === null) return { from: 0, to: 0, kind: 'constant', value: 'undefined' };
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'Identifier':
    case 'JSXIdentifier': {
      const name = textAt(node, 'name');
      return name === 'undefined' ? { ...place, kind: 'constant', value: name } : { ...place, kind: 'name', name };
    }
    case 'PrivateIdentifier':
      return { ...place, kind: 'name', name: `#${textAt(node, 'name')}` };
    case 'ThisExpression':
      return { ...place, kind: 'name', name: 'this' };
    case 'Super':
      return { ...place, kind: 'name', name: 'super' };
    case 'MetaProperty':
      return { ...place, kind: 'name', name: 'import.meta' };
    case 'Literal':
      return literal(node, place);
    case 'TemplateLiteral':
      return template(node, place);
    case 'TaggedTemplateExpression':
      return {
        ...place,
        kind: 'call',
        callee: value(at(node, 'tag')),
        args: [{ name: null, value: template(at(node, 'quasi') as Node, place) }],
        isNew: false,
      };
    case 'ArrayExpression':
    case 'ArrayPattern':
      return { ...place, kind: 'list', type: 'list', items: (node['elements'] as readonly (Node | null)[]).map(value) };
    case 'ObjectExpression':
    case 'ObjectPattern':
      return { ...place, kind: 'record', entries: list(node['properties']).map(entry) };
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return functionOf(node);
    case 'ClassExpression':
      return { ...place, kind: 'other', type: 'class', parts: classParts(node) };
    case 'MemberExpression':
      return member(node, place);
    case 'CallExpression':
    case 'NewExpression':
      return {
        ...place,
        kind: 'call',
        callee: value(at(node, 'callee')),
        args: list(node['arguments']).map(argument),
        isNew: node.type === 'NewExpression',
      };
    case 'ImportExpression':
      return {
        ...place,
        kind: 'call',
        callee: { ...place, kind: 'name', name: 'import' },
        args: [{ name: null, value: value(at(node, 'source')) }],
        isNew: false,
      };
    case 'UnaryExpression':
      return unary(node, place);
    case 'UpdateExpression':
      return {
        ...place,
        kind: 'assign',
        target: value(at(node, 'argument')),
        op: textAt(node, 'operator'),
        value: { ...place, kind: 'number', value: 1 },
      };
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const op = textAt(node, 'operator');
      return { ...place, kind: 'binary', op: BINARY[op] ?? op, left: value(at(node, 'left')), right: value(at(node, 'right')) };
    }
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return {
        ...place,
        kind: 'assign',
        op: textAt(node, 'operator') || '=',
        target: value(at(node, 'left')),
        value: value(at(node, 'right')),
      };
    case 'ConditionalExpression':
      return {
        ...place,
        kind: 'choice',
        test: value(at(node, 'test')),
        then: value(at(node, 'consequent')),
        other: value(at(node, 'alternate')),
      };
    case 'AwaitExpression':
      return { ...place, kind: 'await', value: value(at(node, 'argument')) };
    case 'SpreadElement':
    case 'RestElement':
      return { ...place, kind: 'spread', value: value(at(node, 'argument')) };
    case 'ParenthesizedExpression':
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
    case 'TSInstantiationExpression':
      return value(at(node, 'expression'));
    case 'SequenceExpression':
      return { ...place, kind: 'other', type: 'sequence', parts: list(node['expressions']).map(value) };
    case 'YieldExpression':
      return { ...place, kind: 'other', type: 'yield', parts: node['argument'] === null ? [] : [value(at(node, 'argument'))] };
    default:
      return {
        ...place,
        kind: 'other',
        type: node.type,
        parts: node.type.startsWith('TS')
          ? []
          : Object.values(node)
              .flatMap((held) => {
                if (Array.isArray(held)) return held.filter(isNode);
                return isNode(held) ? [held] : [];
              })
              .map(value),
      };
  }
}

function literal(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const held = node['value'];
  if (typeof held === 'string') return { ...place, kind: 'text', value: held };
  if (typeof held === 'number') return { ...place, kind: 'number', value: held };
  if (typeof held === 'boolean') return { ...place, kind: 'constant', value: String(held) };
  const regex = node['regex'] as { readonly pattern: string; readonly flags: string } | undefined;
  if (regex !== undefined && regex !== null)
    return { ...place, kind: 'pattern', source: regex.pattern + (regex.flags === '' ? '' : `/${regex.flags}`) };
  if (typeof node['bigint'] === 'string') return { ...place, kind: 'number', value: Number(node['bigint']) };
  return { ...place, kind: 'constant', value: 'null' };
}

function template(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const texts = list(node['quasis']).map((part) => (part['value'] as { cooked?: string } | undefined)?.cooked ?? '');
  const values = list(node['expressions']).map(value);
  if (values.length === 0) return { ...place, kind: 'text', value: texts[0] ?? '' };
  return {
    ...place,
    kind: 'template',
    parts: texts.flatMap((text, index) => [text, ...(values[index] === undefined ? [] : [values[index]])]),
  };
}

function entry(node: Node): Entry {
  if (node.type === 'SpreadElement' || node.type === 'RestElement') return { key: null, value: value(at(node, 'argument')) };
  return { key: keyOf(node), value: value(at(node, 'value')) };
}

function keyOf(node: Node): Value | null {
  const key = at(node, 'key');
  if (key === null) return null;
  if (node['computed'] !== true && (key.type === 'Identifier' || key.type === 'PrivateIdentifier'))
    return { from: key.start, to: key.end, kind: 'text', value: textAt(key, 'name') };
  const read = value(key);
  return read.kind === 'number' ? { ...read, kind: 'text', value: String(read.value) } : read;
}

function member(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const object = value(at(node, 'object'));
  const property = at(node, 'property');
  if (node['computed'] !== true)
    return { ...place, kind: 'member', object, name: (property?.type === 'PrivateIdentifier' ? '#' : '') + textAt(property, 'name') };
  const index = value(property);
  return index.kind === 'text' ? { ...place, kind: 'member', object, name: index.value } : { ...place, kind: 'index', object, index };
}

function argument(node: Node): Argument {
  return node.type === 'SpreadElement' ? { name: '*', value: value(at(node, 'argument')) } : { name: null, value: value(node) };
}

function unary(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const op = textAt(node, 'operator');
  const operand = value(at(node, 'argument'));
  if (op === 'void' && operand.kind === 'number') return { ...place, kind: 'constant', value: 'undefined' };
  if (op === '-' && operand.kind === 'number') return { ...place, kind: 'number', value: -operand.value };
  return { ...place, kind: 'unary', op: op === '!' ? 'not' : op, operand };
}

function classParts(node: Node): readonly Value[] {
  const { body } = classOf(node) as Extract<Statement, { kind: 'class' }>;
  return body.flatMap((one) => (one.kind === 'function' ? [one.value] : one.kind === 'assign' && one.value !== null ? [one.value] : []));
}

function isNode(held: unknown): held is Node {
  return typeof held === 'object' && held !== null && typeof (held as { type?: unknown }).type === 'string';
}
