// Checks before a run whether a program can be started, with the same lookup as the system.

import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { isFile, statOf } from '../sessions/file-system.js';
import { inheritedVariables, USUAL_PATH } from '../sessions/environment.js';
import { lineOf } from '../views/safe-text.js';
import type { ProgramSpec } from './program-agent.js';
import { splitWords } from '@umpire/core/formats/shell-text.js';
import { UmpireError } from '@umpire/core/model/errors.js';

type Findable = Pick<ProgramSpec, 'argv' | 'base' | 'env'>;

/** The path of a program that can be started, or the reason why none can, as the end of a sentence. */
export type ProgramLookup = { readonly place: string } | { readonly why: string };

/** The reason as the end of a sentence; null where it can be started. */
export function explainUnstartable(spec: Findable, from: string): string | null {
  const found = lookUpProgram(spec, from);
  return 'why' in found ? found.why : null;
}

/** `from`: the base of relative folders in the PATH. */
export function lookUpProgram({ argv, base = process.cwd(), env = {} }: Findable, from: string): ProgramLookup {
  const program = argv[0] ?? '';
  const isPath = program.includes('/');
  const folders = ({ ...inheritedVariables(), ...env }['PATH'] ?? USUAL_PATH).split(delimiter);
  const places = isPath ? [resolve(base, program)] : folders.map((folder) => resolve(from, folder, program));
  const looked = places.map((place) => ({ place, fault: faultAt(place) }));
  const startable = looked.find(({ fault }) => fault === null);
  if (startable !== undefined) return { place: startable.place };
  const shut = looked.find(({ fault }) => fault === 'shut');
  if (shut !== undefined) return { why: `${quotePlace(shut.place)} is not executable` };
  return { why: isPath ? `no program at ${quotePlace(places[0] ?? '')}` : `no program ${quotePlace(program)} on the PATH` };
}

/** `shut`: not executable by its permissions, or a folder. */
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

function quotePlace(text: string): string {
  return JSON.stringify(lineOf(text, 200));
}

// Splits a command such as `--agent-command "CMD ARGS"` into words. No shell runs it.

/** Throws `agent-command-invalid` for an unclosed quote or an empty command. */
export function splitCommand(text: string): readonly string[] {
  const split = splitWords(text);
  if ('words' in split && (split.words[0] ?? '') !== '' && !text.includes('\0')) return split.words;
  const empty = text.includes('\0') ? 'it holds a zero byte' : 'it names no program';
  throw new UmpireError('agent-command-invalid', { command: text, detail: 'problem' in split ? split.problem : empty });
}
