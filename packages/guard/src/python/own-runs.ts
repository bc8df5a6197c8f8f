// Test classes that run their tests in their own way: whether a `run()` in place of unittest's leads on to it.

import type { TestMark } from '../facts.js';
import { constantTruth } from './flow.js';
import { printBody } from './print.js';
import { basesOf, functionOf } from './scope.js';
import type { Callable, TypeValue } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { descend, dotted, expressionsOf, lastName, spanOf } from './tree.js';

/** What unittest calls of a class to run a test, and by which of these such a method leads on. */
const RUNS: Readonly<Record<string, ReadonlySet<string>>> = {
  __call__: new Set(['__call__', 'run']),
  run: new Set(['run', '__call__', '_callTestMethod']),
  debug: new Set(['debug', 'run', '__call__', '_callTestMethod']),
  _callTestMethod: new Set(['_callTestMethod']),
};

/** Marks for methods of a class, or of those above it, by which its tests do not run, or only under a condition. */
export function runSkips(type: TypeValue): readonly TestMark[] {
  return [...ownRuns(type)].flatMap(([name, fn]): readonly TestMark[] => {
    const way = new Lead(fn, RUNS[name] ?? new Set()).way();
    if (way === 'always' || (name === 'debug' && !isEmpty(fn))) return [];
    const span = spanOf(fn.env.module.tree, fn.node.start, fn.node.end);
    // Nothing but a debugger calls `debug()`.
    return [{ kind: way === 'never' && name !== 'debug' ? 'skipped' : 'conditional', span, key: name }];
  });
}

/** By their names, as a class finds them: its own first. */
function ownRuns(type: TypeValue, depth = 0): ReadonlyMap<string, Callable> {
  const found = new Map<string, Callable>();
  if (depth < 5) for (const base of basesOf(type).toReversed()) for (const [name, fn] of ownRuns(base, depth + 1)) found.set(name, fn);
  for (const one of type.node.body) {
    if (one.type === 'Function' && Object.hasOwn(RUNS, one.name)) found.set(one.name, { node: one, env: type.env, bound: 1 });
    if (one.type !== 'Assign' || one.value === null) continue;
    const names = one.targets.map(dotted).filter((target) => Object.hasOwn(RUNS, target));
    const fn = names.length === 0 ? null : functionOf(one.value, type.env);
    for (const name of names) if (fn !== null) found.set(name, fn);
  }
  // `CartTest.run = …` after the class.
  for (const name of Object.keys(RUNS)) {
    const put = type.env.find(`${type.node.name}.${name}`)?.node;
    if (put?.type === 'Function' || put?.type === 'Lambda') found.set(name, { node: put, env: type.env, bound: 1 });
  }
  return found;
}

type Way = 'always' | 'maybe' | 'never';

/** The way from a method to the real one. */
class Lead {
  private readonly given: ReadonlySet<string>;

  constructor(
    private readonly fn: Callable,
    private readonly names: ReadonlySet<string>,
  ) {
    this.given = new Set(fn.node.params.slice(1).map(({ name }) => name));
  }

  way(): Way {
    const { node } = this.fn;
    if (node.type === 'Lambda') return this.leads(node.body) ? 'always' : 'never';
    // It calls the test by its name.
    if (/_testMethodName/.test(this.fn.env.module.tree.text.slice(node.start, node.end))) return 'always';
    return this.through(node.body);
  }

  private through(body: readonly Stmt[]): Way {
    let [maybe, left] = [false, false];
    for (const one of body) {
      const way = this.of(one);
      if (way === 'always') return left ? 'maybe' : 'always';
      maybe ||= way === 'maybe';
      left ||= this.leaves(one);
      if (one.type === 'Return' || one.type === 'Raise') break;
    }
    return maybe ? 'maybe' : 'never';
  }

  private of(one: Stmt): Way {
    switch (one.type) {
      case 'If': {
        const open = one.branches.filter(({ test }) => test === null || constantTruth(test) !== false);
        const ways = open.map(({ body }) => this.through(body));
        if (ways.every((way) => way === 'never')) return 'never';
        const all = ways.every((way) => way === 'always') && open.some(({ test }) => test === null || constantTruth(test) === true);
        return all || open.some(({ test }) => test !== null && isOfResult(test)) ? 'always' : 'maybe';
      }
      case 'Try':
        return most([one.body, one.other, one.final].map((body) => this.through(body)));
      case 'With':
      case 'For':
      case 'While':
      case 'Function':
        return this.through(one.body);
      case 'Match':
        return most(one.cases.map((body) => this.through(body))) === 'never' ? 'never' : 'maybe';
      case 'Assert':
      case 'Assign':
      case 'Break':
      case 'Class':
      case 'Continue':
      case 'Delete':
      case 'Expression':
      case 'Import':
      case 'Other':
      case 'Pass':
      case 'Raise':
      case 'Return':
      case 'Update':
        return expressionsOf(one).some((expression) => this.leads(expression)) ? 'always' : 'never';
    }
  }

  /** `if …: return`: what follows is not reached by everyone. */
  private leaves(one: Stmt): boolean {
    if (one.type !== 'If') return false;
    return one.branches.some(
      ({ test, body }) =>
        (test === null || (constantTruth(test) !== false && !isOfResult(test))) &&
        body.some(({ type }) => type === 'Return' || type === 'Raise') &&
        this.through(body) === 'never',
    );
  }

  /** The real method is called or handed on, and told where to put down what comes of it. */
  private leads(node: Expr): boolean {
    const nodes = descend(node);
    const lost = new Set(nodes.flatMap((one) => (one.type === 'Call' && this.isLost(one) ? [one.callee] : [])));
    return nodes.some((one) => {
      if (one.type === 'Call' && this.given.has(dotted(one.callee))) return true;
      if (one.type !== 'Attribute' || !this.names.has(one.name) || lost.has(one)) return false;
      if (one.object.type === 'Call') return lastName(one.object.callee) === 'super';
      const own = this.fn.node.params[0]?.name ?? '';
      if (dotted(one.object) === own) return one.name !== 'debug';
      return nodes.some((call) => call.type === 'Call' && call.callee === one && call.args.some(({ value }) => dotted(value) === own));
    });
  }

  /** `super().run(TestResult())`: the runner hears nothing of it. */
  private isLost({ callee, args }: Extract<Expr, { type: 'Call' }>): boolean {
    const name = lastName(callee);
    if (name !== 'run' && name !== '__call__') return false;
    if (args.length === 0) return true;
    const made = args.filter(({ value }) => value.type === 'Call');
    return made.length === args.length && !made.some(({ value }) => descend(value).some((one) => this.given.has(dotted(one))));
  }
}

/** It does nothing; one that does may be a helper that happens to have the name. */
function isEmpty({ node, env }: Callable): boolean {
  if (node.type !== 'Function' || node.params.length !== 1) return node.type === 'Lambda';
  return /^(pass|return( None)?|\.\.\.)?$/.test(printBody(node.body, env.module.tree.text));
}

function most(ways: readonly Way[]): Way {
  return ways.includes('always') ? 'always' : ways.includes('maybe') ? 'maybe' : 'never';
}

/** It asks how the run went so far: a class may stop at its first failure. */
function isOfResult(test: Expr): boolean {
  return descend(test).some((one) => /^(errors|failures|shouldStop|wasSuccessful|unexpectedSuccesses)$/.test(lastName(one)));
}
