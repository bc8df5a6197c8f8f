// The extractor for Python: one file in, its facts out.

import type { Depth } from '../javascript/reader.js';
import type { FileFacts, HelperFact, Lookup, ReplacementFact, TableFact, TestFact } from '../facts.js';
import { BodyWalk } from './body.js';
import { replacedAround } from './conftest.js';
import { exitsOf } from './exits.js';
import { choicesOf, marksTaken } from './choices.js';
import { hooksOf, isConftest } from './hooks.js';
import { settingsOf } from './marks.js';
import { outsideOf } from './outside.js';
import { ReplacementSearch } from './replacements.js';
import { Project } from './scope.js';
import type { Module } from './scope.js';
import { suppressionsOf } from './suppressions.js';
import { testsOf } from './tests.js';
import type { FunctionStmt } from './tree.js';
import { dotted, spanOf, statementsIn } from './tree.js';
import { printValue } from './print.js';
import { sweepingOf } from './module-skips.js';
import { rowsOf } from './rows.js';
import { importFacts, importsOf, madeUnits, unitsOf } from './units.js';

/** Extracts the files of one version of the tree; modules are parsed once. */
export class PythonReader {
  private readonly project: Project;

  constructor(lookup: Lookup) {
    this.project = new Project(lookup);
  }

  read(file: string, text: string, depth: Depth): FileFacts {
    const module = this.project.load(file) ?? this.project.open(file, text);
    const { tree } = module;
    const suppressions = suppressionsOf(tree);
    if (depth === 'source') return { file, tests: [], helpers: [], suppressions, replacements: () => [], problem: tree.problem };
    const collected = isCollected(file);
    const tests = isConftest(file) ? [] : testsOf(module, collected);
    const imports = importsOf(module);
    const units = () => (tests.length === 0 ? madeUnits(module, imports) : unitsOf(module, imports, this.around(file), tests));
    const replaced = (): readonly ReplacementFact[] => {
      const own = new ReplacementSearch(module, imports, units, tests).run();
      const around = handsOut(module, tests) ? replacedAround(module, imports) : [];
      const more = [...(isConftest(file) ? [] : endings(module)), ...around];
      return [...own, ...more.filter(({ span }) => !own.some((one) => one.span.from === span.from))];
    };
    let known: readonly ReplacementFact[] | null = null;
    const helpers = tests.length === 0 ? helpersOf(module) : [];
    const tables = tests.length === 0 ? tableFacts(module) : [];
    const facts = importFacts(module, imports, tests);
    return {
      file,
      tests: [...tests, ...choicesOf(module, tests.length === 0)],
      outside: () => outsideOf(module, tests),
      helpers,
      tables,
      hooks: [
        ...hooksOf(module),
        ...(tests.length === 0 ? [...marksTaken(module, settingsOf(this.project.lookup).idle), ...sweepingOf(module)] : []),
      ],
      suppressions,
      replacements: () => (known ??= replaced()),
      imports: facts,
      problem: tree.problem,
    };
  }

  /** What the conftest.py files around a test import. */
  private around(file: string): ReturnType<typeof importsOf> {
    const folders = file.split('/').slice(0, -1);
    const paths = folders.map((_folder, index) => [...folders.slice(0, index + 1), 'conftest.py'].join('/'));
    return ['conftest.py', ...paths].flatMap((path) => {
      const module = path === file ? null : this.project.load(path);
      return module === null ? [] : importsOf(module);
    });
  }
}

/** A file that others have fixtures from. */
function handsOut({ tree }: Module, tests: readonly TestFact[]): boolean {
  return isConftest(tree.file) || (tests.length === 0 && tree.text.includes('fixture'));
}

/** Files that pytest and unittest look into by themselves. */
function isCollected(file: string): boolean {
  return /(^|\/)(test[^/]*|[^/]*_tests?)\.py$/.test(file);
}

/** Where a test file ends the run; `pytest.exit()` is told as a skip. */
function endings(module: Module): readonly ReplacementFact[] {
  return exitsOf(module)
    .filter(({ name }) => name !== 'pytest.exit')
    .map(({ name, node }) => ({ kind: 'failures', key: name, span: spanOf(module.tree, node.start, node.end), test: null }));
}

/** Functions and methods that assert, in a file without tests. */
function helpersOf(module: Module): readonly HelperFact[] {
  const helpers: HelperFact[] = [];
  const add = (node: FunctionStmt, name: string): void => {
    const walk = new BodyWalk(module.tree);
    walk.run({ node, env: module.env, bound: 0 }, new Map());
    if (walk.assertions.length > 0)
      helpers.push({ name, span: spanOf(module.tree, node.start, node.end), assertions: walk.assertions, returns: walk.returns });
  };
  for (const statement of statementsIn(module.tree.body, false)) {
    if (statement.type === 'Function') add(statement, statement.name);
    else if (statement.type === 'Class')
      for (const method of statement.body) if (method.type === 'Function') add(method, `${statement.name}.${method.name}`);
  }
  return helpers;
}

/** Lists that a file without tests hands out to them. */
function tableFacts(module: Module): readonly TableFact[] {
  return module.tree.body.flatMap((statement): readonly TableFact[] => {
    if (statement.type !== 'Assign' || statement.value === null) return [];
    const name = dotted(statement.targets[0] ?? null);
    const rows = rowsOf(statement.value, module.env);
    if (name === '' || rows === null || rows.length < 2) return [];
    return [{ name, span: spanOf(module.tree, statement.start, statement.end), rows: rows.map((row) => printValue(row)) }];
  });
}
