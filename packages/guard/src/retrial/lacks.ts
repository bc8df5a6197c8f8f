// What a test says when it lacks a name or a file, and whether the change took it away.

import type { Change, FileChange } from '../change.js';
import { roleOf } from '../project/paths.js';
import { judgeText, sourceText } from './judges.js';

/** What runners, compilers and interpreters say of a name or file that is not there. */
const LACKS =
  /is not a (?:function|constructor)|is not defined|not provide an export|cannot find|can't find|could not find|not found|no such|cannot import|no module|has no attribute|has no member|unexpected keyword|positional argument|undefined|unresolved|unknown|does not exist|doesn't exist|uninitialized constant|no member named|cannot be resolved|failed to resolve|not in scope|undeclared/i;

/** Does the message say that a name or a file is not there? */
export function lacksAnything(message: string): boolean {
  return LACKS.test(message);
}

/** `message`: of one test, or all that was printed. Each line is read by itself. */
export function lacksWhatIsGone(message: string, change: Change): boolean {
  const lines = message.split('\n').filter((line) => LACKS.test(line));
  if (lines.length === 0) return false;
  const gone = goneNames(change);
  return lines.some((line) => findDeclaredNames(line).some((name) => gone.has(name)));
}

/** A tool that asks for a setting by its name. */
const ADVISES = /\b(?:consider|try) (?:using|setting|adding|enabling)\b|\benable the\b|\b(?:must|needs? to|have to) (?:set|enable|use)\b/i;

const OPTION = /['"`-]([\p{L}_$][\p{L}\p{N}_$]{2,})/gu;

/** Did the tool itself ask for a setting that the change brings? */
export function asksForSetting(message: string, change: Change): boolean {
  const added = new Set(difference(change.files, judgeText, 'after', 'before'));
  return message.split('\n').some((line) => ADVISES.test(line) && [...line.matchAll(OPTION)].some(([, name = '']) => added.has(name)));
}

/** Names that the source no longer has, and names that only the new judges have: new code may use them. */
export function goneNames(change: Change): ReadonlySet<string> {
  const gone = known.get(change) ?? collectGone(change);
  known.set(change, gone);
  return gone;
}

const known = new WeakMap<Change, ReadonlySet<string>>();

function collectGone({ files }: Change): ReadonlySet<string> {
  const source = files.filter(({ path }) => roleOf(path) === 'source');
  return new Set([...difference(source, sourceText, 'before', 'after'), ...difference(files, judgeText, 'after', 'before')]);
}

/** Names in one version of the files that are not in the other. A file's own name counts too. */
function difference(
  files: readonly FileChange[],
  half: (path: string, text: string | null) => string | null,
  one: 'before' | 'after',
  other: 'before' | 'after',
): readonly string[] {
  const collectNames = (side: 'before' | 'after') =>
    files.flatMap((file) => {
      const path = side === 'before' ? (file.renamedFrom ?? file.path) : file.path;
      const text = half(path, file[side]);
      if (text === null) return [];
      const stem = path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
      return [...findDeclaredNames(text), ...findDeclaredNames(stem)];
    });
  const left = new Set(collectNames(other));
  return collectNames(one).filter((name) => !left.has(name));
}

function findDeclaredNames(text: string): readonly string[] {
  return text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
}
