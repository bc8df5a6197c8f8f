// New lines of source that end the process, or run when it ends. Where no test has a name, the exit status is all that is known, and such a
// line sets it.

import type { Change } from '../change.js';
import { sourceText } from './judges.js';

const ENDS =
  /\b(?:_exit|_Exit|quick_exit|exit!?|die|abort|halt)\s*\(|\b(?:exit!|at_exit|atexit|on_exit|register_shutdown_function)\b|\bprocess\.(?:exit|exitCode|reallyExit|kill|on\(\s*['"](?:exit|beforeExit))|\b(?:os|syscall|process|sys|Kernel|Process|System|Runtime|posix)(?:\.|::)_?(?:exit|Exit|abort|halt)\b|__attribute__\s*\(\(\s*(?:destructor|constructor)|\btrap\b[^\n]*\b(?:EXIT|0)\b|^\s*(?:exit|return)\s+0\s*$/;

/** As `file:line`. */
export function findProcessEnds({ files }: Change): readonly string[] {
  return files.flatMap(({ path, before, after, renamedFrom = path }) => {
    const known = new Set((sourceText(renamedFrom, before) ?? '').split('\n').map((line) => line.trim()));
    const lines = (sourceText(path, after) ?? '').split('\n');
    return lines.flatMap((line, at) => (ENDS.test(line) && !known.has(line.trim()) ? [`${path}:${at + 1}`] : []));
  });
}
