// Checks of calls in one language: what a mock was called with, and what a fake of the tests wrote down, are the same question.

import { draft } from './checks.js';
import type { Draft } from './checks.js';
import { lifted, literalOf } from './held.js';
import { classOf, isOfTests } from './scope.js';
import type { Env, TypeValue } from './scope.js';
import type { Expr, FunctionStmt } from './tree.js';
import { dotted, lastName, positional, statementsIn } from './tree.js';

/** The draft as a question about calls, where it is one; else as it is. */
export function aboutCalls(one: Draft): readonly Draft[] {
  const written = { ...one, expected: one.expected.map((node) => literalOf(node, one.env) ?? node) };
  const parts = ofArguments(written);
  const asked = parts ?? written;
  return (ofListed(asked) ?? ofFake(asked) ?? ofHeld(asked) ?? ofMock(asked) ?? ofList(asked) ?? [parts ?? one]).map(logged);
}

/** `mock.call_args.args == (1, 2)`, `mock.call_args.kwargs['key'] == 3`: what a mock was called with, by parts. */
function ofArguments(one: Draft): Draft | null {
  const [wanted] = one.expected;
  if (one.kind !== 'equal' || one.subject === null || wanted === undefined || one.constant !== null) return null;
  const place = argumentsOf(one.subject);
  if (place !== null) {
    if (!place.named && wanted.type === 'Tuple') return { ...one, kind: 'calledWith', subject: place.mock, expected: wanted.items };
    const entries = wanted.type === 'Dict' && place.named ? wanted.entries : null;
    if (entries === null || entries.some(({ key }) => key?.type !== 'String')) return null;
    const expected = entries.map(({ key, value }) => named(key?.type === 'String' ? key.value : '', value));
    return { ...one, kind: 'calledWith', subject: place.mock, expected };
  }
  const [index] = one.subject.type === 'Subscript' ? one.subject.index : [];
  const inner = one.subject.type === 'Subscript' ? argumentsOf(one.subject.object) : null;
  if (inner === null || index === undefined) return null;
  if (inner.named && index.type === 'String')
    return { ...one, kind: 'calledWith', subject: inner.mock, expected: [named(index.value, wanted)] };
  return !inner.named && index.type === 'Number' ? { ...one, kind: 'calledWith', subject: inner.mock, expected: [wanted] } : null;
}

/** Of `mock.call_args.args`, `mock.call_args[0]` and `mock.call_args.kwargs` the mock, and which of the two it is. */
function argumentsOf(node: Expr): { readonly mock: Expr; readonly named: boolean } | null {
  const [index] = node.type === 'Subscript' ? node.index : [];
  const which =
    node.type === 'Attribute'
      ? node.name
      : index?.type === 'Number'
        ? index.text === '0'
          ? 'args'
          : index.text === '1'
            ? 'kwargs'
            : ''
        : '';
  const call = node.type === 'Attribute' || node.type === 'Subscript' ? node.object : null;
  if (which !== 'args' && which !== 'kwargs') return null;
  const mock = call === null ? null : oneCall(call);
  return mock === null ? null : { mock, named: which === 'kwargs' };
}

/** Of `mock.call_args` and `mock.call_args_list[0]` the mock. */
function oneCall(node: Expr): Expr | null {
  if (node.type === 'Attribute') return /^(call|await)_args$/.test(node.name) ? node.object : null;
  const list = node.type === 'Subscript' ? node.object : null;
  return list?.type === 'Attribute' && /^(call_args_list|await_args_list|mock_calls)$/.test(list.name) ? list.object : null;
}

/** `[call.args[0] for call in mock.call_args_list] == [1, 2]`: one question a call, and how many there were. */
function ofListed(one: Draft): readonly Draft[] | null {
  const { subject, env } = one;
  const [wanted] = one.expected;
  if (one.kind !== 'equal' || subject?.type !== 'Comprehension' || wanted?.type !== 'List') return null;
  const [clause] = subject.clauses;
  const [element] = subject.elements;
  const over = clause?.over;
  if (over?.type !== 'Attribute' || !/^(call_args_list|await_args_list|mock_calls)$/.test(over.name)) return null;
  if (element === undefined || clause?.target.type !== 'Name' || clause.conditions.length > 0) return null;
  const { name } = clause.target;
  const { start, end } = element;
  const call: Expr = { type: 'Attribute', start, end, object: over.object, name: 'call_args' };
  const calls = wanted.items.map((item) => ofArguments(draft('equal', replaced(element, name, call), item, env)));
  return calls.some((one) => one === null) ? null : [...calls.filter((one) => one !== null), counted(over.object, calls.length, env)];
}

/** The expression with a value in place of a name at its root. */
function replaced(node: Expr, name: string, value: Expr): Expr {
  if (node.type === 'Name') return node.name === name ? value : node;
  return node.type === 'Attribute' || node.type === 'Subscript' ? { ...node, object: replaced(node.object, name, value) } : node;
}

/** The list of a fake under a name of the test. */
function ofHeld(one: Draft): readonly Draft[] | null {
  const held = one.subject?.type === 'Name' ? lifted(one, one.subject, true) : null;
  return held === null ? null : ofFake(held);
}

const LOGGING = /^(debug|info|warning|warn|error|critical|exception)$/;

/** `log.info('%s is gone', 'a')` says the same as the line that is logged. */
function logged(one: Draft): Draft {
  const [format, ...values] = one.expected;
  if (one.kind !== 'calledWith' || format?.type !== 'String' || !format.value.includes('%') || one.subject?.type !== 'Attribute')
    return one;
  if (!LOGGING.test(one.subject.name)) return one;
  const texts = values.map((value) => (value.type === 'String' ? value.value : value.type === 'Number' ? value.text : null));
  if (texts.some((text) => text === null)) return one;
  let at = 0;
  const line = format.value.replace(/%[sdr]/g, (place) => texts[at++] ?? place);
  return at === texts.length ? { ...one, expected: [{ ...format, value: line }] } : one;
}

/** A list of the test that others fill: its length is how often they did. */
function ofList(one: Draft): readonly Draft[] | null {
  const { env, subject } = one;
  const [wanted] = one.expected;
  if (one.kind !== 'equal' || subject?.type !== 'Name' || wanted?.type !== 'List') return null;
  const value = env.find(subject.name);
  if (value?.label === undefined || value.node?.type !== 'List' || value.node.items.length > 0) return null;
  const count = counted(subject, wanted.items.length, env);
  return isTally(subject.name, wanted.items, env) ? [count] : [one, count];
}

/** Always the same is put into the list: it only counts. */
function isTally(name: string, items: readonly Expr[], env: Env): boolean {
  const filled = [...env.module.tree.text.matchAll(/\b(\w+)\.append\(([^()]*)\)/g)].filter((call) => call[1] === name);
  const put = new Set(filled.map((call) => call[2]));
  return put.size === 1 && items.length > 0 && /^(["'][^"']*["']|\d+|True|None)$/.test(filled[0]?.[2] ?? '');
}

function counted(subject: Expr | null, count: number, env: Env): Draft {
  return draft('calledTimes', subject, null, env, { constant: String(count) });
}

/** Lists of calls are taken apart: one question a call, and how many there were. */
function ofMock(one: Draft): readonly Draft[] | null {
  const { env, expected } = one;
  if (one.kind !== 'calledWith') return null;
  if (one.op === 'assert_called_once_with' || one.op === 'assert_awaited_once_with')
    return expected.length === 0 ? [counted(one.subject, 1, env)] : [{ ...one, op: null }, counted(one.subject, 1, env)];
  const list = listedCalls(expected[0] ?? null, env);
  if (expected.length !== 1 || list?.type !== 'List') return null;
  const calls = list.items.map((item) => callOf(item, one.subject));
  if (calls.some((call) => call === null)) return null;
  const asked = calls.flatMap((call) => (call === null ? [] : [draft('calledWith', call.subject, null, env, { expected: call.args })]));
  return one.op !== null && /has_(calls|awaits)/.test(one.op) ? asked : [...asked, ...countedEach(asked, one)];
}

/** The calls that are listed there, or in the column of the row at hand. */
function listedCalls(node: Expr | null, env: Env): Expr | null {
  const value = node?.type === 'Name' ? env.find(node.name) : null;
  return value?.row === true && value.node?.type === 'List' ? value.node : node;
}

/** How often each method of a mock was called, where the list tells of several. */
function countedEach(asked: readonly Draft[], { subject, env }: Draft): readonly Draft[] {
  const names = asked.map((one) => (one.subject?.type === 'Attribute' ? one.subject.name : ''));
  const first = names.map((name, index) => names.indexOf(name) === index);
  if (asked.length === 0) return [counted(subject, 0, env)];
  return asked.flatMap((one, index) =>
    first[index] === true ? [counted(one.subject, names.filter((name) => name === names[index]).length, env)] : [],
  );
}

/** `call('a', 1)`, and `call.send('a')` of a mock's method. */
function callOf(item: Expr, subject: Expr | null): { readonly subject: Expr | null; readonly args: readonly Expr[] } | null {
  if (lastName(item) === 'ANY') return { subject, args: [item] };
  if (item.type !== 'Call') return null;
  const names = dotted(item.callee).split('.');
  const at = names.indexOf('call');
  if (at < 0) return null;
  let about = subject;
  for (const name of names.slice(at + 1))
    if (about !== null) about = { type: 'Attribute', start: item.start, end: item.end, object: about, name };
  return { subject: about, args: item.args.map(({ name, value }) => (name === null ? value : named(name, value))) };
}

function named(name: string, value: Expr): Expr {
  const { start, end } = value;
  return { type: 'Call', start, end, callee: { type: 'Name', start, end, name: `${name}=` }, args: [{ name: null, star: '', value }] };
}

/** A list of a fake that one of its methods fills: which, and with what. */
interface Recorder {
  readonly method: string;
  readonly kept: 'all' | 'one' | 'tuple' | 'named';
  /** What tells its entries from those of other methods: of `sent.append(('ack', tag))` that is `ack`. */
  readonly label: string | null;
  /** Of a tuple: which entries are lists of arguments, or dictionaries of them. */
  readonly shape: readonly ('label' | 'one' | 'all' | 'named')[];
}

function ofFake(one: Draft): readonly Draft[] | null {
  const { env, subject } = one;
  if (subject?.type !== 'Attribute' || one.suffix !== '' || !['equal', 'size', 'truthy', 'falsy', 'oneOf', 'contain'].includes(one.kind))
    return null;
  const owner = dotted(subject.object);
  const type = owner === '' ? null : classOf(subject.object, env);
  const found = type === null || !isOfTests(type.env.module.tree.file) ? [] : recordersOf(type, subject.name);
  const labelled = ofLabelled(one, owner, found);
  if (labelled !== null) return labelled;
  const [recorder] = found;
  if (recorder === undefined || found.some(({ kept }) => kept !== recorder.kept)) return null;
  const about: Expr = { type: 'Unknown', start: subject.start, end: subject.end, text: `${owner}.${recorder.method}` };
  const [wanted] = one.expected;
  if (one.kind === 'falsy') return [counted(about, 0, env)];
  if (one.kind === 'truthy') return [draft('called', about, null, env)];
  if (one.kind === 'size') return [draft('calledTimes', about, wanted ?? null, env)];
  if (wanted === undefined) return null;
  if (one.kind === 'contain') return [draft('calledWith', about, null, env, { expected: argumentsIn(wanted, recorder) })];
  if (one.kind !== 'equal' || wanted.type !== 'List' || wanted.items.some(({ type: kind }) => kind === 'Star')) return null;
  const calls = wanted.items.map((item) => draft('calledWith', about, null, env, { expected: argumentsIn(item, recorder) }));
  return [...calls, counted(about, calls.length, env)];
}

/** One list for several methods, which say which they are: one question a call, and how often each was called. */
function ofLabelled(one: Draft, owner: string, found: readonly Recorder[]): readonly Draft[] | null {
  const { kind, subject, expected, env } = one;
  const labels = new Set(found.map(({ label }) => label));
  if (subject === null || found.length < 2 || labels.size < found.length || labels.has(null)) return null;
  const about = ({ method }: Recorder): Expr => ({ type: 'Unknown', start: subject.start, end: subject.end, text: `${owner}.${method}` });
  const of = (item: Expr): Recorder | undefined => found.find(({ label }) => label === labelOf(item));
  const asked = (item: Expr, by: Recorder): readonly Draft[] => {
    const args = argumentsIn(item, by);
    return args.length === 0 ? [] : [draft('calledWith', about(by), null, env, { expected: args })];
  };
  const [wanted] = expected;
  if (kind === 'contain' && wanted !== undefined) {
    const by = of(wanted);
    return by === undefined
      ? null
      : [...asked(wanted, by), ...(asked(wanted, by).length > 0 ? [] : [draft('called', about(by), null, env)])];
  }
  const items = kind === 'falsy' ? [] : kind === 'equal' && wanted?.type === 'List' ? wanted.items : null;
  if (items === null || items.some((item) => of(item) === undefined)) return null;
  const calls = items.flatMap((item) => asked(item, of(item) as Recorder));
  // Only the list as a whole says which came first.
  const order = new Set(items.map(of)).size > 1 ? [one] : [];
  return [...calls, ...order, ...found.map((by) => counted(about(by), items.filter((item) => of(item) === by).length, env))];
}

function labelOf(node: Expr | null): string | null {
  const first = node?.type === 'Tuple' ? node.items[0] : node;
  return first?.type === 'String' ? first.value : null;
}

function argumentsIn(item: Expr, recorder: Recorder): readonly Expr[] {
  if (recorder.kept === 'named' && item.type === 'Dict' && item.entries.every(({ key }) => key?.type === 'String')) return namedIn(item);
  if (recorder.label !== null && item.type === 'String' && item.value === recorder.label) return [];
  if (item.type !== 'Tuple' || recorder.kept === 'one') return [item];
  if (recorder.shape.length !== item.items.length) return item.items;
  return item.items.flatMap((value, index) => {
    const kept = recorder.shape[index];
    if (kept === 'label') return labelOf(value) === recorder.label ? [] : [value];
    if (kept === 'all' && value.type === 'Tuple') return value.items;
    return kept === 'named' && value.type === 'Dict' && value.entries.every(({ key }) => key?.type === 'String') ? namedIn(value) : [value];
  });
}

function namedIn({ entries }: Extract<Expr, { type: 'Dict' }>): readonly Expr[] {
  return entries.map(({ key, value }) => named(key?.type === 'String' ? key.value : '', value));
}

function recordersOf(type: TypeValue, name: string): readonly Recorder[] {
  const found: Recorder[] = [];
  for (const method of type.node.body) {
    if (method.type !== 'Function') continue;
    for (const statement of statementsIn(method.body, false)) {
      const call = statement.type === 'Expression' && statement.value.type === 'Call' ? statement.value : null;
      if (
        call === null ||
        lastName(call.callee) !== 'append' ||
        call.callee.type !== 'Attribute' ||
        dotted(call.callee.object) !== `self.${name}`
      )
        continue;
      const value = positional(call.args)[0] ?? null;
      const shape = value?.type === 'Tuple' ? value.items.map((item, index) => shapeOf(item, index, method)) : [];
      found.push({ method: method.name, kept: keptBy(value, method), label: labelOf(value), shape });
    }
  }
  return found;
}

function shapeOf(item: Expr, index: number, { params }: FunctionStmt): Recorder['shape'][number] {
  if (index === 0 && item.type === 'String') return 'label';
  const star = item.type === 'Name' ? params.find(({ name }) => name === item.name)?.star : undefined;
  return star === '*' ? 'all' : star === '**' ? 'named' : 'one';
}

function keptBy(value: Expr | null, method: FunctionStmt): Recorder['kept'] {
  if (value?.type === 'Tuple') return 'tuple';
  if (value?.type === 'Dict') return 'named';
  if (value?.type === 'Name' && method.params.some(({ name, star }) => star === '**' && name === value.name)) return 'named';
  const all = value?.type === 'Name' && method.params.some(({ name, star }) => star === '*' && name === value.name);
  return all ? 'all' : 'one';
}
