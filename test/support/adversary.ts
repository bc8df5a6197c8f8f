// Plays an attack against the real `decide` and checks every answer.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { chainsOf } from '@umpire/core/decider/chains.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import type { Decision } from '@umpire/umpire/engine/decide.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import type { AttackSetup } from './adversary-setups.js';
import { put } from './adversary-setups.js';
import type { AttackStep } from './adversary-past-attacks.js';
import { TRICKS } from './adversary-tricks.js';
import type { Witness } from './adversary-tricks.js';
import { endTasks } from './tasks.js';

const JOURNAL = 'journal.ndjson';
const TASKS = 'tasks.csv';

export interface Tally {
  stories: number;
  verdicts: number;
  errors: number;
  mostRevisions: number;
  readonly codes: Map<string, number>;
}

export function newTally(): Tally {
  return { stories: 0, verdicts: 0, errors: 0, mostRevisions: 0, codes: new Map() };
}

export function stories(names: readonly string[]): fc.Arbitrary<readonly AttackStep[]> {
  const trick = fc.tuple(fc.constantFrom(...names), fc.nat({ max: 999 }));
  const move = fc.record<AttackStep>({
    tricks: fc.array(trick, { maxLength: 3 }),
    report: fc.oneof(
      { weight: 7, arbitrary: fc.constant<AttackStep['report']>('new') },
      { weight: 3, arbitrary: fc.constantFrom<AttackStep['report']>('same', 'first', 'none') },
    ),
    raise: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) }),
  });
  return fc.array(move, { minLength: 1, maxLength: 10, size: 'max' });
}

/** Throws if a property is broken. */
export async function play(setup: AttackSetup, story: readonly AttackStep[], tally: Tally): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'umpire-adversary-'));
  try {
    const game = new Game(setup, join(place, 'session'), tally);
    for (const [n, move] of story.entries()) await game.move(move, n);
    tally.stories++;
    tally.mostRevisions = Math.max(tally.mostRevisions, game.revisions());
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

interface Seen {
  /** The current round: one more after a revision. */
  round: number;
  /** The round of the last answer. */
  said: number;
  revisions: number;
  target: number;
}

class Game {
  private readonly chains = new Map<string, Seen>();
  private readonly harmed = new Set<Witness>();
  private planned: readonly string[] | null = null;
  private firstCap = 0;
  private round = 0;
  private role = '';
  private said = 0;
  /** The code of the last refusal, and tasks.csv as it was before it. */
  private refused: string | null = null;
  private tasks: string | null = null;

  constructor(
    private readonly setup: AttackSetup,
    private readonly folder: string,
    private readonly tally: Tally,
  ) {
    setup.begin(folder);
  }

  revisions(): number {
    let all = 0;
    for (const { revisions } of this.chains.values()) all += revisions;
    return all;
  }

  async move(move: AttackStep, n: number): Promise<void> {
    if (this.refused !== null) this.mend(this.refused);
    this.tasks = existsSync(join(this.folder, TASKS)) ? readFileSync(join(this.folder, TASKS), 'utf8') : null;
    // Before the first verdict the files are the plan. From then on it is frozen.
    if (this.planned !== null) for (const [name, variant] of move.tricks) this.trick(name, variant);
    this.complain(move.report, n);
    const round = move.raise === null ? {} : { round: this.round + move.raise };
    const answer = await this.ask(round);
    if (answer === null) return;
    this.hold(answer);
    const answers = new Map([[answer.verdict.chain, answer]]);
    for (;;) {
      const again = await this.ask(round);
      if (again === null) broken('the same question twice is answered once and refused once', answer);
      const known = answers.get(again.verdict.chain);
      // A14: of several finished critics, each question judges one.
      if (known === undefined && !again.repeated) {
        this.hold(again);
        answers.set(again.verdict.chain, again);
        continue;
      }
      if (!again.repeated || JSON.stringify(again.verdict) !== JSON.stringify(known?.verdict))
        broken(`the same bytes are judged twice, and not the same: ${brief(again)}`, answer);
      return;
    }
  }

  /** After a refusal the adversary undoes the unreadable change and continues with the next trick. */
  private mend(code: string): void {
    if (code === 'tasks-malformed' && this.tasks !== null) put(this.folder, { [TASKS]: this.tasks });
    if (code === 'journal-broken') rmSync(join(this.folder, JOURNAL));
    this.refused = null;
  }

  private trick(name: string, n: number): void {
    const trick = TRICKS[name];
    if (trick === undefined) throw new Error(`There is no trick "${name}".`);
    const harmed = new Set([...this.harmed, ...(trick.harms ?? [])]);
    if (harmed.size === 3) return;
    for (const witness of harmed) this.harmed.add(witness);
    trick.play(this.folder, this.setup, n);
  }

  private complain(report: AttackStep['report'], n: number): void {
    this.said = report === 'new' ? n + 1 : report === 'first' ? 0 : this.said;
    const files = this.setup.report(this.folder, this.said);
    if (report !== 'none') put(this.folder, files);
    else for (const path of Object.keys(files)) rmSync(join(this.folder, path), { force: true });
  }

  private async ask(flags: { readonly round?: number }): Promise<Decision | null> {
    try {
      const decision = await this.askFor(flags);
      this.tally.verdicts++;
      return decision;
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      this.tally.errors++;
      this.refused = error.code;
      this.tally.codes.set(error.code, (this.tally.codes.get(error.code) ?? 0) + 1);
      return null;
    }
  }

  /** If a verdict's tasks are open, the adversary claims that they are done. */
  private async askFor(flags: { readonly round?: number }): Promise<Decision> {
    const question = { loop: this.setup.asked, session: this.folder, ...flags };
    try {
      return await decide(question);
    } catch (error) {
      if (!isUmpireError(error) || error.code !== 'tasks-open') throw error;
      endTasks(this.folder, error.message.replace(/ (?:is|are) not finished[^]*/, '').split(', '));
      return decide(question);
    }
  }

  private hold(answer: Decision): void {
    const { verdict, repeated } = answer;
    const { chain, round, maxRounds, outcome } = verdict;
    this.begin(answer);
    const seen = this.chains.get(chain) ?? this.outOfNowhere(chain);
    if (outcome === 'revise' && !repeated) seen.revisions++;
    this.chains.set(chain, seen);
    const rounds = this.firstCap - this.setup.loop.round.first;
    if ((outcome === 'converge' || outcome === 'accept') && !verdict.unverified) broken('it is approved as if it were clean', answer);
    if (outcome === 'revise' && round >= maxRounds) broken('a revision at the cap', answer);
    if (!repeated && round < seen.round) broken(`the round fell from ${seen.round}`, answer);
    if (round < seen.said) broken(`an old answer is given again: the round fell from ${seen.said}`, answer);
    seen.said = round;
    if (maxRounds > this.firstCap) broken(`the cap rose from ${this.firstCap}`, answer);
    if (seen.revisions > rounds) broken(`${seen.revisions} revisions of one chain, and ${rounds} are allowed`, answer);
    const allowed = rounds * (this.planned?.length ?? 1);
    if (this.revisions() > allowed) broken(`${this.revisions()} revisions in all, and ${allowed} are allowed`, answer);
    if (verdict.role.sha256 !== this.role) broken('another role definition', answer);
    if (!repeated) this.holdTarget(answer, seen);
    seen.round = outcome === 'revise' && !repeated ? round + 1 : Math.max(seen.round, round);
    this.round = round;
    if (!repeated) this.harmed.clear();
  }

  /** The first verdict freezes cap and target. */
  private begin({ verdict }: Decision): void {
    if (this.planned !== null) return;
    const tasks = existsSync(join(this.folder, TASKS)) ? parseTasks(readFileSync(join(this.folder, TASKS), 'utf8')).tasks : [];
    this.planned = [...new Set([...chainsOf(this.setup.loop, tasks), verdict.chain])];
    this.firstCap = verdict.maxRounds;
    this.role = verdict.role.sha256;
  }

  /** A planned chain may start in any round. Another chain continues from the highest round, with the highest target. */
  private outOfNowhere(chain: string): Seen {
    const others = this.planned?.includes(chain) === true ? [] : [...this.chains.values()];
    const furthest = (of: (seen: Seen) => number) => Math.max(0, ...others.map(of));
    return { round: furthest((seen) => seen.round), revisions: 0, target: furthest((seen) => seen.target), said: 0 };
  }

  private holdTarget(answer: Decision, seen: Seen): void {
    const lines = readFileSync(join(this.folder, JOURNAL), 'utf8').split('\n');
    const line = lines.findLast((one) => one.includes('"type":"VerdictGiven"')) ?? '{}';
    const { data } = JSON.parse(line) as { readonly data?: { readonly target?: number | null } };
    const target = data?.target ?? 0;
    if (target < seen.target) broken(`the target fell from ${seen.target} to ${target}`, answer);
    // A forged record may raise the cap for a while. The first cap must hold.
    if (seen.target === 0) seen.target = target;
  }
}

function brief({ verdict, repeated }: Decision): string {
  const { chain, round, maxRounds, outcome, rule } = verdict;
  return `${outcome} by ${rule}, chain ${chain.slice(0, 20)}, round ${round} of ${maxRounds}${repeated ? ', repeated' : ''}`;
}

function broken(what: string, answer: Decision): never {
  throw new Error(`${what} (${brief(answer)})`);
}

/** An attack as text. */
export function tell(story: readonly AttackStep[]): string {
  return story
    .map(({ tricks, report, raise }, n) => {
      const played = tricks.map(([name, variant]) => `${name} (${variant})`).join(', ');
      return `  ${n + 1}. ${played === '' ? 'nothing' : played}; ${report} report${raise === null ? '' : `; --round +${raise}`}`;
    })
    .join('\n');
}
