// Reads one assertion: which value it asks about and what it wants. Wrappers that belong to the question (`x.length`, `a > b`,
// `typeof x`) are taken off the value, so that styles can be compared. Where it stands is javascript/body.ts's.

import type { CheckKind } from '../facts.js';
import { at, bare, isFunction, isLiteral, listAt, nameOf, propertyName, settled, soleExpression, textAt } from './tree.js';
import type { Node } from './tree.js';
import type { Env, Value } from './scope.js';

import { ASSERTION_PACKAGES, ASSERT_METHODS, MATCHERS, negated, OF_PAGE, operatorOf, STATES } from './matchers.js';
import type { Matcher } from './matchers.js';
import { callbackOf } from './runner-callback.js';
import { importedBy } from './names.js';
import { typeDraft } from './type-checks.js';

/** A check before its texts are written out. */
export interface Draft {
  readonly kind: CheckKind;
  readonly subject: Node | null;
  /** Written after the subject: `.name` of `toHaveProperty('name', …)`. */
  readonly suffix: string;
  readonly expected: readonly Node[];
  readonly constant: string | null;
  readonly matcher: string;
  readonly delta: Node | null;
  /** Compared with `==`. */
  readonly loose?: boolean;
}

export interface Parsed {
  readonly drafts: readonly Draft[];
  readonly asynchronous: boolean;
  /** `assert.fail()`: no check, but a way to fail. */
  readonly fails: boolean;
  /** `expect.assertions(2)`, `t.plan(2)`: how many checks must run; -1: at least one. */
  readonly plan: number | null;
  /** Functions handed over that assert by themselves: predicates, polled functions. */
  readonly within: readonly Node[];
  /** Functions that must throw: assertions in there are wanted to fail. */
  readonly mustThrow: readonly Node[];
  /** Of a request: what it ends with; the function is told of the failure. */
  readonly end?: Node | null;
  /** No assertion by its words: it counts as one only where it is a statement of its own. */
  readonly implied?: boolean;
}

interface Link {
  readonly name: string;
  readonly args: readonly Node[] | null;
  readonly object: Node | null;
  readonly call: Node;
}

interface Chain {
  readonly root: Node;
  readonly links: readonly Link[];
}

const NOTHING: Parsed = { drafts: [], asynchronous: false, fails: false, plan: null, within: [], mustThrow: [] };

function chainOf(node: Node): Chain {
  const links: Link[] = [];
  let inner: Node = node;
  for (;;) {
    const callee = inner.type === 'CallExpression' ? bare(at(inner, 'callee')) : null;
    if (callee?.type === 'MemberExpression') {
      links.push({ name: propertyName(callee), args: listAt(inner, 'arguments'), object: bare(at(callee, 'object')), call: inner });
      inner = settled(at(callee, 'object')) ?? callee;
    } else if (inner.type === 'MemberExpression') {
      links.push({ name: propertyName(inner), args: null, object: bare(at(inner, 'object')), call: inner });
      inner = settled(at(inner, 'object')) ?? inner;
      if (links.length > 200) break;
    } else break;
    if (links.length > 200) break;
  }
  return { root: inner, links: links.toReversed() };
}

/** What a name was imported as: `check` of `import { expect as check }` is `expect`. `require('assert')` needs no name. */
function originalName(node: Node | null, env: Env, depth = 0): { readonly name: string; readonly source: string } {
  const own = importedBy(node);
  if (own !== null) return { name: /assert/.test(own) ? 'assert' : '', source: own };
  const name = nameOf(node);
  const value = env.find(name);
  if (value?.source === undefined) return value === null || depth > 3 ? { name, source: '' } : aliasOf(name, value, depth);
  if (value.imported === 'strict' && LOOSE.has(value.source)) return { name: 'assert', source: 'assert/strict' };
  return { name: value.imported === 'default' || value.imported === '*' ? name : (value.imported ?? name), source: value.source };
}

/** `const same = assert.equal`, `const { equal } = assert`, `const check = expect`. */
function aliasOf(name: string, value: Value, depth: number): { readonly name: string; readonly source: string } {
  const node = bare(value.node);
  if (node?.type === 'Identifier') return originalName(node, value.env, depth + 1);
  if (node?.type === 'MemberExpression') {
    const owner = originalName(bare(at(node, 'object')), value.env, depth + 1);
    if (owner.name === 'assert' && propertyName(node) === 'strict') return { name: 'assert', source: 'assert/strict' };
    if (owner.name === 'assert') return { name: propertyName(node), source: owner.source === '' ? 'assert/strict' : owner.source };
    if (propertyName(node) === 'expect' || propertyName(node) === 'assert') return { name: propertyName(node), source: owner.source };
  }
  if (value.base?.source !== undefined && /assert/.test(value.base.source))
    return { name: (value.access ?? '.').slice(1), source: value.base.source };
  return { name, source: '' };
}

/** The assertion that an expression is; null where it is none. */
export function parseAssertion(node: Node, env: Env): Parsed | null {
  if (node.type !== 'CallExpression' && node.type !== 'MemberExpression') return null;
  const { root, links } = chainOf(node);
  if (/^(then|catch|finally)$/.test(links.at(-1)?.name ?? '')) return null;
  const should = links.findIndex((link) => link.name === 'should' && link.args === null);
  if (should >= 0) return parseChain(links[should]?.object ?? null, links.slice(should + 1), false);
  if (root.type === 'Identifier' || ASSERTION_PACKAGES.has(importedBy(root) ?? '')) return fromName(root, links, env);
  if (root.type !== 'CallExpression') return null;
  const callee = bare(at(root, 'callee'));
  const { name, source } = originalName(callee, env);
  const args = listAt(root, 'arguments');
  if (name === 'expect' && !(links[0]?.name === 'expect')) {
    const parsed = links.length === 0 ? null : parseChain(args[0] ?? null, links, false);
    const waits = source === '@playwright/test' && OF_PAGE.test(links.at(-1)?.name ?? '');
    return parsed === null || !waits ? parsed : { ...parsed, asynchronous: true };
  }
  if (name === 'expectTypeOf' || name === 'assertType') return typeCheck(name, root, links, env);
  if (name === 'should' && links.length > 0) return parseChain(args[0] ?? null, links, false);
  if (links.length === 0) return fromFunction(name, source, args) ?? implied(name, node, args);
  return overRequest(root, links, env) ?? implied(links.at(-1)?.name ?? '', node, links.at(-1)?.args ?? null);
}

/** Calls that fail by themselves where something is missing: queries of a page, what verifies a mock. */
function implied(name: string, node: Node, args: readonly Node[] | null): Parsed | null {
  if (node.type !== 'CallExpression' || args === null) return null;
  const draft = (kind: CheckKind, subject: Node | null, constant: string): Parsed => ({
    ...NOTHING,
    implied: true,
    drafts: [{ kind, subject, suffix: '', expected: [], constant, matcher: name, delta: null }],
  });
  if (/^(get|find)(All)?By[A-Z]/.test(name)) return draft('equal', node, 'in the document');
  if (name === 'waitForElementToBeRemoved') return draft('equal', calledBy(args[0] ?? null), 'null');
  const callee = bare(at(node, 'callee'));
  const owner = callee?.type === 'MemberExpression' ? bare(at(callee, 'object')) : null;
  if (owner?.type === 'Identifier' && args.length === 0 && (name === 'done' || name === 'verify')) return draft('custom', owner, name);
  return null;
}

function fromFunction(name: string, source: string, args: readonly Node[]): Parsed | null {
  const strict = /(^|:)assert(\/strict)?$/.test(source);
  if (name === 'fail' && args.length <= 1) return { ...NOTHING, fails: true };
  if (name === 'assert' || (strict && ['ok', 'default', 'strict'].includes(name))) return fromAssert('ok', args);
  return strict || (source === 'chai' && ASSERT_METHODS.has(name)) ? fromAssert(name, args, !LOOSE.has(source), strict) : null;
}

function fromName(root: Node, links: readonly Link[], env: Env): Parsed | null {
  const { name, source } = originalName(root, env);
  const strict = !LOOSE.has(source);
  const [first, second] = links;
  if (first === undefined) return null;
  if (name === 'expect') {
    if (first.name === 'assertions') return { ...NOTHING, plan: Number(first.args?.[0]?.['value'] ?? -1) };
    if (first.name === 'hasAssertions') return { ...NOTHING, plan: -1 };
    if (first.name === 'fail' || first.name === 'unreachable') return { ...NOTHING, fails: true };
    if (['soft', 'poll', 'element'].includes(first.name) && links.length > 1) {
      return parseChain(first.args?.[0] ?? null, links.slice(1), first.name === 'poll');
    }
    return null;
  }
  if (first.name === 'expect' && first.args !== null && links.length > 1) return parseChain(first.args[0] ?? null, links.slice(1), false);
  if (name === 'assert' && first.args !== null) return fromAssert(first.name, first.args, strict, /assert/.test(source));
  if (name === 'assert' && second?.args !== null && second !== undefined && first.name === 'strict')
    return fromAssert(second.name, second.args);
  if (first.name === 'assert' && first.args === null && second?.args) return fromAssert(second.name, second.args);
  if (first.name === 'assert' && first.args !== null && links.length === 1 && isChai(root, env)) return fromAssert('ok', first.args);
  if (first.name === 'plan' && first.args?.length === 1 && env.find(nameOf(root))?.text !== undefined) {
    return { ...NOTHING, plan: Number(first.args[0]?.['value'] ?? -1) };
  }
  return overRequest(root, links, env) ?? implied(links.at(-1)?.name ?? '', links.at(-1)?.call ?? root, links.at(-1)?.args ?? null);
}

/** Packages whose `equal` compares with `==`. */
const LOOSE: ReadonlySet<string> = new Set(['assert', 'node:assert']);

function isChai(root: Node, env: Env): boolean {
  return ASSERTION_PACKAGES.has(env.find(nameOf(root))?.source ?? '');
}

/** `request(app).get('/x').expect(200)`: what is asked stands in the middle of the chain. */
function overRequest(root: Node, links: readonly Link[], env: Env): Parsed | null {
  const calls = links.filter(
    (link, index) => link.name === 'expect' && link.args !== null && link.args.length > 0 && (index > 0 || root.type === 'CallExpression'),
  );
  if (calls.length === 0) return null;
  const first = calls[0]?.object ?? root;
  const asked = calls.map((link) => link.args ?? []);
  const within = asked.flatMap(([one]) => (isFunction(bare(one ?? null)) ? [one as Node] : []));
  const drafts = asked.flatMap((args) => {
    if (isFunction(bare(args[0] ?? null))) return [];
    return requested(callbackOf(args, env) === null ? args : args.slice(0, -1), first);
  });
  const end = links.find((link) => link.name === 'end' && link.args !== null);
  const ends = end === undefined ? asked.flatMap((args) => callbackOf(args, env) ?? []) : [end.args?.[0] ?? null];
  return { ...NOTHING, drafts, asynchronous: true, within, ...(ends.length === 0 ? {} : { end: bare(ends[0] ?? null) }) };
}

/** `.expect(200)` asks for the status, `.expect('Name', x)` for a header, `.expect(x)` for what was sent back. */
function requested(args: readonly Node[], subject: Node): readonly Draft[] {
  const [head = null, ...more] = args;
  const value = bare(head)?.['value'];
  const draft = (suffix: string, expected: readonly Node[]): Draft => {
    const kind = isPattern(expected[0] ?? null) ? 'match' : 'equal';
    return { kind, subject, suffix, expected, constant: null, matcher: 'expect', delta: null };
  };
  if (typeof value === 'string' && more.length > 0) return [draft(`.headers${memberText(value.toLowerCase())}`, more.slice(0, 1))];
  const body = (node: Node) => draft(isObject(node) ? '.body' : '.text', [node]);
  if (typeof value !== 'number') return head === null ? [] : [isLiteral(bare(head)) || isObject(head) ? body(head) : draft('', [head])];
  return [draft('.status', [head as Node]), ...more.map(body)];
}

function isObject(node: Node): boolean {
  return /^(Object|Array)Expression$/.test(bare(node)?.type ?? '');
}

function memberText(key: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$.[\]]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function isPattern(node: Node | null): boolean {
  const inner = bare(node);
  return isLiteral(inner) && inner['regex'] !== undefined && inner['regex'] !== null;
}

function typeCheck(name: string, root: Node, links: readonly Link[], env: Env): Parsed | null {
  if (links.length === 0 && name !== 'assertType') return null;
  return { ...NOTHING, drafts: [typeDraft(root, links, env.module.tree.text)] };
}

function fromAssert(method: string, args: readonly Node[], strict = true, ofNode = false): Parsed | null {
  if (method === 'fail') return { ...NOTHING, fails: true };
  const [subject = null, second] = args;
  if (method === 'property' || method === 'propertyVal' || method === 'deepPropertyVal' || method === 'nestedProperty') {
    const suffix = second === undefined ? '' : `.${String(bare(second)?.['value'] ?? '')}`;
    const expected = args.slice(2, 3);
    const kind = expected.length > 0 ? 'equal' : 'exists';
    return { ...NOTHING, drafts: [{ kind, subject, suffix, expected, constant: null, matcher: method, delta: null }] };
  }
  const matcher = ASSERT_METHODS.get(method);
  if (matcher === undefined) {
    if (args.length === 0) return null;
    const draft: Draft = { kind: 'custom', subject, suffix: '', expected: args.slice(1), constant: null, matcher: method, delta: null };
    return { ...NOTHING, drafts: [draft] };
  }
  const described = ofNode && /^(throws|rejects)$/.test(method) ? args.slice(1, 2) : args.slice(1);
  const draft = draftOf(matcher, method, subject, '', described);
  const asynchronous = /^(rejects|doesNotReject|isRejected|isFulfilled)$/.test(method);
  const loose = (!strict && /^(equal|deepEqual|notEqual|notDeepEqual)$/.test(method)) || /^called\w*Match$/.test(method);
  return { ...NOTHING, drafts: [loose ? { ...draft, loose } : draft], asynchronous, ...functionsOf(draft, subject) };
}

function functionsOf(draft: Draft, subject: Node | null): { readonly within: readonly Node[]; readonly mustThrow: readonly Node[] } {
  const called = functionIn(subject);
  return {
    within: [...draft.expected.filter((node) => isFunction(bare(node))), ...(draft.kind !== 'throws' && called !== null ? [called] : [])],
    mustThrow: draft.kind === 'throws' && subject !== null ? [subject] : [],
  };
}

function functionIn(node: Node | null): Node | null {
  const inner = bare(node);
  return isFunction(inner) ? inner : null;
}

function draftOf(matcher: Matcher, name: string, subject: Node | null, suffix: string, args: readonly Node[]): Draft {
  const { kind, wants } = matcher;
  const listed = /Nth/.test(name) || name === 'nthCalledWith' ? args.slice(1) : args;
  const expected = wants === 'value' ? args.slice(0, 1) : wants === 'list' ? listed : [];
  const constant = wants !== null && typeof wants === 'object' ? wants.constant : null;
  const delta = kind === 'close' ? (args[1] ?? null) : null;
  return {
    kind,
    subject: kind === 'throws' || kind === 'silent' ? calledBy(subject) : subject,
    suffix,
    expected,
    constant,
    matcher: name,
    delta,
  };
}

/** Of `() => f(x)` the call in it: that is what must throw. */
function calledBy(subject: Node | null): Node | null {
  const inner = bare(subject);
  return isFunction(inner) ? (soleExpression(at(inner, 'body')) ?? inner) : subject;
}

const WORDS: ReadonlySet<string> = new Set(
  'to be been is that which and has have with at of same but does still also deep nested own any all itself a_ should'.split(' '),
);

/** What stands after `expect(x)`: flags, then one matcher or several. */
function parseChain(start: Node | null, links: readonly Link[], polled: boolean): Parsed | null {
  const drafts: Draft[] = [];
  let subject = polled ? calledBy(start) : start;
  let suffix = '';
  let not = false;
  let rejects = false;
  let ordered = false;
  let partial = false;
  let asynchronous = polled;
  for (const [index, link] of links.entries()) {
    if (link.name === 'not') not = !not;
    else if (link.name === 'resolves' || link.name === 'eventually') asynchronous = true;
    else if (link.name === 'rejects') [rejects, asynchronous] = [true, true];
    else if (link.name === 'ordered') ordered = true;
    else if (link.args === null && /^(length|lengthOf|sizeOf)$/.test(link.name)) suffix += '.length';
    else if (link.args === null && /^(includes?|contains?|any)$/.test(link.name)) partial = true;
    else if (link.name === 'toHaveProperty' || (link.name === 'property' && link.args !== null)) {
      const [key, wanted] = link.args ?? [];
      suffix += memberText(String(bare(key ?? null)?.['value'] ?? ''));
      if (not && wanted === undefined)
        drafts.push({ kind: 'equal', subject, suffix, expected: [], constant: 'undefined', matcher: link.name, delta: null });
      else if (not)
        drafts.push({ kind: 'differs', subject, suffix, expected: [wanted as Node], constant: null, matcher: link.name, delta: null });
      else if (wanted !== undefined) drafts.push(draftOf(MATCHERS.get('equal') as Matcher, 'equal', subject, suffix, [wanted]));
      else if (index === links.length - 1) drafts.push(draftOf(MATCHERS.get('exist') as Matcher, 'exist', subject, suffix, []));
    } else if (!WORDS.has(link.name) || (link.name === 'any' && link.args !== null)) {
      const draft = matcherDraft(link, subject, suffix, { not, rejects, ordered, partial });
      if (draft === null) continue;
      drafts.push(draft);
      if (/^(rejected|rejectedWith|fulfilled|become|toPass)$/.test(link.name)) asynchronous = true;
    }
  }
  if (drafts.length === 0) return null;
  const functions = drafts.map((draft) => functionsOf(draft, start));
  return {
    ...NOTHING,
    drafts,
    asynchronous,
    within: functions.flatMap((one) => one.within),
    mustThrow: functions.flatMap((one) => one.mustThrow),
  };
}

interface Flags {
  readonly not: boolean;
  readonly rejects: boolean;
  readonly ordered: boolean;
  readonly partial: boolean;
}

function matcherDraft(link: Link, subject: Node | null, suffix: string, flags: Flags): Draft | null {
  const args = link.args ?? [];
  const matcher = MATCHERS.get(link.name);
  if (link.args !== null && link.name === 'length') return draftOf(MATCHERS.get('lengthOf') as Matcher, 'lengthOf', subject, suffix, args);
  if (link.args === null && (matcher === undefined || matcher.wants === 'value' || /^to[A-Z]/.test(link.name))) return null;
  const [first] = args;
  if (/^(toSatisfy|satisfy|satisfies)$/.test(link.name) && first !== undefined && subject !== null && suffix === '' && !flags.rejects) {
    const call: Node = { type: 'CallExpression', start: link.call.start, end: link.call.end, callee: first, arguments: [subject] };
    return { ...draftOf(MATCHERS.get('equal') as Matcher, 'equal', call, '', []), constant: String(!flags.not) };
  }
  const state = STATES.get(link.name);
  if (state !== undefined && !flags.rejects) {
    const draft = draftOf(MATCHERS.get('equal') as Matcher, 'equal', subject, suffix + state.property, args);
    if (state.value !== null) return { ...draft, expected: [], constant: String(state.value !== flags.not) };
    return flags.not ? fold(draft) : draft;
  }
  const known: Matcher = matcher ?? { kind: 'custom', wants: 'list' };
  const plain = draftOf(known, link.name, subject, suffix, args);
  const sets = plain.kind === 'close' && /^(keys?|members)$/.test(link.name);
  const exact =
    sets && (flags.ordered || flags.partial)
      ? { ...plain, kind: flags.partial ? ('contain' as const) : ('equal' as const), delta: null }
      : plain;
  const loosened = link.name.endsWith('Match') && exact.kind === 'calledWith' ? { ...exact, loose: true } : exact;
  const folded = flags.not ? fold(loosened) : loosened;
  if (!flags.rejects || folded.kind === 'throws') return folded;
  if (folded.kind === 'exists' || folded.kind === 'truthy') return { ...folded, kind: 'throws', expected: [], constant: null };
  return { ...folded, kind: 'throws', constant: folded.constant ?? folded.kind };
}

function fold(draft: Draft): Draft {
  const folded = negated(draft.kind, draft.constant ?? constantOf(draft.expected[0] ?? null));
  const keeps = ['differs', 'lacks', 'custom', 'range', 'throws'].includes(folded.kind);
  return {
    ...draft,
    kind: folded.kind,
    constant: folded.constant ?? (keeps ? draft.constant : null),
    expected: keeps ? draft.expected : [],
    delta: null,
    matcher: `not ${draft.matcher}`,
  };
}

function constantOf(node: Node | null): string | null {
  const inner = bare(node);
  if (inner?.type === 'Identifier') return textAt(inner, 'name');
  return isLiteral(inner) && inner['value'] === null ? 'null' : null;
}

export function rangeOperator(matcher: string): '<' | '<=' | '>' | '>=' | null {
  const flipped: Readonly<Record<string, '<' | '<=' | '>' | '>='>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
  if (!matcher.startsWith('not ')) return operatorOf(matcher);
  const operator = operatorOf(matcher.slice(4));
  return operator === null ? null : (flipped[operator] ?? null);
}
