// Python, made into the tree of both languages.

import { parsePython } from './parser/parse.js';
import type { Argument as Given, Expr, Parameter as Named, Stmt } from './parser/tree.js';
import type { Argument, FunctionValue, Parameter, Source, Statement, Value } from '../nodes.js';

export function readPython(path: string, text: string): Source {
  const { body, comments, problem } = parsePython(text);
  return {
    path,
    text,
    language: 'python',
    body: body.flatMap(lowerPythonStatement),
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

const lowerBlocks = (body: readonly Stmt[]): readonly Statement[] => body.flatMap(lowerPythonStatement);

function lowerPythonStatement(node: Stmt): readonly Statement[] {
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'Expression':
      // A docstring says nothing.
      return node.value.type === 'String' ? [] : [{ ...place, kind: 'expression', value: lowerExpression(node.value) }];
    case 'Assign':
      return [{ ...place, kind: 'assign', targets: node.targets.map(lowerExpression), op: '=', value: lowerMaybe(node.value) }];
    case 'Update':
      return [{ ...place, kind: 'assign', targets: [lowerExpression(node.target)], op: '+=', value: lowerExpression(node.value) }];
    case 'Return':
      return [{ ...place, kind: 'return', value: lowerMaybe(node.value) }];
    case 'Raise':
      return [{ ...place, kind: 'raise', value: lowerMaybe(node.value) }];
    case 'Assert':
      return [{ ...place, kind: 'assert', test: lowerExpression(node.test) }];
    case 'Delete':
      return [{ ...place, kind: 'other', values: node.targets.map(lowerExpression) }];
    case 'If':
      return branches(node.branches, place);
    case 'While':
      return [
        { ...place, kind: 'loop', target: null, over: lowerExpression(node.test), body: lowerBlocks(node.body) },
        ...lowerBlocks(node.other),
      ];
    case 'For':
      return [
        { ...place, kind: 'loop', target: lowerExpression(node.target), over: lowerExpression(node.over), body: lowerBlocks(node.body) },
        ...lowerBlocks(node.other),
      ];
    case 'Try':
      return [
        {
          ...place,
          kind: 'try',
          body: lowerBlocks(node.body),
          handlers: node.handlers.map(({ caught, name, body }) => ({ caught: lowerMaybe(caught), name, body: lowerBlocks(body) })),
          other: lowerBlocks(node.other),
          final: lowerBlocks(node.final),
        },
      ];
    case 'With':
      return [
        {
          ...place,
          kind: 'with',
          items: node.items.map(({ value: held, target }) => ({ value: lowerExpression(held), target: lowerMaybe(target) })),
          body: lowerBlocks(node.body),
        },
      ];
    case 'Match':
      return [
        {
          ...place,
          kind: 'block',
          body: node.cases.map((body) => ({
            ...place,
            kind: 'if',
            test: lowerExpression(node.subject),
            then: lowerBlocks(body),
            other: [],
          })),
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
          value: lowerDefinition(node, node.params, lowerBlocks(node.body), node.async),
          decorators: node.decorators.map(lowerExpression),
          head: { from: node.head.start, to: node.head.end },
        },
      ];
    case 'Class':
      return [
        {
          ...place,
          kind: 'class',
          name: node.name,
          bases: node.bases.map(({ value: base }) => lowerExpression(base)),
          decorators: node.decorators.map(lowerExpression),
          body: lowerBlocks(node.body),
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
  if (first.test === null) return lowerBlocks(first.body);
  return [{ ...place, kind: 'if', test: lowerExpression(first.test), then: lowerBlocks(first.body), other: branches(more, place) }];
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

function lowerDefinition(
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
      fallback: lowerMaybe(fallback),
      isRest: star === '*',
    })),
    body,
    isAsync,
  };
}

function lowerMaybe(node: Expr | null): Value | null {
  return node === null ? null : lowerExpression(node);
}

const CONSTANTS: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', '...': '...' };

function lowerExpression(node: Expr): Value {
  const place = { from: node.start, to: node.end };
  switch (node.type) {
    case 'Name':
      return { ...place, kind: 'name', name: node.name };
    case 'Number':
      return { ...place, kind: 'number', value: parseNumber(node.text) };
    case 'String':
      return { ...place, kind: 'text', value: node.value };
    case 'Format':
      return { ...place, kind: 'template', parts: node.parts.map((part) => (typeof part === 'string' ? part : lowerExpression(part))) };
    case 'Constant':
      return { ...place, kind: 'constant', value: CONSTANTS[node.name] ?? node.name };
    case 'List':
    case 'Tuple':
    case 'Set':
      return {
        ...place,
        kind: 'list',
        type: node.type === 'Set' ? 'set' : node.type === 'Tuple' ? 'tuple' : 'list',
        items: node.items.map(lowerExpression),
      };
    case 'Dict':
      return {
        ...place,
        kind: 'record',
        entries: node.entries.map(({ key, value: held }) => ({ key: lowerMaybe(key), value: lowerExpression(held) })),
      };
    case 'Call':
      return lowerCall(node, place);
    case 'Attribute':
      return { ...place, kind: 'member', object: lowerExpression(node.object), name: node.name };
    case 'Subscript': {
      const [first, ...more] = node.index;
      const index: Value =
        first !== undefined && more.length === 0
          ? lowerExpression(first)
          : { ...place, kind: 'list', type: 'tuple', items: node.index.map(lowerExpression) };
      return { ...place, kind: 'index', object: lowerExpression(node.object), index };
    }
    case 'Slice':
      return {
        ...place,
        kind: 'other',
        type: `slice${node.parts.map((part) => (part === null ? '_' : '')).join(':')}`,
        parts: node.parts.flatMap((part) => (part === null ? [] : [lowerExpression(part)])),
      };
    case 'Unary': {
      const operand = lowerExpression(node.operand);
      if (node.op === '-' && operand.kind === 'number') return { ...place, kind: 'number', value: -operand.value };
      return { ...place, kind: 'unary', op: node.op, operand };
    }
    case 'Binary':
      return { ...place, kind: 'binary', op: node.op, left: lowerExpression(node.left), right: lowerExpression(node.right) };
    case 'Compare':
      return lowerComparison(node, place);
    case 'Bool':
      return node.values
        .map(lowerExpression)
        .reduce((left, right) => ({ from: left.from, to: right.to, kind: 'binary', op: node.op, left, right }));
    case 'Conditional':
      return {
        ...place,
        kind: 'choice',
        test: lowerExpression(node.test),
        then: lowerExpression(node.body),
        other: lowerExpression(node.other),
      };
    case 'Lambda':
      return lowerDefinition(
        node,
        node.params,
        [{ from: node.body.start, to: node.body.end, kind: 'return', value: lowerExpression(node.body) }],
        false,
      );
    case 'Await':
      return { ...place, kind: 'await', value: lowerExpression(node.value) };
    case 'Yield':
      return { ...place, kind: 'other', type: 'yield', parts: node.value === null ? [] : [lowerExpression(node.value)] };
    case 'Named':
      return { ...place, kind: 'assign', target: { ...place, kind: 'name', name: node.name }, op: '=', value: lowerExpression(node.value) };
    case 'Star':
      return { ...place, kind: 'spread', value: lowerExpression(node.value) };
    case 'Comprehension':
      return {
        ...place,
        kind: 'other',
        type: `for ${node.kind}`,
        parts: [...node.elements, ...node.clauses.flatMap(({ target, over, conditions }) => [target, over, ...conditions])].map(
          lowerExpression,
        ),
      };
    case 'Unknown':
      return { ...place, kind: 'other', type: node.text.slice(0, 200), parts: [] };
  }
}

function parseNumber(text: string): number {
  const plain = text.replaceAll('_', '').toLowerCase();
  return Number(plain.endsWith('j') ? NaN : plain);
}

/** `asyncio.run(x)` waits for `x`. */
const WAITS: ReadonlySet<string> = new Set(['asyncio.run', 'anyio.run', 'trio.run', 'loop.run_until_complete', 'async_to_sync']);

function lowerCall(node: Extract<Expr, { type: 'Call' }>, place: Spot): Value {
  const callee = lowerExpression(node.callee);
  const args = node.args.map(({ name, star, value: held }: Given): Argument => ({
    name: star === '' ? name : star,
    value: lowerExpression(held),
  }));
  const name = callee.kind === 'member' && callee.object.kind === 'name' ? `${callee.object.name}.${callee.name}` : '';
  const [first] = args;
  if (WAITS.has(name) && first?.value.kind === 'call') return { ...place, kind: 'await', value: first.value };
  return { ...place, kind: 'call', callee, args, isNew: false };
}

/** `a < b < c` is `a < b and b < c`. */
function lowerComparison(node: Extract<Expr, { type: 'Compare' }>, place: Spot): Value {
  let left = lowerExpression(node.left);
  const pairs = node.rights.map((one, index): Value => {
    const right = lowerExpression(one);
    const pair: Value = { from: left.from, to: right.to, kind: 'binary', op: node.ops[index] ?? '==', left, right };
    left = right;
    return pair;
  });
  return pairs.reduce((one, other) => ({ ...place, kind: 'binary', op: 'and', left: one, right: other }));
}
