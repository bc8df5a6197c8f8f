// Who speaks of a function that a test defines within itself: one that is handed on, in whatever way, may be called by others.

import type { FunctionStmt, Stmt } from './tree.js';
import { descend, expressionsOf, statementsIn } from './tree.js';
import { put } from '../keyed-lists.js';

const KNOWN = new WeakMap<readonly Stmt[], ReadonlyMap<string, readonly number[]>>();

/** Where each name is read. A name that stands alone as a statement does nothing. */
function placesIn(body: readonly Stmt[]): ReadonlyMap<string, readonly number[]> {
  const known = KNOWN.get(body);
  if (known !== undefined) return known;
  const places = new Map<string, number[]>();
  for (const statement of statementsIn(body, true)) {
    if (statement.type === 'Expression' && statement.value.type === 'Name') continue;
    const decorators = statement.type === 'Function' || statement.type === 'Class' ? statement.decorators : [];
    for (const expression of [...expressionsOf(statement), ...decorators])
      for (const node of descend(expression)) {
        if (node.type !== 'Name') continue;
        put(places, node.name, node.start);
      }
  }
  KNOWN.set(body, places);
  return places;
}

/** The function is spoken of in `body`, outside itself. */
export function isMentioned({ name, start, end }: FunctionStmt, body: readonly Stmt[]): boolean {
  return (
    placesIn(body)
      .get(name)
      ?.some((place) => place < start || place >= end) === true
  );
}
