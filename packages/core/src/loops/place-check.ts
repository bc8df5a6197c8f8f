// Can what a fact or a report asks of a piece of evidence ever be there? Most readers have names of their own; what is mistyped would
// always be absent, and nobody would notice.

import { didYouMean } from '../formats/nearest-word.js';
import { READER_LISTS, READER_VALUES } from '../formats/reader-outputs.js';
import type { Block, FactSpec, Loop, Source } from './loop.js';
import type { Complaint } from './loop-texts.js';

type Kind = 'list' | 'value';

export function checkPlaces(loop: Loop): Complaint[] {
  return Object.entries(loop.facts).flatMap(([name, spec]) => {
    const problem = placesOf(spec).flatMap(([kind, dotted]) => strayPlace(loop, kind, dotted) ?? [])[0];
    return problem === undefined ? [] : [{ path: ['facts', name], problem }];
  });
}

/** A list of a report that its evidence never has. */
export function strayList(loop: Loop, { list }: Extract<Block, { list: string }>): string | null {
  return strayPlace(loop, 'list', list);
}

function placesOf(spec: FactSpec): readonly (readonly [Kind, string])[] {
  if ('count' in spec) return [['list', spec.count]];
  const at = 'flag' in spec ? spec.flag : 'at' in spec ? spec.at : [];
  return at.map((dotted) => ['value', dotted]);
}

function strayPlace(loop: Loop, kind: Kind, dotted: string): string | null {
  const dot = dotted.indexOf('.');
  const wanted = dotted.slice(dot + 1);
  const known: string[] = [];
  // Evidence that stands in for itself is complained of elsewhere.
  const seen = new Set<Source>();
  for (
    let source = evidenceAt(loop, dotted.slice(0, dot));
    source !== undefined && !seen.has(source);
    source = evidenceAt(loop, source.else)
  ) {
    seen.add(source);
    const names = namesOf(loop, kind, source);
    if (names === undefined || names.includes(wanted)) return null;
    known.push(...names);
  }
  if (dot < 1) return null;
  const there = known.length === 0 ? 'it has none' : `it has ${[...new Set(known)].join(', ')}`;
  const slip = didYouMean(wanted, known);
  const isRow = kind === 'value' && [...seen].some((source) => 'row' in source);
  const mend = slip !== '' ? `.${slip}` : isRow ? '. Values of the row are the columns under columns.out' : '';
  return `"${dotted.slice(0, dot)}" has no ${kind} "${wanted}"; ${there}${mend}`;
}

function evidenceAt({ evidence }: Loop, name = ''): Source | undefined {
  return Object.hasOwn(evidence, name) ? evidence[name] : undefined;
}

/** Undefined: whatever the evidence says. */
function namesOf(loop: Loop, kind: Kind, source: Source): readonly string[] | undefined {
  if ('row' in source) return kind === 'list' ? [] : loop.columns.out;
  const yields = kind === 'list' ? READER_LISTS : READER_VALUES;
  return Object.hasOwn(yields, source.reader) ? yields[source.reader] : undefined;
}
