// `umpire critique`: runs a loop's critic alone. What tools print goes to stderr while they run; what came of it to stdout.

import { relative } from 'node:path';
import { critique } from '../commands/critique.js';
import { critiquePage } from '../report/critique-page.js';
import type { CheckOutcome } from '@umpire/core/model.js';
import { isFile } from '../sessions/entry.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { Outcome } from './outcome.js';
import type { Output } from './output.js';
import { RUN_HELP } from './run-help.js';

const FLAGS: FlagKinds = {
  '--project': 'value',
  '--session': 'value',
  '--industry': 'value',
  '--base': 'value',
  '--layer': 'value',
  '--json': 'switch',
  '--quiet': 'switch',
  '--help': 'switch',
};

const EXIT: Readonly<Record<CheckOutcome, number>> = { pass: 0, fail: 3, error: 1, missing: 1, timeout: 1 };

export async function runCritique(args: readonly string[], { writeProgress }: Output): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'critique');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.critique, exit: 0 };
  const [loop, extra] = words.rest;
  if (loop === undefined) throw usage('It needs a loop, such as testing.', 'critique');
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, 'critique');
  const industry = words.values.get('--industry');
  if (industry !== undefined && industry !== 'standard' && industry !== 'strict')
    throw usage(`--industry takes standard or strict, not "${industry.slice(0, 40)}".`, 'critique');
  const layer = words.values.get('--layer');
  if (layer !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(layer))
    throw usage(`--layer takes a name such as L1, not "${layer.slice(0, 40)}".`, 'critique');
  const session = words.values.get('--session');
  if (session !== undefined && isFile(session))
    throw usage(`--session takes a folder, and "${session.slice(0, 100)}" is a file.`, 'critique');
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  const isQuiet = words.switches.has('--quiet');
  const given = (flag: string, key: string) => (words.values.has(flag) ? { [key]: words.values.get(flag) } : {});
  const report = await critique({
    loop,
    ...given('--project', 'project'),
    ...given('--session', 'session'),
    ...given('--base', 'base'),
    ...given('--layer', 'layer'),
    ...(industry === undefined ? {} : { industry }),
    signal: stop.signal,
    onOutput: (chunk) => (isQuiet ? undefined : writeProgress(chunk)),
    onNote: (line) => writeProgress(Buffer.from(`umpire: ${line}\n`)),
  });
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped. What had been measured so far was left as it is.\n', exit: 130 };
  const place = relative(process.cwd(), report.session);
  const shown = { ...report, session: place.startsWith('..') ? report.session : place };
  const stdout = words.switches.has('--json') ? `${JSON.stringify(shown)}\n` : critiquePage(shown);
  return { stdout, exit: EXIT[report.outcome] };
}
