// The extractor for JavaScript and TypeScript: one file in, its facts out.

import type { FileFacts, HelperFact, Lookup, ReplacementFact, TableFact, TestFact } from '../facts.js';
import { FoundTest } from '../found-test.js';
import type { Walked } from '../found-test.js';
import { at, bare, descend, isFunction, keyName, listAt, nodesOf, spanOf } from './tree.js';
import type { Node } from './tree.js';
import { bindOwn, printValue } from './print.js';
import { ALWAYS, assertionOf } from './assertion.js';
import { resolved } from './copies.js';
import { environmentsOf } from './environments.js';
import { hookSkipsOf } from './hook-skips.js';
import { singly } from './questions.js';
import { retriesOf } from './retries.js';
import { rowsOf } from './rows.js';
import { declareStatement, Project } from './scope.js';
import type { Env, Module } from './scope.js';
import { BodyWalk } from './body.js';
import { outsideOf } from './outside.js';
import { unitsMockedAround } from './set-up-mocks.js';
import { suppressionsOf } from './suppressions.js';
import { testsOf } from './tests.js';
import { importFacts, importsOf, unitsOf } from './units.js';
import { rootName } from './answers.js';
import { ReplacementSearch } from './replacements.js';

/** What of a file is looked at: all of a test file, helpers too of its support, comments and types alone of source. */
export type Depth = 'test' | 'support' | 'source';

/** Extracts the files of one version of the tree; modules are parsed once. */
export class JavaScriptReader {
  private readonly project: Project;

  constructor(lookup: Lookup) {
    this.project = new Project(lookup);
  }

  /** Never throws: code that is nested too deeply to be walked through is a problem of the file. */
  read(file: string, text: string, depth: Depth): FileFacts {
    try {
      return this.extract(file, text, depth);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { file, tests: [], helpers: [], suppressions: [], replacements: () => [], problem: TOO_DEEP };
    }
  }

  /** Who asks for it again has it parsed again. */
  forget(file: string): void {
    this.project.modules.delete(file);
  }

  private extract(file: string, text: string, depth: Depth): FileFacts {
    const module = this.project.load(file) ?? this.project.open(file, text);
    const { tree } = module;
    const suppressions = suppressionsOf(tree);
    if (depth === 'source') return { file, tests: [], helpers: [], suppressions, replacements: () => [], problem: tree.problem };
    const strain = new Strain(tree.problem);
    const tests = testsOf(module, depth === 'test').map((test) => strain.bear(test));
    const imports = importsOf(module);
    const units = () =>
      tests.length === 0 ? new Set([...unitsOf(module, imports, tests), ...unitsMockedAround(module)]) : unitsOf(module, imports, tests);
    const search = new ReplacementSearch(module, imports, units, tests);
    const helpers = [...(tests.length === 0 ? helpersOf(module) : []), ...matchersOf(module)];
    const tables = tests.length === 0 ? tablesOf(module) : [];
    const hooks = [...retriesOf(tree), ...environmentsOf(tree), ...(tests.length === 0 ? hookSkipsOf(tree) : [])];
    const named = importFacts(module, imports);
    let replaced: readonly ReplacementFact[] | null = null;
    const outside = () => strain.of(() => outsideOf(tree, tests), []);
    const replacements = () => (replaced ??= strain.of(() => search.run(), []));
    return {
      file,
      tests,
      outside,
      helpers,
      tables,
      hooks,
      suppressions,
      replacements,
      imports: named,
      get problem() {
        return strain.problem;
      },
    };
  }
}

/** What is learned of a file when somebody asks. Code that is nested too deeply for it becomes a problem of the file then. */
class Strain {
  constructor(public problem: string | null) {}

  of<T>(learn: () => T, none: T): T {
    try {
      return learn();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problem ??= TOO_DEEP;
      return none;
    }
  }

  bear(test: TestFact): TestFact {
    return new FoundTest(test, {
      walk: () => this.of(() => walkedOf(test), { marks: test.outer, assertions: [], returns: [], branches: [] }),
      rows: () => this.of(() => test.rows, null),
      body: () => this.of(() => test.body, ''),
    });
  }
}

function walkedOf({ marks, assertions, returns, branches }: TestFact): Walked {
  return { marks, assertions, returns, branches };
}

const TOO_DEEP = 'the code is nested too deeply';

function helpersOf(module: Module): readonly HelperFact[] {
  const helpers: HelperFact[] = [];
  for (const { name, node, env } of sharedFunctions(module)) {
    const walk = new BodyWalk(node, module.tree);
    walk.run({ node, env }, null);
    helpers.push({ name, span: spanOf(module.tree, node.start, node.end), assertions: walk.assertions, returns: walk.returns });
  }
  return helpers;
}

interface Shared {
  readonly name: string;
  readonly node: Node;
  readonly env: Env;
}

/** Functions that a file hands out: by themselves, in an object, as methods of a class. */
function sharedFunctions(module: Module): readonly Shared[] {
  const found: Shared[] = [];
  for (const [name, value] of module.exports) {
    const node = bare(value.node);
    if (node === null || value.env.module !== module) continue;
    const { env } = value;
    if (isFunction(node)) found.push({ name, node, env });
    const members = node.type === 'ObjectExpression' ? listAt(node, 'properties') : listAt(at(node, 'body'), 'body');
    if (node.type !== 'ObjectExpression' && !node.type.startsWith('Class')) continue;
    for (const member of members) {
      const inner = bare(at(member, 'value'));
      if (isFunction(inner)) found.push({ name: `${name}.${keyName(member)}`, node: inner, env });
    }
  }
  return found;
}

/** Lists that a file hands out, row by row. */
function tablesOf(module: Module): readonly TableFact[] {
  const tables: TableFact[] = [];
  for (const [name, value] of module.exports) {
    if (value.node === null || value.env.module !== module) continue;
    const rows = rowsOf(value.node, value.env);
    if (rows !== null && rows.length > 0) {
      tables.push({ name, span: spanOf(module.tree, value.node.start, value.node.end), rows: rows.map((row) => printValue(row)) });
    }
  }
  return tables;
}

/** Matchers of the project: what they answer `pass` by is what they assert. */
function matchersOf(module: Module): readonly HelperFact[] {
  if (!module.tree.text.includes('expect.extend')) return [];
  const helpers: HelperFact[] = [];
  for (const node of nodesOf(module.tree)) {
    if (node.type !== 'CallExpression' || rootName(at(node, 'callee')) !== 'expect') continue;
    const [object = null] = listAt(node, 'arguments').map(bare);
    if (object?.type !== 'ObjectExpression') continue;
    for (const member of listAt(object, 'properties')) {
      const fn = bare(at(member, 'value'));
      if (isFunction(fn)) helpers.push(matcher(module, keyName(member), fn));
    }
  }
  return helpers;
}

function matcher(module: Module, name: string, fn: Node): HelperFact {
  const env = module.env.child();
  for (const parameter of listAt(fn, 'params')) bindOwn(parameter, env);
  for (const statement of listAt(at(fn, 'body'), 'body')) declareStatement(statement, env);
  const answers = [...descend(fn)].filter((node) => node.type === 'Property' && keyName(node) === 'pass');
  const assertions = answers.flatMap((answer) => {
    const subject = resolved(at(answer, 'value'), env);
    const span = spanOf(module.tree, answer.start, answer.end);
    // Of `a && b` each is asked by itself.
    const asked = singly({ kind: 'truthy', subject, suffix: '', expected: [], constant: null, matcher: 'ok', delta: null });
    return subject === null ? [] : asked.map((draft) => assertionOf(draft, env, span, ALWAYS));
  });
  return { name: `matcher ${name}`, span: spanOf(module.tree, fn.start, fn.end), assertions, returns: [] };
}
