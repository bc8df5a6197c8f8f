// Whether a program could be started, looked up as the system does it: asked before a run, so that nothing is begun that cannot go on.

import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { isFile, statOf } from '../sessions/entry.js';
import { surroundings } from '../sessions/environment.js';
import { showLine } from './hidden-text.js';
import type { ProgramSpec } from './program.js';

/** Where the system looks when there is no PATH at all. */
const USUAL_PATH = '/bin:/usr/bin';

type Findable = Pick<ProgramSpec, 'argv' | 'base' | 'env'>;

/** Where a program lies that can be started; or why none can, as the end of a sentence. */
export type Lookup = { readonly place: string } | { readonly why: string };

/** Why it cannot be started, as the end of a sentence; null where it can. */
export function whyUnstartable(spec: Findable, from: string): string | null {
  const found = lookUpProgram(spec, from);
  return 'why' in found ? found.why : null;
}

/** `from`: what relative folders of the PATH are taken from. */
export function lookUpProgram({ argv, base = process.cwd(), env = {} }: Findable, from: string): Lookup {
  const program = argv[0] ?? '';
  const isPath = program.includes('/');
  const folders = ({ ...surroundings(), ...env }['PATH'] ?? USUAL_PATH).split(delimiter);
  const places = isPath ? [resolve(base, program)] : folders.map((folder) => resolve(from, folder, program));
  const looked = places.map((place) => ({ place, fault: faultAt(place) }));
  const startable = looked.find(({ fault }) => fault === null);
  if (startable !== undefined) return { place: startable.place };
  const shut = looked.find(({ fault }) => fault === 'shut');
  if (shut !== undefined) return { why: `${quoted(shut.place)} may not be executed` };
  return { why: isPath ? `there is no program at ${quoted(places[0] ?? '')}` : `there is no program ${quoted(program)} on the PATH` };
}

/** Nothing is there, or it may not be executed: by its permissions, or since it is a folder. */
function faultAt(place: string): 'missing' | 'shut' | null {
  try {
    if (statOf(place) === undefined) return 'missing';
    if (!isFile(place)) return 'shut';
    accessSync(place, constants.X_OK);
    return null;
  } catch {
    return 'shut';
  }
}

function quoted(text: string): string {
  return JSON.stringify(showLine(text, 200));
}
