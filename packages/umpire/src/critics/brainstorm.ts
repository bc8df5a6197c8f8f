// The critic of the brainstorm loop: counts the challenges on the board by severity and dimension, and names ideas that nobody
// challenged. It cannot judge whether an idea is good.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { coverChallenges, ideasInPage } from '@umpire/core/formats/challenge-coverage.js';
import type { ChallengedIdea } from '@umpire/core/formats/challenge-coverage.js';
import { readCritiqueEntries } from '@umpire/core/formats/critique.js';
import { entriesOfRound, printDiscovery, roundStated } from '@umpire/core/formats/discoveries.js';
import { NO_COUNTS } from '@umpire/core/formats/severity.js';
import type { CheckOutcome, Counts, Discovery } from '@umpire/core/model/vocabulary.js';
import { readBoard } from '../sessions/board.js';
import { openFolder } from '../sessions/session-folder.js';
import { leave, unmeasured } from './critic.js';
import type { Critic } from './critic.js';
import { provenanceOf, readJudgedContent } from './provenance.js';

export const CHALLENGES = 'results/challenges.json';
const IDEAS = 'artifacts/ideas';
const MOST_PAGES = 200;
const PAGE_BYTES = 1024 * 1024;

export const brainstormCritic: Critic = async (job) => {
  const started = job.now();
  const folder = openFolder(job.session);
  const board = readBoard(folder, new Set(['critique', 'idea']), () => false);
  if (board.state === 'unreadable') return unmeasured('error', `The board, discoveries.ndjson, cannot be read: ${board.problem ?? ''}.`);
  const stated = roundStated(job.row);
  // As the loop itself picks them, save that a challenger at work beside this one is not known here by its name.
  const critiques = entriesOfRound(
    board.scan.entries.filter(({ type }) => type === 'critique'),
    new Set([job.row['id'] ?? '']),
    Number.isNaN(stated) ? (job.round ?? Number.NaN) : stated,
  );
  if (critiques.length === 0) return unmeasured('missing', 'No critique on the board: the challenger wrote none to discoveries.ndjson.');
  const { counts, notes } = countCritiques(critiques);
  const ideas = coverChallenges(pagesOf(job.session).flatMap(ideasInPage), [
    ...board.scan.entries.filter(({ type }) => type === 'idea'),
    ...critiques,
  ]);
  const gaps = ideas.filter(({ missing }) => missing.length > 0);
  const outcome: CheckOutcome = gaps.length > 0 || counts.critical + counts.high > 0 ? 'fail' : 'pass';
  const provenance = provenanceOf(job, await readJudgedContent(job), started, []);
  const page = { outcome, critiques: critiques.length, counts, ideas, round: job.row['gc_round'] ?? null, provenance };
  leave(job, CHALLENGES, `${JSON.stringify(page, null, 2)}\n`);
  return {
    outcome,
    summary: describeChallenges(critiques.length, counts, gaps, ideas.length),
    outputs: { severity_summary: summed(counts), gc_signal: counts.critical + counts.high > 0 ? 'REVISION_NEEDED' : 'CONVERGED' },
    files: [CHALLENGES],
    notes: [...gaps.map(gapWords), ...notes],
  };
};

function countCritiques(critiques: readonly Discovery[]): { readonly counts: Counts; readonly notes: readonly string[] } {
  const read = readCritiqueEntries(critiques.map(printDiscovery).join(''), { path: 'discoveries.ndjson' });
  return read.ok
    ? { counts: read.reading.counts ?? NO_COUNTS, notes: read.reading.notes }
    : { counts: NO_COUNTS, notes: [read.unreadable.problem] };
}

/** The pages of ideas; none where there are none. */
function pagesOf(session: string): readonly string[] {
  const folder = join(session, IDEAS);
  try {
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
    return names.slice(0, MOST_PAGES).map(({ name }) => readFileSync(join(folder, name), 'utf8').slice(0, PAGE_BYTES));
  } catch {
    return [];
  }
}

function gapWords({ idea, missing }: ChallengedIdea): string {
  return `${idea} was not challenged for ${missing.join(', ')}.`;
}

function summed({ critical, high, medium, low }: Counts): string {
  return `CRITICAL:${critical} HIGH:${high} MEDIUM:${medium} LOW:${low}`;
}

function describeChallenges(critiques: number, counts: Counts, gaps: readonly ChallengedIdea[], ideas: number): string {
  const covered =
    gaps.length === 0
      ? `${ideas === 1 ? 'The one idea was' : `All ${ideas} ideas were`} challenged in all four dimensions.`
      : gaps.map(gapWords).join(' ');
  return `${critiques === 1 ? '1 critique' : `${critiques} critiques`}: ${summed(counts)}. ${covered}`.slice(0, 500);
}
