// The project's own files that a command runs: `node check.js`, `sh scripts/verify.sh`, also behind a script of the package or a Makefile.
// What a command runs judges the work, so the change says which of its files these are.

import { join, posix } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { listCommands, programName } from '@umpire/core/formats/shell-text.js';
import type { Change, FileChange } from '@umpire/guard/change.js';
import { readText } from './project-files.js';
import { listScriptCommands } from './package-scripts.js';

const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|ruby|php|perl|lua|Rscript|(?:ba|z|k|da)?sh|source|\.)$/;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

/** The change, with each file that the command ran at the base marked. `project`: where unchanged files are. */
export function markCommandFiles<Changed extends Change>(change: Changed, command: string, project: string): Changed {
  const before = (path: string): string | null => {
    const file = change.files.find((one) => (one.renamedFrom ?? one.path) === path);
    return file === undefined ? readText(join(project, path)) : file.before;
  };
  const ran = new Set(filesRun(command, before));
  const mark = <File extends FileChange>(file: File): File =>
    file.before !== null && ran.has(file.renamedFrom ?? file.path) ? { ...file, isRun: true } : file;
  return ran.size === 0 ? change : { ...change, files: change.files.map(mark) };
}

/** `read`: a file as it was at the base. */
export function filesRun(command: string, read: (path: string) => string | null): readonly string[] {
  const scripts = readScripts(read('package.json'));
  const follow = (text: string): readonly (readonly string[])[] =>
    listCommands(text).flatMap(({ words }) => listScriptCommands(scripts, { words }).map((one) => one.words));
  const direct = follow(command);
  const isMade = direct.some(([program = '']) => /^g?make$/.test(programName(program)));
  const makefile = isMade ? (MAKEFILES.map(read).find((text) => text !== null) ?? '') : '';
  const recipes = makefile.split('\n').filter((line) => line.startsWith('\t'));
  return [...direct, ...recipes.flatMap((line) => follow(line.trim().replace(/^[@+-]+/, '')))].flatMap(filesOf);
}

function readScripts(manifest: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(manifest ?? '{}');
    const scripts = isObject(value) ? value['scripts'] : null;
    return isObject(scripts) ? scripts : {};
  } catch {
    return {};
  }
}

/** Flags before a file that is loaded first. */
const LOADS = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload)$/;

function filesOf([program = '', ...rest]: readonly string[]): readonly string[] {
  if (!INTERPRETER.test(programName(program))) return program.includes('/') ? [program].flatMap(ownPath) : [];
  const loaded = rest.filter((_, at) => LOADS.test(rest[at - 1] ?? ''));
  const main = rest.find((word, at) => !word.startsWith('-') && word !== 'run' && !LOADS.test(rest[at - 1] ?? ''));
  return [...loaded, ...(main === undefined ? [] : [main])].flatMap(ownPath);
}

function ownPath(word: string): readonly string[] {
  return word.startsWith('/') ? [] : [posix.normalize(word)];
}
