// `umpire critique`: runs the critic of a loop. The output of tools goes to stderr, the result to stdout.

import { relative } from 'node:path';
import { critique, tryCritic } from '../../engine/critique.js';
import { critiquePage } from '../../views/critique-page.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import { isFile } from '../../sessions/file-system.js';
import { usage } from './arguments.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { trustQuestion } from './terminal-questions.js';

const EXIT: Readonly<Record<CheckOutcome, number>> = { pass: 0, fail: 3, error: 1, missing: 1, timeout: 1 };

export async function runCritique(
  { json = false, quiet = false, dryRun = false, ...request }: Given<'critique'>,
  { write, writeProgress }: Output,
): Promise<CommandOutcome> {
  const { loop, layer, session } = request;
  if (layer !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(layer))
    throw usage(`--layer takes a name such as L1, not "${layer.slice(0, 40)}".`, 'critique');
  if (session !== undefined && isFile(session))
    throw usage(`--session takes a folder, and "${session.slice(0, 100)}" is a file.`, 'critique');
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  if (dryRun) {
    const trial = await tryCritic({ ...request, signal: stop.signal });
    const { lines, isHopeless, isBlind: _, ...shown } = trial;
    const text = lines.length === 0 ? `The critic of ${loop} finds no tool here.` : lines.join('\n');
    return { stdout: json ? `${JSON.stringify(shown)}\n` : `${text}\n`, exit: isHopeless ? EXIT.error : 0 };
  }
  const report = await critique({
    ...request,
    signal: stop.signal,
    ...trustQuestion(write),
    onOutput: (chunk) => (quiet ? undefined : writeProgress(chunk)),
    onNote: (line) => writeProgress(`umpire: ${line}\n`),
  });
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped. The evidence measured so far is kept.\n', exit: 130 };
  const place = relative(process.cwd(), report.session);
  const shown = { ...report, session: place.startsWith('..') ? report.session : place };
  const stdout = json ? `${JSON.stringify(shown)}\n` : critiquePage(shown);
  return { stdout, exit: EXIT[report.outcome] };
}
