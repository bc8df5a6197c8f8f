// JavaScript and TypeScript, made into the tree of both languages. Types and decorators of types are left out.

import { parseSync } from 'oxc-parser';
import { nestsTooDeep } from './depth.js';
import type { Argument, Entry, FunctionValue, ImportedName, Parameter, Source, Statement, Value } from '../nodes.js';
import { dottedName } from '../walk.js';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const LANGUAGES: Readonly<Record<string, 'ts' | 'tsx' | 'jsx'>> = { ts: 'ts', mts: 'ts', cts: 'ts', tsx: 'tsx' };

/** `problem`: why it is no code; what could be read of it is there all the same. */
export function parseJavaScript(path: string, text: string) {
  const none = { body: [], comments: [] };
  if (nestsTooDeep(text)) return { ...none, problem: 'the code is nested too deeply' };
  try {
    const lang = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'jsx';
    const { program, comments, errors } = parseSync(path, text, { lang, astType: 'js', preserveParens: false, range: false });
    return { body: program.body as unknown as readonly Node[], comments, problem: errors[0]?.message ?? null };
  } catch (error) {
    return { ...none, problem: error instanceof Error ? error.message : String(error) };
  }
}

export function readJavaScript(path: string, text: string): Source {
  const { body, comments, problem } = parseJavaScript(path, text);
  const source = { path, text, language: 'javascript' } as const;
  const words = (comment: string): string =>
    comment
      .slice(0, 400)
      .replace(/^[*!/\s]+/, '')
      .replace(/\s+/g, ' ')
      .trim();
  const read = comments.map(({ value, start, end }) => ({ from: start, to: end, words: words(value) }));
  try {
    return { ...source, body: body.flatMap(lowerStatement), comments: read, problem };
  } catch (error) {
    // Nested so deeply that the calls below each other have no room.
    return { ...source, body: [], comments: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

function nodeAt(node: Node | null, key: string): Node | null {
  const value = node?.[key] as Node | null | undefined;
  return typeof value === 'object' && value !== null && typeof value.type === 'string' ? value : null;
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? (value as readonly (Node | null)[]).filter((item) => item !== null) : [];
}

function readTextAt(node: Node | null, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

function statements(value: unknown): readonly Statement[] {
  return nodesOf(value).flatMap(lowerStatement);
}

/** The statements of a block, or of a single statement without one. */
function blockAt(owner: Node, key: string): readonly Statement[] {
  const node = nodeAt(owner, key);
  if (node === null) return [];
  return node.type === 'BlockStatement' || node.type === 'StaticBlock' ? statements(node['body']) : lowerStatement(node);
}

function lowerStatement(node: Node): readonly Statement[] {
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'ExpressionStatement':
      return [expressionStatement(nodeAt(node, 'expression'), place)];
    case 'VariableDeclaration':
      return nodesOf(node['declarations']).flatMap((declaration) =>
        declared(declaration, nodesOf(node['declarations']).length === 1 ? place : null),
      );
    case 'ReturnStatement':
      return [{ ...place, kind: 'return', value: optionalAt(node, 'argument') }];
    case 'ThrowStatement':
      return [{ ...place, kind: 'raise', value: optionalAt(node, 'argument') }];
    case 'IfStatement':
      return [
        {
          ...place,
          kind: 'if',
          test: lowerAt(node, 'test'),
          then: blockAt(node, 'consequent'),
          other: blockAt(node, 'alternate'),
        },
      ];
    case 'SwitchStatement': {
      const then = nodesOf(node['cases']).flatMap((one): readonly Statement[] => [
        {
          from: one.start,
          to: one.end,
          kind: 'if',
          test: optionalAt(one, 'test') ?? lowerAt(node, 'discriminant'),
          then: statements(one['consequent']),
          other: [],
        },
      ]);
      return [{ ...place, kind: 'block', body: then }];
    }
    case 'ForStatement':
      return [
        ...(nodeAt(node, 'init')?.type === 'VariableDeclaration' ? lowerStatement(nodeAt(node, 'init') as Node) : []),
        { ...place, kind: 'loop', target: null, over: optionalAt(node, 'test'), body: blockAt(node, 'body') },
      ];
    case 'ForInStatement':
    case 'ForOfStatement':
      return [
        {
          ...place,
          kind: 'loop',
          target: loopTarget(nodeAt(node, 'left')),
          over: lowerAt(node, 'right'),
          body: blockAt(node, 'body'),
        },
      ];
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [{ ...place, kind: 'loop', target: null, over: lowerAt(node, 'test'), body: blockAt(node, 'body') }];
    case 'TryStatement':
      return [tried(node)];
    case 'BlockStatement':
    case 'StaticBlock':
      return [{ ...place, kind: 'block', body: statements(node['body']) }];
    case 'LabeledStatement':
      return blockAt(node, 'body');
    case 'BreakStatement':
    case 'ContinueStatement':
      return [{ ...place, kind: 'jump' }];
    case 'FunctionDeclaration':
    case 'TSDeclareFunction': {
      const name = nodeAt(node, 'id');
      const head = name === null ? place : { from: name.start, to: name.end };
      return [{ ...place, kind: 'function', name: readTextAt(name, 'name'), value: lowerFunction(node), decorators: [], head }];
    }
    case 'ClassDeclaration':
      return [lowerClass(node)];
    case 'ImportDeclaration':
      return [
        { ...place, kind: 'import', module: readTextAt(nodeAt(node, 'source'), 'value'), names: nodesOf(node['specifiers']).map(imported) },
      ];
    case 'ExportNamedDeclaration': {
      const inner = nodeAt(node, 'declaration');
      return inner === null ? [] : lowerStatement(inner);
    }
    case 'ExportDefaultDeclaration': {
      const inner = nodeAt(node, 'declaration');
      if (inner === null) return [];
      if (inner.type === 'FunctionDeclaration' || inner.type === 'ClassDeclaration') return lowerStatement(inner);
      return [{ ...place, kind: 'expression', value: lowerValue(inner) }];
    }
    default:
      return node.type.startsWith('TS') || node.type.startsWith('Export') || node.type === 'EmptyStatement'
        ? []
        : [{ ...place, kind: 'other', values: [] }];
  }
}

function expressionStatement(node: Node | null, place: { readonly from: number; readonly to: number }): Statement {
  if (node?.type === 'AssignmentExpression')
    return {
      ...place,
      kind: 'assign',
      targets: [lowerAt(node, 'left')],
      op: readTextAt(node, 'operator'),
      value: lowerAt(node, 'right'),
    };
  return { ...place, kind: 'expression', value: lowerValue(node) };
}

function loopTarget(node: Node | null): Value | null {
  const pattern = node?.type === 'VariableDeclaration' ? nodeAt(nodesOf(node['declarations'])[0] ?? null, 'id') : node;
  return pattern === null ? null : lowerValue(pattern);
}

function declared(node: Node, whole: { readonly from: number; readonly to: number } | null): readonly Statement[] {
  const place = whole ?? { from: node.start, to: node.end };
  const target = lowerAt(node, 'id');
  const init = optionalAt(node, 'init');
  const module = init === null ? null : readRequire(init);
  if (module !== null) return [{ ...place, kind: 'import', module: module.name, names: importedBy(target, module.member) }];
  return [{ ...place, kind: 'assign', targets: [target], op: '=', value: init }];
}

/** `require('m')`, `require('m').x` and `await import('m')`. */
function readRequire(init: Value): { readonly name: string; readonly member: string } | null {
  if (init.kind === 'member') {
    const inner = readRequire(init.object);
    return inner === null || inner.member !== '' ? null : { name: inner.name, member: init.name };
  }
  const call = init.kind === 'await' ? init.value : init;
  if (call.kind !== 'call') return null;
  const [first] = call.args;
  const name = dottedName(call.callee);
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
  const local = readTextAt(nodeAt(node, 'local'), 'name');
  if (node.type === 'ImportNamespaceSpecifier') return { name: '*', local };
  if (node.type === 'ImportDefaultSpecifier') return { name: 'default', local };
  const name = nodeAt(node, 'imported');
  return { name: readTextAt(name, 'name') || readTextAt(name, 'value'), local };
}

function tried(node: Node): Statement {
  const handler = nodeAt(node, 'handler');
  const param = nodeAt(handler, 'param');
  return {
    from: node.start,
    to: node.end,
    kind: 'try',
    body: blockAt(node, 'block'),
    handlers: handler === null ? [] : [{ caught: null, name: readTextAt(param, 'name') || null, body: blockAt(handler, 'body') }],
    other: [],
    final: blockAt(node, 'finalizer'),
  };
}

function lowerClass(node: Node): Statement {
  const base = nodeAt(node, 'superClass');
  const body = nodesOf(nodeAt(node, 'body')?.['body']).flatMap((member): readonly Statement[] => {
    const key = lowerKey(member);
    const name = key?.kind === 'text' ? key.value : '';
    const inner = nodeAt(member, 'value');
    if (member.type === 'StaticBlock') return lowerStatement(member);
    const place = { from: member.start, to: member.end };
    if (inner !== null && isFunction(inner))
      return [
        { ...place, kind: 'function', name, value: lowerFunction(inner), decorators: [], head: { from: member.start, to: inner.start } },
      ];
    const target: Value = { ...place, kind: 'name', name };
    return [{ ...place, kind: 'assign', targets: [target], op: '=', value: optionalAt(member, 'value') }];
  });
  return {
    from: node.start,
    to: node.end,
    kind: 'class',
    name: readTextAt(nodeAt(node, 'id'), 'name'),
    bases: base === null ? [] : [lowerValue(base)],
    decorators: nodesOf(node['decorators']).map((one) => lowerAt(one, 'expression')),
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

function lowerFunction(node: Node): FunctionValue {
  const body = nodeAt(node, 'body');
  const isExpression = body !== null && body.type !== 'BlockStatement' && body.type !== 'FunctionBody';
  const statementsOf = (): readonly Statement[] => {
    if (body === null) return [];
    if (!isExpression) return statements(body['body']);
    return [{ from: body.start, to: body.end, kind: 'return', value: lowerValue(body) }];
  };
  const items = Array.isArray(node['params']) ? nodesOf(node['params']) : nodesOf(nodeAt(node, 'params')?.['items']);
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
    return { names: patternNames(nodeAt(node, 'left')), fallback: lowerAt(node, 'right'), isRest: false };
  if (node.type === 'TSParameterProperty') return parameter(nodeAt(node, 'parameter') ?? node);
  return { names: patternNames(node), fallback: null, isRest: node.type === 'RestElement' };
}

function patternNames(node: Node | null): readonly string[] {
  if (node === null) return [];
  switch (node.type) {
    case 'Identifier':
      return [readTextAt(node, 'name')];
    case 'ObjectPattern':
      return nodesOf(node['properties']).flatMap((property) => patternNames(nodeAt(property, 'value') ?? nodeAt(property, 'argument')));
    case 'ArrayPattern':
      return nodesOf(node['elements']).flatMap(patternNames);
    case 'AssignmentPattern':
      return patternNames(nodeAt(node, 'left'));
    case 'RestElement':
      return patternNames(nodeAt(node, 'argument'));
    default:
      return [];
  }
}

function optionalAt(owner: Node, key: string): Value | null {
  const node = nodeAt(owner, key);
  return node === null ? null : lowerValue(node);
}

function lowerAt(owner: Node, key: string): Value {
  return lowerValue(nodeAt(owner, key));
}

const BINARY: Readonly<Record<string, string>> = { '===': '==', '!==': '!=', '&&': 'and', '||': 'or' };

function lowerValue(node: Node | null): Value {
  if (node === null) return { from: 0, to: 0, kind: 'constant', value: 'undefined' };
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'Identifier':
    case 'JSXIdentifier': {
      const name = readTextAt(node, 'name');
      return name === 'undefined' ? { ...place, kind: 'constant', value: name } : { ...place, kind: 'name', name };
    }
    case 'PrivateIdentifier':
      return { ...place, kind: 'name', name: `#${readTextAt(node, 'name')}` };
    case 'ThisExpression':
      return { ...place, kind: 'name', name: 'this' };
    case 'Super':
      return { ...place, kind: 'name', name: 'super' };
    case 'MetaProperty':
      return { ...place, kind: 'name', name: 'import.meta' };
    case 'Literal':
      return literal(node, place);
    case 'TemplateLiteral':
      return lowerTemplate(node, place);
    case 'TaggedTemplateExpression':
      return {
        ...place,
        kind: 'call',
        callee: lowerAt(node, 'tag'),
        args: [{ name: null, value: lowerTemplate(nodeAt(node, 'quasi') as Node, place) }],
        isNew: false,
      };
    case 'ArrayExpression':
    case 'ArrayPattern':
      return { ...place, kind: 'list', type: 'list', items: (node['elements'] as readonly (Node | null)[]).map(lowerValue) };
    case 'ObjectExpression':
    case 'ObjectPattern':
      return { ...place, kind: 'record', entries: nodesOf(node['properties']).map(entry) };
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return lowerFunction(node);
    case 'ClassExpression':
      return { ...place, kind: 'other', type: 'class', parts: classParts(node) };
    case 'MemberExpression':
      return member(node, place);
    case 'CallExpression':
    case 'NewExpression':
      return {
        ...place,
        kind: 'call',
        callee: lowerAt(node, 'callee'),
        args: nodesOf(node['arguments']).map(argument),
        isNew: node.type === 'NewExpression',
      };
    case 'ImportExpression':
      return {
        ...place,
        kind: 'call',
        callee: { ...place, kind: 'name', name: 'import' },
        args: [{ name: null, value: lowerAt(node, 'source') }],
        isNew: false,
      };
    case 'UnaryExpression':
      return unary(node, place);
    case 'UpdateExpression':
      return {
        ...place,
        kind: 'assign',
        target: lowerAt(node, 'argument'),
        op: readTextAt(node, 'operator'),
        value: { ...place, kind: 'number', value: 1 },
      };
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const op = readTextAt(node, 'operator');
      return {
        ...place,
        kind: 'binary',
        op: BINARY[op] ?? op,
        left: lowerAt(node, 'left'),
        right: lowerAt(node, 'right'),
      };
    }
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return {
        ...place,
        kind: 'assign',
        op: readTextAt(node, 'operator') || '=',
        target: lowerAt(node, 'left'),
        value: lowerAt(node, 'right'),
      };
    case 'ConditionalExpression':
      return {
        ...place,
        kind: 'choice',
        test: lowerAt(node, 'test'),
        then: lowerAt(node, 'consequent'),
        other: lowerAt(node, 'alternate'),
      };
    case 'AwaitExpression':
      return { ...place, kind: 'await', value: lowerAt(node, 'argument') };
    case 'SpreadElement':
    case 'RestElement':
      return { ...place, kind: 'spread', value: lowerAt(node, 'argument') };
    case 'ParenthesizedExpression':
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
    case 'TSInstantiationExpression':
      return lowerAt(node, 'expression');
    case 'SequenceExpression':
      return { ...place, kind: 'other', type: 'sequence', parts: nodesOf(node['expressions']).map(lowerValue) };
    case 'YieldExpression':
      return { ...place, kind: 'other', type: 'yield', parts: node['argument'] === null ? [] : [lowerAt(node, 'argument')] };
    default:
      return {
        ...place,
        kind: 'other',
        type: node.type,
        parts: node.type.startsWith('TS')
          ? []
          : Object.values(node)
              .flatMap((held) => {
                if (Array.isArray(held)) return held.filter(isSyntaxNode);
                return isSyntaxNode(held) ? [held] : [];
              })
              .map(lowerValue),
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

function lowerTemplate(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const texts = nodesOf(node['quasis']).map((part) => (part['value'] as { cooked?: string } | undefined)?.cooked ?? '');
  const values = nodesOf(node['expressions']).map(lowerValue);
  if (values.length === 0) return { ...place, kind: 'text', value: texts[0] ?? '' };
  return {
    ...place,
    kind: 'template',
    parts: texts.flatMap((text, index) => [text, ...(values[index] === undefined ? [] : [values[index]])]),
  };
}

function entry(node: Node): Entry {
  if (node.type === 'SpreadElement' || node.type === 'RestElement') return { key: null, value: lowerAt(node, 'argument') };
  return { key: lowerKey(node), value: lowerAt(node, 'value') };
}

function lowerKey(node: Node): Value | null {
  const key = nodeAt(node, 'key');
  if (key === null) return null;
  if (node['computed'] !== true && (key.type === 'Identifier' || key.type === 'PrivateIdentifier'))
    return { from: key.start, to: key.end, kind: 'text', value: readTextAt(key, 'name') };
  const read = lowerValue(key);
  return read.kind === 'number' ? { ...read, kind: 'text', value: String(read.value) } : read;
}

function member(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const object = lowerAt(node, 'object');
  const property = nodeAt(node, 'property');
  if (node['computed'] !== true)
    return { ...place, kind: 'member', object, name: (property?.type === 'PrivateIdentifier' ? '#' : '') + readTextAt(property, 'name') };
  const index = lowerValue(property);
  return index.kind === 'text' ? { ...place, kind: 'member', object, name: index.value } : { ...place, kind: 'index', object, index };
}

function argument(node: Node): Argument {
  return node.type === 'SpreadElement' ? { name: '*', value: lowerAt(node, 'argument') } : { name: null, value: lowerValue(node) };
}

function unary(node: Node, place: { readonly from: number; readonly to: number }): Value {
  const op = readTextAt(node, 'operator');
  const operand = lowerAt(node, 'argument');
  if (op === 'void' && operand.kind === 'number') return { ...place, kind: 'constant', value: 'undefined' };
  if (op === '-' && operand.kind === 'number') return { ...place, kind: 'number', value: -operand.value };
  return { ...place, kind: 'unary', op: op === '!' ? 'not' : op, operand };
}

function classParts(node: Node): readonly Value[] {
  const { body } = lowerClass(node) as Extract<Statement, { kind: 'class' }>;
  return body.flatMap((one) => (one.kind === 'function' ? [one.value] : one.kind === 'assign' && one.value !== null ? [one.value] : []));
}

function isSyntaxNode(held: unknown): held is Node {
  return typeof held === 'object' && held !== null && typeof (held as { type?: unknown }).type === 'string';
}
