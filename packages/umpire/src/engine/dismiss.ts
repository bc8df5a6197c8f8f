// `umpire dismiss`: records that a person dismisses a finding. It takes effect with the next verdict; nothing runs here.

import { currentQuestion, answersIn } from '@umpire/core/decider/question.js';
import type { FindingRuled } from '@umpire/core/decider/events.js';
import type { AnswerVia } from '@umpire/core/model/questions.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { dismissFinding, openFindings } from '@umpire/core/decider/rulings.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import { refuseInsideTask } from '../agents/guardian.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { openJournal } from '../sessions/journal-writer.js';
import { acquireLock } from '../sessions/lock.js';
import { openFolder, removeTemporaryFiles } from '../sessions/session-folder.js';
import { requireStarted } from './opened-session.js';
import { elapsedMs } from '../sessions/environment.js';

export interface DismissParameters {
  /** The session's folder. */
  readonly session: string;
  /** The fingerprint of an open finding, at least six characters of it, or its `file:line`. */
  readonly finding: string;
  readonly reason: string;
  readonly who?: string;
  /** Where the person is. Default: a program speaks for them. */
  readonly via?: AnswerVia;
  /** How the finding was dismissed. Default: `dismiss`. */
  readonly by?: string;
  readonly now?: () => Date;
  /** Returns the name that commands in the current folder accept for a session. Default: its path. */
  readonly wordOf?: (session: string) => string;
}

export interface Dismissed {
  readonly session: string;
  readonly finding: Finding;
  /** Critical and High findings that are still open. */
  readonly blocking: number;
  /** Next steps, with the commands. Empty while other findings block, or while nothing waits for a person. */
  readonly next: readonly { readonly what: string; readonly command: string }[];
}

const LOCK_WAIT_MS = 1000;

/** Throws if the word names no open finding, if the finding cannot be dismissed, or while another process holds the session. */
export async function dismiss(request: DismissParameters): Promise<Dismissed> {
  refuseInsideTask('dismiss a finding');
  requireStarted(request.session);
  const { finding, reason, who, via = 'library', by = 'dismiss', now = () => new Date(), wordOf } = request;
  const folder = openFolder(request.session);
  const lock = await acquireLock(folder, LOCK_WAIT_MS);
  try {
    removeTemporaryFiles(folder);
    const journal = openJournal(folder, { now, elapsedMs }, () => undefined);
    try {
      const event = dismissFinding(journal.state, folder.name, { finding, reason, by, via, ...(who === undefined ? {} : { who }) });
      journal.record(event);
      journal.flush();
      return { session: folder.root, ...describeDismissal(journal.state, event.data, wordOf?.(folder.root) ?? folder.root) };
    } finally {
      journal.close();
    }
  } finally {
    lock.release();
  }
}

/** `session`: as commands name it. */
export function describeDismissal(
  state: SessionState,
  { finding, verdict }: Pick<FindingRuled, 'finding' | 'verdict'>,
  session: string,
): Omit<Dismissed, 'session'> {
  const blocking = openFindings(state).filter(({ finding: { severity } }) => severity === 'critical' || severity === 'high').length;
  return { finding, blocking, next: blocking === 0 ? stepsAfter(state, verdict, quoteWord(session)) : [] };
}

/** No Critical or High finding is open any more: how the session goes on. */
function stepsAfter(state: SessionState, seq: number, word: string): Dismissed['next'] {
  const { run } = state;
  if (run === null) {
    const ruled = [...state.verdicts.values()].flat().find((past) => past.seq === seq);
    if (ruled?.verdict.outcome !== 'escalate') return [];
    return [{ what: 'Judge it again', command: `umpire decide ${quoteWord(ruled.verdict.loop)} ${word}` }];
  }
  const question = currentQuestion(run);
  if (question?.kind !== 'escalation') return [];
  const approval = { what: 'Or approve it as it is', command: `umpire resolve ${word} force-approve --reason "why"` };
  return [
    { what: 'Judge it again', command: `umpire resolve ${word} extend --rounds 1` },
    ...(answersIn(run, question).includes('force-approve') ? [approval] : []),
  ];
}
