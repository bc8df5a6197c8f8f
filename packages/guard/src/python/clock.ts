// Whether a replacement stops the clock in Python tests, or moves it on.

import type { TestFact } from '../facts.js';
import { isConftest } from './hooks.js';
import { fixtureMark } from './names.js';
import { print } from './print.js';
import type { Module } from './scope.js';
import type { Argument, Expr, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, keyword, lastName, parts, positional, settled, statementsIn } from './tree.js';

/** `time.time`, `datetime.datetime`, `shop.session.datetime`, `shop.session.time.monotonic`. Sleep is none: who waits less still measures. */
export function isClock(text: string): boolean {
  return /(^|\.)(time\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|process_time)|datetime(\.datetime)?(\.(now|utcnow|today))?|date\.today|timezone\.now|monotonic|perf_counter|utcnow)$|\.time$/.test(
    text,
  );
}

/** A function of the project that tells the time. */
export function tellsTime(text: string): boolean {
  return /(^|\.)(today|now|utc_?now|get_time|current_(time|date)|clock)$/.test(text);
}

/** The answers change, or read something that the tests change. */
export function isMoving(node: Expr | Stmt, args: readonly Argument[], module: Module): boolean {
  const effect = keyword(args, 'side_effect');
  if (effect !== null && (effect.type === 'List' || effect.type === 'Tuple' || effect.type === 'Call')) return true;
  const given = [keyword(args, 'return_value'), effect, keyword(args, 'new'), ...positional(args).slice(1)].filter(
    (value) => value !== null,
  );
  for (const value of given) if (readsMoving(value, module)) return true;
  return movedLater(node, module) || heldAndMoved(node, args, module);
}

/** A function whose answer is a name, entry or attribute that tests write to; an object that tests steer. */
function readsMoving(value: Expr, module: Module): boolean {
  const inner = settled(value);
  if (inner.type === 'Attribute') return written(rootOf(inner), module);
  if (inner.type === 'Name') {
    const node = module.env.find(inner.name)?.node;
    if (node?.type !== 'Function') return true;
    const answers = node.body.flatMap((statement) => (statement.type === 'Return' && statement.value !== null ? [statement.value] : []));
    return answers.length !== 1 || answers.some((answer) => moves(answer, module));
  }
  if (inner.type === 'Lambda') return moves(inner.body, module);
  return inner.type === 'Call' && !/Mock$|^(datetime|date|float|int)$/.test(lastName(inner.callee));
}

function moves(answer: Expr, module: Module): boolean {
  for (const below of descend(answer)) {
    if (below.type === 'Name' && (isGiven(below, module) || isComputed(below.name, module))) return true;
    if (below.type === 'Call' && !/^(datetime|date|timedelta|float|int|Decimal|timezone)$/.test(lastName(below.callee))) return true;
    if (below.type === 'Name' && (written(below.name, module) || isHandedOut(below, module))) return true;
  }
  return false;
}

/** A fixture gives it to the tests, and they write to it under the fixture's name: `now[0] += 60`. Those of a conftest.py are elsewhere. */
function isHandedOut(node: Extract<Expr, { type: 'Name' }>, module: Module): boolean {
  for (const statement of statementsIn(module.tree.body, true)) {
    if (
      statement.type !== 'Function' ||
      statement.start > node.start ||
      node.end > statement.end ||
      fixtureMark(statement, module.env) === null
    )
      continue;
    for (const inner of statementsIn(statement.body, false)) {
      const given =
        inner.type === 'Return' ? inner.value : inner.type === 'Expression' && inner.value.type === 'Yield' ? inner.value.value : null;
      const isIt = given !== null && [...descend(given)].some((below) => below.type === 'Name' && below.name === node.name);
      if (isIt && (isConftest(module.tree.file) || written(statement.name, module))) return true;
    }
  }
  return false;
}

/** `later = time.time() + 60`: it goes on from the real time. */
function isComputed(name: string, module: Module): boolean {
  for (const statement of statementsIn(module.tree.body, true)) {
    if (statement.type !== 'Assign' || statement.value === null || !statement.targets.some((target) => dotted(target) === name)) continue;
    for (const below of descend(statement.value))
      if (below.type === 'Call' && /^(time|time_ns|monotonic|perf_counter|now|utcnow|today)$/.test(lastName(below.callee))) return true;
  }
  return false;
}

/** Tests hand it to the function that sets the clock: `def at(*day)`. */
function isGiven(node: Extract<Expr, { type: 'Name' }>, module: Module): boolean {
  for (const statement of statementsIn(module.tree.body, true)) {
    if (statement.type !== 'Function' || statement.start > node.start || node.end > statement.end) continue;
    const plain = statement.name.startsWith('test') || fixtureMark(statement, module.env) !== null;
    if (!plain && statement.params.some(({ name }) => name === node.name && name !== 'self')) return true;
  }
  return false;
}

/** Something is put into `name`, into an entry or attribute of it, or it is called to move. */
function written(name: string, module: Module): boolean {
  if (name === '') return false;
  let given = 0;
  for (const statement of statementsIn(module.tree.body, true)) {
    if (statement.type === 'Update' && rootOf(statement.target) === name) return true;
    if (statement.type !== 'Assign') continue;
    for (const target of statement.targets) {
      if (target.type !== 'Name' && rootOf(target) === name) return true;
      if (target.type === 'Name' && target.name === name) given += 1;
    }
  }
  if (given > 1) return true;
  for (const node of expressionsIn(module.tree.body, true)) {
    if (node.type === 'Call' && node.callee.type === 'Attribute' && rootOf(node.callee.object) === name && MOVES.test(node.callee.name))
      return true;
  }
  return false;
}

const MOVES = /^(advance|tick|move_to|shift|forward|sleep|step|set|travel|jump|pop|append)$/;

function rootOf(node: Expr): string {
  let inner = node;
  while (inner.type === 'Attribute' || inner.type === 'Subscript') inner = inner.object;
  return inner.type === 'Name' ? inner.name : '';
}

/** `with patch(…) as clock: clock.return_value = later`. */
function movedLater(node: Expr | Stmt, module: Module): boolean {
  for (const statement of statementsIn(module.tree.body, true)) {
    if (statement.type !== 'With') continue;
    const item = statement.items.find(({ value }) => value.start <= node.start && node.end <= value.end);
    const name = item?.target === null || item === undefined ? '' : dotted(item.target);
    if (name === '') continue;
    if (steered(statement.body, name)) return true;
  }
  return false;
}

/** Answers are given to `name` more than once, or as a list of them. */
function steered(body: readonly Stmt[], name: string): boolean {
  let given = 0;
  for (const inner of statementsIn(body, true)) {
    if (inner.type === 'Update' && rootOf(inner.target) === name) return true;
    if (inner.type !== 'Assign' || !inner.targets.some((target) => rootOf(target) === name)) continue;
    given += 1;
    const several =
      inner.value !== null &&
      inner.value.type !== 'Number' &&
      inner.targets.some((target) => target.type === 'Attribute' && target.name === 'side_effect');
    if (several) return true;
  }
  return given > 1;
}

/** `self.clock = patch(…).start()`, then `self.clock.return_value += 5`; a mock that a decorator hands to the test. */
function heldAndMoved(node: Expr | Stmt, args: readonly Argument[], module: Module): boolean {
  const held = holdersOf(node, module);
  if (held.size === 0) return false;
  let given = keyword(args, 'return_value') === null ? 0 : 1;
  for (const statement of statementsIn(module.tree.body, true)) {
    const targets = statement.type === 'Update' ? [statement.target] : statement.type === 'Assign' ? statement.targets : [];
    for (const target of targets) {
      if (target.type !== 'Attribute' || !held.has(dotted(target.object))) continue;
      if (target.name !== 'return_value' && target.name !== 'side_effect') continue;
      const effect = statement.type === 'Assign' && target.name === 'side_effect' ? statement.value : null;
      if (statement.type === 'Update' || (effect !== null && effect.type !== 'Number')) return true;
      given += 1;
    }
  }
  return given > 1;
}

/** Names that the patch, or the mock that it makes, has in the tests. */
function holdersOf(node: Expr | Stmt, module: Module): ReadonlySet<string> {
  const held = new Set<string>();
  const within = (outer: { readonly start: number; readonly end: number }) => outer.start <= node.start && node.end <= outer.end;
  for (const statement of statementsIn(module.tree.body, true)) {
    if (statement.type === 'Assign' && statement.value !== null) {
      const value = settled(statement.value);
      const started = value.type === 'Call' && value.callee.type === 'Attribute' && value.callee.name === 'start';
      const from = started && value.callee.type === 'Attribute' ? dotted(value.callee.object) : '';
      if (within(statement.value) || held.has(from)) for (const target of statement.targets) held.add(dotted(target));
    }
    if (statement.type === 'Function' && statement.decorators.some(within))
      for (const { name } of statement.params) if (name !== 'self') held.add(name);
  }
  held.delete('');
  return held;
}

/** What the clock is set to is what a test wants to see: a stamp, a line of a log. */
export function isStamp(node: Expr | Stmt, args: readonly Argument[], module: Module, tests: readonly TestFact[]): boolean {
  const held = new Set([...holdersOf(node, module), ...aliasesOf(node, module)]);
  const steered = [...statementsIn(module.tree.body, true)].flatMap((statement) =>
    statement.type === 'Assign' && statement.value !== null && statement.targets.some((target) => held.has(rootOf(target)))
      ? [statement.value]
      : [],
  );
  const given = [keyword(args, 'return_value'), keyword(args, 'new'), ...positional(args).slice(1), ...steered].filter(
    (one) => one !== null,
  );
  const texts = new Set(given.flatMap((value) => timesIn(value, module)));
  const around = tests.filter(({ span }) => span.from <= node.start && node.end <= span.to);
  const facts = (around.length === 0 ? tests : around).flatMap(({ assertions }) => assertions);
  return facts.some(({ expected }) => expected !== null && [...texts].some((text) => expected.includes(text)));
}

/** `with patch(…) as clock`. */
function aliasesOf(node: Expr | Stmt, module: Module): readonly string[] {
  return [...statementsIn(module.tree.body, true)].flatMap((statement) =>
    statement.type === 'With'
      ? statement.items.flatMap(({ value, target }) =>
          target !== null && value.start <= node.start && node.end <= value.end ? [dotted(target)] : [],
        )
      : [],
  );
}

/** Times that are written down in an expression: as they are, and a date as it is told in texts. */
function timesIn(value: Expr, module: Module, depth = 0): readonly string[] {
  if (depth > 6) return [];
  if (value.type === 'Name') {
    const kept = module.env.find(value.name)?.node;
    const known = kept !== undefined && kept !== null && kept.type !== 'Function' && kept.type !== 'Class';
    return known ? timesIn(kept, module, depth + 1) : [];
  }
  if (value.type === 'String') return value.value.length > 3 ? [value.value] : [];
  if (value.type === 'Number') return value.text.length > 3 ? [value.text] : [];
  if (value.type !== 'Call' || !/^(datetime|date)$/.test(lastName(value.callee)))
    return parts(value).flatMap((part) => timesIn(part, module, depth + 1));
  const [year = '', month = '', day = ''] = positional(value.args).map((one) => (one.type === 'Number' ? one.text : ''));
  if (day === '') return [];
  return [print(value, module.env), `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`, `date(${year},${month},${day})`];
}
