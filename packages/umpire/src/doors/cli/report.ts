// `umpire report`: prints a session as Markdown, or as one HTML page. Reads only.

import { writeFileSync } from 'node:fs';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { patchOf } from '../../engine/session-work.js';
import { colorPage } from '../../views/colors.js';
import { sessionPage } from '../../views/session-page.js';
import { faultOf } from '../../sessions/session-folder.js';
import { provenanceIn } from '../../sessions/session-record.js';
import type { SessionRecord } from '../../sessions/session-record.js';
import { LOCAL_CLOCK } from './local-time.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';
import type { Output } from './output.js';
import { readNamedSession, surroundingsOf } from './session-argument.js';

export async function runReport({ session, project, html = false, out }: Given<'report'>, { isColored }: Output): Promise<CommandOutcome> {
  if (out !== undefined && !html) throw usage('--out belongs to --html: umpire report --html --out FILE.', 'report');
  const record = readNamedSession(session, project);
  const extra = {
    ...(await surroundingsOf(record)),
    events: record.events,
    provenance: provenanceIn(record),
    clock: LOCAL_CLOCK,
  };
  const exit = record.brokenAt === null ? 0 : 1;
  if (!html) return { stdout: colorPage('report', sessionPage(record.state, extra), isColored(1)), exit };
  const { htmlReport } = await import('../../views/html-report.js');
  const page = htmlReport(record.state, { ...extra, diff: await diffIn(record) });
  if (out === undefined) return { stdout: page, exit };
  try {
    writeFileSync(out, page);
  } catch (error) {
    throw new UmpireError('write-failed', { path: out, detail: faultOf(error) });
  }
  return { stderr: `Wrote ${out}\n`, exit };
}

/** Null for a session without work of its own. */
async function diffIn({ path, state }: SessionRecord): Promise<{ readonly patch: string } | { readonly problem: string } | null> {
  if (state.run === null || state.run.started.workspace === null) return null;
  try {
    return { patch: (await patchOf(path, undefined, { brief: true })).toString('utf8') };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { problem: error.message };
  }
}
