// `umpire critique`: runs the critic of a loop. The output of tools goes to stderr, the result to stdout.

import { relative } from 'node:path';
import { critique, tryCritic } from '../../engine/critique.js';
import { critiquePage } from '../../views/critique-page.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import { isFile } from '../../sessions/file-system.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import type { Output } from './output.js';
import { trustQuestion } from './terminal-questions.js';

const FLAGS: FlagKinds = {
  '--project': 'value',
  '--session': 'value',
  '--industry': 'value',
  '--base': 'value',
  '--layer': 'value',
  '--json': 'switch',
  '--quiet': 'switch',
  '--dry-run': 'switch',
  '--help': 'switch',
};

const EXIT: Readonly<Record<CheckOutcome, number>> = { pass: 0, fail: 3, error: 1, missing: 1, timeout: 1 };

export async function runCritique(args: readonly string[], { write, writeProgress }: Output): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'critique');
  if (parsed.switches.has('--help')) return showHelp('critique');
  const [loop] = parsed.rest;
  if (loop === undefined) throw usage('Missing <loop>, such as testing.', 'critique');
  refuseExtra(parsed, 1, 'critique');
  const industry = parsed.values.get('--industry');
  if (industry !== undefined && industry !== 'standard' && industry !== 'strict')
    throw usage(`--industry takes standard or strict, not "${industry.slice(0, 40)}".`, 'critique');
  const layer = parsed.values.get('--layer');
  if (layer !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(layer))
    throw usage(`--layer takes a name such as L1, not "${layer.slice(0, 40)}".`, 'critique');
  const session = parsed.values.get('--session');
  if (session !== undefined && isFile(session))
    throw usage(`--session takes a folder, and "${session.slice(0, 100)}" is a file.`, 'critique');
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  const isQuiet = parsed.switches.has('--quiet');
  const given = (flag: string, key: string) => (parsed.values.has(flag) ? { [key]: parsed.values.get(flag) } : {});
  if (parsed.switches.has('--dry-run')) {
    const trial = await tryCritic({ loop, ...given('--project', 'project'), signal: stop.signal });
    const { lines, isHopeless, ...shown } = trial;
    const text = lines.length === 0 ? `The critic of ${loop} finds no tool here.` : lines.join('\n');
    return { stdout: parsed.switches.has('--json') ? `${JSON.stringify(shown)}\n` : `${text}\n`, exit: isHopeless ? EXIT.error : 0 };
  }
  const report = await critique({
    loop,
    ...given('--project', 'project'),
    ...given('--session', 'session'),
    ...given('--base', 'base'),
    ...given('--layer', 'layer'),
    ...(industry === undefined ? {} : { industry }),
    signal: stop.signal,
    ...trustQuestion(write),
    onOutput: (chunk) => (isQuiet ? undefined : writeProgress(chunk)),
    onNote: (line) => writeProgress(`umpire: ${line}\n`),
  });
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped. The evidence measured so far is kept.\n', exit: 130 };
  const place = relative(process.cwd(), report.session);
  const shown = { ...report, session: place.startsWith('..') ? report.session : place };
  const stdout = parsed.switches.has('--json') ? `${JSON.stringify(shown)}\n` : critiquePage(shown);
  return { stdout, exit: EXIT[report.outcome] };
}
