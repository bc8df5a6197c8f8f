// Python, made into the tree of both languages.

import { parseTree } from './parser/parse.js';
import type { Argument as Given, Expr, Parameter as Named, Stmt } from './parser/tree.js';
import type { Argument, FunctionValue, Parameter, Source, Statement, Value } from '../nodes.js';

export function readPython(path: string, text: string): Source {
  const { body, comments, problem } = parseTree(path, text);
  return {
    path,
    text,
    language: 'python',
    body: body.flatMap(statement),
    comments: comments.map(({ value: words, start, end }) => ({
      from: start,
      to: end,
      words: words
        .replace(/^#+\s*/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    })),
    problem,
  };
}

const blocks = (body: readonly Stmt[]): readonly Statement[] => body.flatMap(statement);

function statement(node: Stmt): readonly Statement[] {
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'Expression':
      // A docstring says nothing.
      return node.value.type === 'String' ? [] : [{ ...place, kind: 'expression', value: value(node.value) }];
    case 'Assign':
      return [{ ...place, kind: 'assign', targets: node.targets.map(value), op: '=', value: optional(node.value) }];
    case 'Update':
      return [{ ...place, kind: 'assign', targets: [value(node.target)], op: '+=', value: value(node.value) }];
    case 'Return':
      return [{ ...place, kind: 'return', value: optional(node.value) }];
    case 'Raise':
      return [{ ...place, kind: 'raise', value: optional(node.value) }];
    case 'Assert':
      return [{ ...place, kind: 'assert', test: value(node.test) }];
    case 'Delete':
      return [{ ...place, kind: 'other', values: node.targets.map(value) }];
    case 'If':
      return branches(node.branches, place);
    case 'While':
      return [{ ...place, kind: 'loop', target: null, over: value(node.test), body: blocks(node.body) }, ...blocks(node.other)];
    case 'For':
      return [
        { ...place, kind: 'loop', target: value(node.target), over: value(node.over), body: blocks(node.body) },
        ...blocks(node.other),
      ];
    case 'Try':
      return [
        {
          ...place,
          kind: 'try',
          body: blocks(node.body),
          handlers: node.handlers.map(({ caught, name, body }) => ({ caught: optional(caught), name, body: blocks(body) })),
          other: blocks(node.other),
          final: blocks(node.final),
        },
      ];
    case 'With':
      return [
        {
          ...place,
          kind: 'with',
          items: node.items.map(({ value: held, target }) => ({ value: value(held), target: optional(target) })),
          body: blocks(node.body),
        },
      ];
    case 'Match':
      return [
        {
          ...place,
          kind: 'block',
          body: node.cases.map((body) => ({ ...place, kind: 'if', test: value(node.subject), then: blocks(body), other: [] })),
        },
      ];
    case 'Import':
      return [imports(node, place)];
    case 'Function':
      return [
        {
          ...place,
          kind: 'function',
          name: node.name,
          value: functionOf(node, node.params, blocks(node.body), node.async),
          decorators: node.decorators.map(value),
          head: { from: node.head.start, to: node.head.end },
        },
      ];
    case 'Class':
      return [
        {
          ...place,
          kind: 'class',
          name: node.name,
          bases: node.bases.map(({ value: base }) => value(base)),
          decorators: node.decorators.map(value),
          body: blocks(node.body),
        },
      ];
    case 'Break':
    case 'Continue':
      return [{ ...place, kind: 'jump' }];
    case 'Pass':
      return [];
    case 'Other':
      return [{ ...place, kind: 'other', values: [] }];
  }
}

interface Spot {
  readonly from: number;
  readonly to: number;
}

function branches(list: readonly { readonly test: Expr | null; readonly body: readonly Stmt[] }[], place: Spot): readonly Statement[] {
  const [first, ...more] = list;
  if (first === undefined) return [];
  if (first.test === null) return blocks(first.body);
  return [{ ...place, kind: 'if', test: value(first.test), then: blocks(first.body), other: branches(more, place) }];
}

function imports(node: Extract<Stmt, { type: 'Import' }>, place: Spot): Statement {
  const module = '.'.repeat(node.level) + node.module;
  if (node.from) return { ...place, kind: 'import', module, names: node.names.map(({ name, local }) => ({ name, local })) };
  const [first] = node.names;
  // `import a.b` binds `a`, `import a.b as c` binds `c` to `a.b`.
  return {
    ...place,
    kind: 'import',
    module: first?.name ?? module,
    names: node.names.map(({ name, local }) => ({
      name: name === first?.name ? '*' : name,
      local: local === name ? (name.split('.')[0] ?? name) : local,
    })),
  };
}

function functionOf(
  { start, end }: { readonly start: number; readonly end: number },
  params: readonly Named[],
  body: readonly Statement[],
  isAsync: boolean,
): FunctionValue {
  return {
    from: start,
    to: end,
    kind: 'function',
    params: params.map(({ name, fallback, star }: Named): Parameter => ({
      names: [name],
      fallback: optional(fallback),
      isRest: star === '*',
    })),
    body,
    isAsync,
  };
}

function optional(node: Expr | null): Value | null {
  return node === null ? null : value(node);
}

const CONSTANTS: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', '...': '...' };

function value(node: Expr): Value {
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'Name':
      return { ...place, kind: 'name', name: node.name };
    case 'Number':
      return { ...place, kind: 'number', value: numberOf(node.text) };
    case 'String':
      return { ...place, kind: 'text', value: node.value };
    case 'Format':
      return { ...place, kind: 'template', parts: node.parts.map((part) => (typeof part === 'string' ? part : value(part))) };
    case 'Constant':
      return { ...place, kind: 'constant', value: CONSTANTS[node.name] ?? node.name };
    case 'List':
    case 'Tuple':
    case 'Set':
      return {
        ...place,
        kind: 'list',
        type: node.type === 'Set' ? 'set' : node.type === 'Tuple' ? 'tuple' : 'list',
        items: node.items.map(value),
      };
    case 'Dict':
      return {
        ...place,
        kind: 'record',
        entries: node.entries.map(({ key, value: held }) => ({ key: optional(key), value: value(held) })),
      };
    case 'Call':
      return call(node, place);
    case 'Attribute':
      return { ...place, kind: 'member', object: value(node.object), name: node.name };
    case 'Subscript': {
      const [first, ...more] = node.index;
      const index: Value =
        first !== undefined && more.length === 0 ? value(first) : { ...place, kind: 'list', type: 'tuple', items: node.index.map(value) };
      return { ...place, kind: 'index', object: value(node.object), index };
    }
    case 'Slice':
      return {
        ...place,
        kind: 'other',
        type: `slice${node.parts.map((part) => (part === null ? '_' : '')).join(':')}`,
        parts: node.parts.flatMap((part) => (part === null ? [] : [value(part)])),
      };
    case 'Unary': {
      const operand = value(node.operand);
      if (node.op === '-' && operand.kind === 'number') return { ...place, kind: 'number', value: -operand.value };
      return { ...place, kind: 'unary', op: node.op, operand };
    }
    case 'Binary':
      return { ...place, kind: 'binary', op: node.op, left: value(node.left), right: value(node.right) };
    case 'Compare':
      return compare(node, place);
    case 'Bool':
      return node.values.map(value).reduce((left, right) => ({ from: left.from, to: right.to, kind: 'binary', op: node.op, left, right }));
    case 'Conditional':
      return { ...place, kind: 'choice', test: value(node.test), then: value(node.body), other: value(node.other) };
    case 'Lambda':
      return functionOf(node, node.params, [{ from: node.body.start, to: node.body.end, kind: 'return', value: value(node.body) }], false);
    case 'Await':
      return { ...place, kind: 'await', value: value(node.value) };
    case 'Yield':
      return { ...place, kind: 'other', type: 'yield', parts: node.value === null ? [] : [value(node.value)] };
    case 'Named':
      return { ...place, kind: 'assign', target: { ...place, kind: 'name', name: node.name }, op: '=', value: value(node.value) };
    case 'Star':
      return { ...place, kind: 'spread', value: value(node.value) };
    case 'Comprehension':
      return {
        ...place,
        kind: 'other',
        type: `for ${node.kind}`,
        parts: [...node.elements, ...node.clauses.flatMap(({ target, over, conditions }) => [target, over, ...conditions])].map(value),
      };
    case 'Unknown':
      return { ...place, kind: 'other', type: node.text.slice(0, 200), parts: [] };
  }
}

function numberOf(text: string): number {
  const plain = text.replaceAll('_', '').toLowerCase();
  return Number(plain.endsWith('j') ? NaN : plain);
}

/** `asyncio.run(x)` waits for `x`. */
const WAITS: ReadonlySet<string> = new Set(['asyncio.run', 'anyio.run', 'trio.run', 'loop.run_until_complete', 'async_to_sync']);

function call(node: Extract<Expr, { type: 'Call' }>, place: Spot): Value {
  const callee = value(node.callee);
  const args = node.args.map(({ name, star, value: held }: Given): Argument => ({ name: star === '' ? name : star, value: value(held) }));
  const name = callee.kind === 'member' && callee.object.kind === 'name' ? `${callee.object.name}.${callee.name}` : '';
  const [first] = args;
  if (WAITS.has(name) && first?.value.kind === 'call') return { ...place, kind: 'await', value: first.value };
  return { ...place, kind: 'call', callee, args, isNew: false };
}

/** `a < b < c` is `a < b and b < c`. */
function compare(node: Extract<Expr, { type: 'Compare' }>, place: Spot): Value {
  let left = value(node.left);
  const pairs = node.rights.map((one, index): Value => {
    const right = value(one);
    const pair: Value = { from: left.from, to: right.to, kind: 'binary', op: node.ops[index] ?? '==', left, right };
    left = right;
    return pair;
  });
  return pairs.reduce((one, other) => ({ ...place, kind: 'binary', op: 'and', left: one, right: other }));
}
