// Our Python parser against CPython's: the same statements at the same places, and in them the same names, calls, operators and
// strings, in files of Python's own library and in the labelled changes. UMPIRE_SOAK=1 reads all of them.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parsePython } from '@umpire/guard/syntax/python/parser/parse.js';
import type { Expr, Stmt } from '@umpire/guard/syntax/python/parser/tree.js';
import { isSoak } from './support/campaign.js';
import { readCases } from './support/guard-cases.js';
import { isStatement, walkTree } from './support/python-tree.js';

/** Reads paths, one a line, or texts as JSON. Prints the syntax of each, or null if Python cannot parse it. */
const ORACLE = String.raw`
import ast, json, sys, sysconfig, os, random, warnings
warnings.simplefilter('ignore')
SKIPPED = {'annotation', 'returns', 'type_params', 'optional_vars', 'cause', 'type_comment'}
OPS = {ast.And: 'and', ast.Or: 'or', ast.Not: 'not', ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=',
  ast.Is: 'is', ast.IsNot: 'is not', ast.In: 'in', ast.NotIn: 'not in', ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/',
  ast.FloorDiv: '//', ast.Mod: '%', ast.Pow: '**', ast.MatMult: '@', ast.BitAnd: '&', ast.BitOr: '|', ast.BitXor: '^', ast.LShift: '<<',
  ast.RShift: '>>', ast.USub: '-', ast.UAdd: '+', ast.Invert: '~'}
def told(text):
    lines = text.split('\n')
    starts = [0]
    for line in lines: starts.append(starts[-1] + len(line.encode('utf-16-le')) // 2 + 1)
    found = []
    def place(line, column): return starts[line - 1] + len(lines[line - 1].encode()[:column].decode().encode('utf-16-le')) // 2
    def visit(node):
        kind = type(node)
        if isinstance(node, ast.stmt):
            first = node.decorator_list[0] if getattr(node, 'decorator_list', []) else None
            start = place(node.lineno, node.col_offset)
            if kind is ast.If and lines[node.lineno - 1].lstrip().startswith('elif'): pass
            elif first is None: found.append('%s %d' % (kind.__name__.replace('Async', '').replace('Star', ''), start))
            else: found.append(kind.__name__.replace('Async', ''))
        if kind is ast.JoinedStr and all(isinstance(one, ast.Constant) for one in node.values):
            node = ast.Constant(''.join(one.value for one in node.values).replace('{', '{{').replace('}', '}}'))
            kind = ast.Constant
        if kind is ast.JoinedStr or kind.__name__ == 'TemplateStr': return found.append('Format ')
        if kind is ast.Name: found.append('Name ' + node.id)
        elif kind is ast.Attribute: found.append('Attribute ' + node.attr)
        elif kind is ast.Call: found.append('Call %d' % (len(node.args) + len(node.keywords)))
        elif kind is ast.Compare: found.append('Compare ' + ' '.join(OPS[type(op)] for op in node.ops))
        elif kind is ast.BinOp: found.append('Binary ' + OPS[type(node.op)])
        elif kind is ast.UnaryOp: found.append('Unary ' + OPS[type(node.op)])
        elif kind is ast.Subscript: found.append('Subscript ')
        elif kind is ast.IfExp: found.append('Conditional ')
        elif kind is ast.Await: found.append('Await ')
        elif kind in (ast.Yield, ast.YieldFrom): found.append('Yield ')
        elif kind is ast.NamedExpr: found.append('Named ' + node.target.id); return visit(node.value)
        elif kind is ast.Lambda: found.append('Lambda '); return visit(node.body)
        elif kind is ast.Dict: found.append('Dict %d' % len(node.values))
        elif kind in (ast.List, ast.Set): found.append('%s %d' % (kind.__name__, len(node.elts)))
        elif kind in (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp): found.append('Comprehension %d' % len(node.generators))
        elif kind is ast.Constant and isinstance(node.value, str) and all(' ' <= one <= '~' and one != '\\' for one in node.value): found.append('String ' + node.value)
        elif kind.__name__ == 'Match':
            visit(node.subject)
            for case in node.cases: [visit(one) for one in case.body]
            return
        elif kind in (ast.Global, ast.Nonlocal) or kind.__name__ == 'TypeAlias': return
        for field, value in ast.iter_fields(node):
            if field in SKIPPED: continue
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST): visit(one)
    try: tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError): return None
    for one in tree.body: visit(one)
    return found
def installed():
    found = []
    for folder, _, names in os.walk(sysconfig.get_paths()['stdlib']):
        if 'site-packages' not in folder: found += [os.path.join(folder, name) for name in names if name.endswith('.py')]
    random.Random(7).shuffle(found)
    return [one for one in sorted(found[:int(sys.argv[1])]) if os.path.getsize(one) < 200000]
for path in installed():
    with open(path, 'rb') as file: data = file.read()
    try: text = data.decode()
    except UnicodeDecodeError: continue
    if '\r' not in text and '\f' not in text and '\\\n' not in text and '\\N{' not in text: print(json.dumps({'name': path, 'text': text, 'told': told(text)}))
for line in sys.stdin:
    name, text = json.loads(line)
    print(json.dumps({'name': name, 'text': text, 'told': told(text)}))
`;

interface Told {
  readonly name: string;
  readonly text: string;
  readonly told: readonly string[] | null;
}

const STATEMENTS: Readonly<Partial<Record<Stmt['type'], string>>> = {
  Expression: 'Expr',
  Update: 'AugAssign',
  Function: 'FunctionDef',
  Class: 'ClassDef',
};

function ours(text: string): readonly string[] {
  const { body, problem } = parsePython(text);
  if (problem !== null) return [problem];
  return walkTree(body, comparedParts).flatMap((one) => (isStatement(one) ? statementTold(one, text) : expressionTold(one)));
}

/** What the oracle passes over: annotations, names that a `with` binds, parameters of a lambda. */
function comparedParts(one: Expr | Stmt): unknown {
  // Versions of Python report different positions inside f-strings.
  if (one.type === 'Format') return [];
  if (one.type === 'Lambda') return one.body;
  if (one.type === 'With') return [one.items.map(({ value }) => value), one.body];
  if (one.type === 'Function') return [one.decorators, one.params.map(({ fallback }) => fallback), one.body];
  if (one.type === 'Assign') return [one.targets, one.value];
  return Object.values(one);
}

function statementTold(one: Stmt, text: string): readonly string[] {
  const kind = STATEMENTS[one.type] ?? one.type;
  if ((one.type === 'Function' || one.type === 'Class') && one.decorators.length > 0) return [kind];
  if (one.type === 'Import') return [`${one.from ? 'ImportFrom' : 'Import'} ${one.start}`];
  if (one.type === 'Assign' && one.annotation !== null) return [`AnnAssign ${one.start}`];
  if (one.type !== 'Other') return [`${kind} ${one.start}`];
  const word = /^\w+/.exec(text.slice(one.start))?.[0] ?? '';
  return [`${word === 'type' ? 'TypeAlias' : word === 'global' ? 'Global' : 'Nonlocal'} ${one.start}`];
}

/** For each kind of node, the details that are compared. */
const TOLD: { readonly [Kind in Expr['type']]?: (one: Extract<Expr, { type: Kind }>) => string | null } = {
  Name: ({ name }) => name,
  Attribute: ({ name }) => name,
  Named: ({ name }) => name,
  Call: ({ args }) => String(args.length),
  Compare: ({ ops }) => ops.join(' '),
  Binary: ({ op }) => op,
  Unary: ({ op }) => op,
  Dict: ({ entries }) => String(entries.length),
  Comprehension: ({ clauses }) => String(clauses.length),
  Subscript: () => '',
  Conditional: () => '',
  Await: () => '',
  Yield: () => '',
  Lambda: () => '',
  Format: () => '',
  String: ({ bytes, value }) => (bytes || !/^[ -[\]-~]*$/.test(value) ? null : value),
};

function expressionTold(one: Expr): readonly string[] {
  if (one.type === 'List' || one.type === 'Set') return [`${one.type} ${one.items.length}`];
  const tell = TOLD[one.type] as ((node: Expr) => string | null) | undefined;
  const told = tell?.(one) ?? null;
  return told === null ? [] : [`${one.type} ${told}`];
}

/** The Python files of labelled changes. */
function labelled(): readonly (readonly [string, string])[] {
  const cases = readCases('seen').filter(({ language }) => language === 'py');
  return cases
    .filter((_, index) => index % STEP === 0)
    .flatMap(({ id, files, same }) =>
      [...files.flatMap(({ path, before, after }) => [before, after].map((text) => [path, text] as const)), ...same].flatMap(
        ([path, text]) => (path.endsWith('.py') && text !== null ? [[`${id} ${path}`, text] as const] : []),
      ),
    );
}

const hasPython = spawnSync('python3', ['-c', 'import ast, sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
/** How many files of Python's own library are read, by a fixed shuffle. */
const FILES = process.env['PYTHON_FILES'] ?? (isSoak ? '1000000' : '100');
/** One of every so many labelled changes in Python. */
const STEP = isSoak ? 1 : 20;

// Needs Python 3.9 or newer to compare with.
test.skipIf(!hasPython)('the parser finds the same syntax as CPython', { timeout: 240_000 }, () => {
  const input = labelled().map((one) => `${JSON.stringify(one)}\n`);
  const { stdout, stderr } = spawnSync('python3', ['-c', ORACLE, FILES], { input: input.join(''), encoding: 'utf8', maxBuffer: 1 << 30 });
  expect(stderr).toBe('');
  const all = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Told]));
  const read = all.filter(({ told }) => told !== null);
  expect(read.length).toBeGreaterThan(input.length);
  const wrong = read.flatMap(({ name, text, told }) => {
    const [counts, theirs] = [countsOf(ours(text)), countsOf(told ?? [])];
    const less = [...theirs].filter(([one, count]) => counts.get(one) !== count).slice(0, 4);
    const more = [...counts].filter(([one, count]) => theirs.get(one) !== count).slice(0, 4);
    return less.length + more.length === 0 ? [] : [{ name, less, more }];
  });
  expect(wrong.slice(0, 5)).toEqual([]);
});

function countsOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
