// `umpire decide`: flags in, a verdict out.

import { parseArgs } from 'node:util';
import type { Verdict } from '../model.js';
import { UmpireError } from '../errors.js';
import { decide } from '../engine.js';
import { verdictJson } from '../report/verdict-json.js';
import { HELP } from './help.js';
import type { Outcome } from './outcome.js';

const EXIT: Readonly<Record<Verdict['outcome'], number>> = { converge: 0, accept: 0, revise: 3, escalate: 4 };

const OPTIONS = {
  round: { type: 'string' },
  'max-rounds': { type: 'string' },
  layer: { type: 'string' },
  'deadline-ms': { type: 'string' },
  strict: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function runDecide(args: readonly string[]): Promise<Outcome> {
  const { values, positionals } = parse(args);
  if (values.help === true) return { stdout: HELP.decide, exit: 0 };
  const [loop, session, ...extra] = positionals;
  if (loop === undefined || session === undefined) throw usage('`umpire decide` needs a loop and a session folder');
  if (extra.length > 0) throw usage(`"${extra[0] ?? ''}" is one word too many`);
  const { verdict, report, repeated } = await decide({
    loop,
    session,
    startedAt: 0,
    ...number('round', values.round),
    ...number('maxRounds', values['max-rounds']),
    ...number('deadlineMs', values['deadline-ms']),
    ...(values.layer === undefined ? {} : { layer: values.layer }),
    ...(values.strict === undefined ? {} : { strict: values.strict }),
    ...(values['dry-run'] === undefined ? {} : { dryRun: values['dry-run'] }),
  });
  const exit = verdict.status === 'partial' ? 5 : EXIT[verdict.outcome];
  const stdout = values.json === true ? `${JSON.stringify(verdictJson(verdict))}\n` : report;
  return { stdout, stderr: headline(verdict, repeated, values['dry-run'] === true), exit };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage((error as Error).message.split('. ')[0] ?? 'the flags are not known');
  }
}

function number<Name extends 'round' | 'maxRounds' | 'deadlineMs'>(name: Name, text: string | undefined): Partial<Record<Name, number>> {
  if (text === undefined) return {};
  const flag = { round: '--round', maxRounds: '--max-rounds', deadlineMs: '--deadline-ms' }[name];
  if (!/^\d{1,9}$/.test(text)) throw usage(`${flag} takes a whole number, not "${text.slice(0, 40)}"`);
  return { [name]: Number(text) } as Record<Name, number>;
}

function usage(detail: string): UmpireError {
  return new UmpireError('usage', { detail: `${detail.replace(/\.$/, '')}.`, command: 'decide' });
}

/** Two lines for the person who watches: what was decided and why, and what comes next. */
function headline(verdict: Verdict, repeated: boolean, dryRun: boolean): string {
  const marks = [verdict.status === 'partial' ? 'partial' : '', verdict.unverified ? 'unverified' : '', repeated ? 'judged before, nothing written' : '', dryRun ? 'dry run, nothing written' : ''].filter((mark) => mark !== '');
  const mark = marks.length === 0 ? '' : ` (${marks.join('; ')})`;
  return `${verdict.loop}: ${verdict.decision}${mark}, round ${verdict.round} of ${verdict.maxRounds}, rule ${verdict.rule}. ${verdict.reason}\nNext: ${verdict.nextStep}\n`;
}
