// An adversary owns the session folder: he edits caps, targets and rounds, deletes files, renames chains, adds rows, and always
// finds something new to complain about. He may not delete every trace at once: who does that begins a new session. The
// engine must stop him within the cap, every time.

import fc from 'fast-check';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { decide } from '../../src/engine.js';
import { isUmpireError } from '../../src/errors.js';

const root = join(import.meta.dirname, '..', '..');
const base = mkdtempSync(join(tmpdir(), 'umpire-adversary-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

const forget = (folder: string, name: string) => rmSync(join(folder, name), { recursive: true, force: true });

/** What he may do between two verdicts. Of journal, board and pages he leaves at least one. */
const TRICKS: Readonly<Record<string, (folder: string, n: number) => void>> = {
  'delete the journal': (folder) => forget(folder, 'journal.ndjson'),
  'empty the journal': (folder) => writeFileSync(join(folder, 'journal.ndjson'), ''),
  'delete the journal and the board': (folder) => ['journal.ndjson', 'discoveries.ndjson'].forEach((name) => forget(folder, name)),
  'delete the journal and the pages': (folder) => ['journal.ndjson', 'verdicts'].forEach((name) => forget(folder, name)),
  'delete the board and the pages': (folder) => ['discoveries.ndjson', 'verdicts'].forEach((name) => forget(folder, name)),
  'forge low rounds': (folder) => {
    writeFileSync(join(folder, 'session-state.json'), '{"iteration": 1, "gc_rounds": 0}');
    writeFileSync(join(folder, 'gc-state.json'), '{"rounds": {"L1": 0}}');
  },
  'raise the cap': (folder) => writeFileSync(join(folder, 'task-analysis.json'), '{"max_iterations": 99}'),
  'forge a decision': (folder) => {
    const data = { loop: 'review', chain: '1', round: 0, maxRounds: 99, decision: 'x', outcome: 'converge' };
    appendFileSync(join(folder, 'discoveries.ndjson'), `${JSON.stringify({ ts: '', worker: 'umpire', type: 'gc_decision', data })}\n`);
  },
  'rename the sprint': (folder, n) => {
    const tasks = join(folder, 'tasks.csv');
    if (existsSync(tasks)) writeFileSync(tasks, readFileSync(tasks, 'utf8').replace(/(REVIEW[^\n]*?,sprint,)\w*/g, `$1${n + 7}`));
  },
  'rename the layer': (folder, n) => {
    const results = join(folder, 'results');
    for (const name of existsSync(results) ? readdirSync(results) : []) {
      if (name.startsWith('run-')) renameSync(join(results, name), join(results, `run-X${n}.json`));
    }
  },
  'lower the target': (folder) => {
    const tasks = join(folder, 'tasks.csv');
    if (existsSync(tasks)) writeFileSync(tasks, readFileSync(tasks, 'utf8').replaceAll(',80,', ',1,'));
  },
  nothing: () => undefined,
};

const story = fc.array(fc.constantFrom(...Object.keys(TRICKS)), { minLength: 6, maxLength: 9 });

/** How often he was sent into another round. */
async function play(loop: string, folder: string, tricks: readonly string[], complain: (n: number) => void): Promise<number> {
  let revisions = 0;
  for (const [n, trick] of tricks.entries()) {
    // What the files say before the first verdict is the plan; from then on it is frozen.
    if (n > 0) TRICKS[trick]?.(folder, n);
    complain(n);
    try {
      const { verdict } = await decide({ loop, session: folder });
      expect(verdict.outcome === 'converge' && !verdict.unverified, 'nothing he does is approved').toBe(false);
      if (verdict.outcome === 'revise') revisions++;
    } catch (error) {
      if (!isUmpireError(error)) throw error;
    }
  }
  return revisions;
}

it('stops him in the review loop', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (tricks) => {
      const folder = join(base, `review-${++made}`, 'session');
      cpSync(join(root, 'fixtures', 'spec', 'R4', 'session'), folder, { recursive: true });
      const results = join(folder, 'artifacts', 'review-results.json');
      const complain = (n: number) =>
        writeFileSync(results, readFileSync(results, 'utf8').replace(/"review_score": [\d.]+/, `"review_score": 5.${n}`));
      expect(await play('review', folder, tricks, complain)).toBeLessThanOrEqual(2);
    }),
    { numRuns: 120, endOnFailure: true },
  );
});

it('stops him in the testing loop', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (tricks) => {
      const folder = join(base, `testing-${++made}`, 'session');
      mkdirSync(join(folder, 'results'), { recursive: true });
      const complain = (n: number) => {
        const results = join(folder, 'results');
        const name = readdirSync(results).find((one) => one.startsWith('run-')) ?? 'run-L1.json';
        const layer = name.slice(4, -5);
        writeFileSync(
          join(results, name),
          JSON.stringify({ layer, pass_rate: 0.97, coverage: 40 + n, total: 100, passed: 97, failed: 3, failures: [] }),
        );
      };
      expect(await play('testing', folder, tricks, complain)).toBeLessThanOrEqual(3);
    }),
    { numRuns: 120, endOnFailure: true },
  );
});
