// Stand-ins: which module or member of one a call replaces.

import type { Source, Value, ValueOf } from '../syntax/nodes.js';
import { dottedName, lastName, positional } from '../syntax/walk.js';
import type { Dialect } from './dialect.js';
import type { Double } from './facts.js';

const MODULE_MOCKS: ReadonlySet<string> = new Set([
  'jest.mock',
  'vi.mock',
  'jest.doMock',
  'vi.doMock',
  'mock.module',
  't.mock.module',
  'jest.unstable_mockModule',
  'proxyquire',
]);

/** What the call replaces; null where it replaces nothing, or only watches. */
export function doubleOf(call: ValueOf<'call'>, source: Source, dialect: Dialect): Double | null {
  const makeDouble = (kind: Double['kind'], target: string): Double => ({ kind, target, source, from: call.from, to: call.to });
  const name = dottedName(call.callee);
  const [first, second, third] = positional(call);
  if (dialect.expects.size > 0) {
    if (MODULE_MOCKS.has(name)) return first?.kind === 'text' ? makeDouble('module', first.value) : null;
    // `jest.spyOn(a, 'b').mockReturnValue(1)`: without the second call it only watches.
    if (/^mock(Return|Resolved|Rejected|Implementation)/.test(lastName(call.callee)) && call.callee.kind === 'member') {
      const spied = call.callee.object;
      if (spied.kind === 'call' && /(^|\.)spyOn$/.test(dottedName(spied.callee))) return spiedOn(positional(spied), makeDouble);
      return null;
    }
    if (name === 'sinon.stub' || name === 'mock.method' || name === 't.mock.method')
      return second === undefined ? null : spiedOn([first as Value, second], makeDouble);
    if (name === 'Object.defineProperty')
      return second?.kind === 'text' && third !== undefined && first !== undefined ? spiedOn([first, second], makeDouble) : null;
    return null;
  }
  if (/(^|\.)patch\.object$/.test(name))
    return first !== undefined && second?.kind === 'text' ? makeDouble('member', `${dottedName(first)}.${second.value}`) : null;
  if (/(^|\.)patch$/.test(name)) return first?.kind === 'text' ? makeDouble('member', first.value) : null;
  if (/(^|\.)setattr$/.test(name)) {
    if (first?.kind === 'text') return makeDouble('member', first.value);
    return first !== undefined && second?.kind === 'text' && dottedName(first) !== ''
      ? makeDouble('member', `${dottedName(first)}.${second.value}`)
      : null;
  }
  return null;
}

function spiedOn([object, member]: readonly Value[], made: (kind: Double['kind'], target: string) => Double): Double | null {
  return object !== undefined && member?.kind === 'text' && dottedName(object) !== ''
    ? made('member', `${dottedName(object)}.${member.value}`)
    : null;
}
