// The reaction to a critic's result: evidence in, a verdict and its effects out. Pure: no clock, no disk.

import type { Anomaly, Counts, EvidenceRef, Finding, Item, RoleRef, Task, Verdict } from '../model.js';
import type { CompiledLoop } from '../loops/compile.js';
import { lookupIn } from '../loops/compile.js';
import { comparedLists, decidingSources, disagreement, drawCounts, drawFacts, drawFindings, listAt } from '../loops/facts.js';
import { drawRestedOn } from '../loops/verdict-findings.js';
import type { Gathered, PastLists } from '../loops/facts.js';
import { judge } from '../loops/judge.js';
import type { Judgement, Params, Refusal } from '../loops/judge.js';
import type { Facts, Loop } from '../loops/loop.js';
import { fillTemplate } from '../loops/template.js';
import type { Placed } from './chains.js';
import { bySeverity, describeFinding } from '../formats/finding-text.js';
import type { Course, Effects } from './messages.js';
import { NO_EFFECTS, lowestDimensions, planClosing, planRevision } from './plan.js';
import type { Plan, PlanInput } from './plan.js';
import { measuresOf, trendOf } from './trend.js';
import type { JudgedRound, Trend } from './trend.js';

/** Evidence with where it was looked for and what was wrong with it. */
export interface Exhibit extends Gathered {
  readonly ref: EvidenceRef | null;
  readonly reader: string;
  /** What was wrong, with its place, where it is missing or unreadable. */
  readonly problem: string | null;
}

export interface StepInput {
  readonly compiled: CompiledLoop;
  readonly chain: string;
  readonly params: Params;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: Placed | null;
  readonly exhibits: Readonly<Record<string, Exhibit>>;
  readonly past: PastLists;
  readonly role: RoleRef;
  /** Noticed on the way: rounds, caps, lines that could not be read. */
  readonly anomalies: readonly Anomaly[];
  /** The rounds of the chain before this one, oldest first, and what is asked of its course; null where that is not looked at. */
  readonly course: (Course & { readonly history: readonly JudgedRound[] }) | null;
  /** Findings are listed as earlier versions did: of each severity those of one source, whoever else said something. */
  readonly isOfOne?: boolean;
}

export interface Draft {
  readonly ok: true;
  readonly verdict: Verdict;
  readonly facts: Facts;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly effects: Effects;
}

/** A step with what its evidence counts and finds, drawn once. */
interface Drawn extends StepInput {
  readonly counts: Counts;
  readonly findings: readonly Finding[];
}

/** Field by field: a spread of so many is slow, and this is done for every round. */
function drawn(input: StepInput): Drawn {
  const { compiled, chain, params, tasks, waves, critic, exhibits, past, role, anomalies, course, isOfOne = false } = input;
  const { loop } = compiled;
  const { counts, findings } = isOfOne
    ? { counts: drawCounts(loop, exhibits), findings: drawFindings(loop, exhibits) }
    : drawRestedOn(loop, exhibits);
  return { compiled, chain, params, tasks, waves, critic, exhibits, past, role, anomalies, course, counts, findings };
}

export function step(given: StepInput): Draft | Refusal {
  const { compiled, exhibits } = given;
  const input = drawn(given);
  const facts = drawFacts(compiled.loop, exhibits, input.past);
  const unread = decidingSources(compiled.loop).filter((name) => exhibits[name]?.state === 'unread');
  const judgement = judge(compiled, facts, input.params);
  if (unread.length > 0) {
    const names = unread.map((name) => compiled.loop.evidence[name]?.what ?? name);
    return partial(input, judgement, facts, names);
  }
  if (!judgement.ok) return { ...judgement, message: `${judgement.message}${troubles(input)}` };
  const course = courseOf(input, judgement);
  const guarded = heedCourse(input, guard(input, judgement), course);
  const plan = planFor(input, guarded);
  const notes = judgement.row.anomaly === undefined ? noticed(input) : [];
  const anomalies = [...input.anomalies, ...notes, ...withProblems(input, judgement.anomalies), ...plan.anomalies, ...course.anomalies];
  return {
    ok: true,
    verdict: verdictOf(
      input,
      {
        outcome: guarded.outcome,
        status: 'decided',
        rule: guarded.rule,
        reason: guarded.reason,
        unverified: judgement.unverified,
        waivers: judgement.unverified && judgement.row.waiver !== undefined ? [judgement.row.waiver] : [],
        anomalies,
        tasks: plan.tasks,
        nextStep: nextStep(input, guarded, plan),
      },
      isWorse(input, guarded) ? { ...course.told, worse: true } : course.told,
    ),
    facts: judgement.facts,
    lists: comparedLists(compiled.loop, exhibits),
    effects: plan.effects,
  };
}

/** A judgement with the last word of the rules that stand above every loop. */
interface Guarded extends Judgement {
  readonly rule: string;
}

/** Whatever a loop's table says: nothing is approved over a Critical finding without a waiver, and no revision is begun at the cap. */
function guard(input: Drawn, judgement: Judgement): Guarded {
  const { row, outcome } = judgement;
  const { critical } = input.counts;
  const approves = outcome === 'converge' || outcome === 'accept';
  if (approves && critical > 0 && !judgement.unverified) {
    const many = critical === 1 ? '1 Critical finding' : `${critical} Critical findings`;
    return {
      ...judgement,
      outcome: 'escalate',
      rule: 'E8',
      reason: `Row ${row.id} would approve over ${many}, and it has no waiver: nothing is. (${judgement.reason})`,
    };
  }
  if (outcome === 'revise' && input.params.round >= input.params.cap) {
    const spent = `Row ${row.id} asks for another round at round ${input.params.round}, and the cap is ${input.params.cap}: every loop ends.`;
    return { ...judgement, outcome: 'escalate', rule: 'E9', reason: `${spent} (${judgement.reason})` };
  }
  const { ok, reason, facts, anomalies, unverified, explanation } = judgement;
  return { ok, row, rule: row.id, outcome, reason, facts, anomalies, unverified, explanation };
}

/** Fields that not every verdict has. */
type Told = Pick<Verdict, 'trend' | 'fates' | 'worse'>;

interface ToldCourse {
  readonly trend: Trend | null;
  readonly told: Told;
  readonly anomalies: readonly Anomaly[];
}

const NO_COURSE: ToldCourse = { trend: null, told: {}, anomalies: [] };
const MOST_FATES = 200;

/** Where the chain is going, with this round at its end. The first round of a chain has no course. */
function courseOf(input: Drawn, { facts }: Judgement): ToldCourse {
  const { course, compiled, params } = input;
  const rounds = course?.history.filter(({ round }) => round !== params.round) ?? [];
  if (course === null || rounds.length === 0) return NO_COURSE;
  const { loop } = compiled;
  rounds.push({ round: params.round, findings: input.findings, touched: course.touched, counts: input.counts, facts });
  const measures = measuresOf(loop.progress ?? {}, rounds);
  const trend = trendOf(measures);
  const fates = (measures.at(-1)?.traces ?? []).slice(0, MOST_FATES).map(({ fate, finding }) => ({
    fate,
    fingerprint: finding.fingerprint,
    finding: describeFinding(finding),
  }));
  const isBad = trend.kind === 'stalled' || trend.kind === 'oscillating' || trend.kind === 'diverging';
  return { trend, told: { trend, fates }, anomalies: isBad ? [{ rule: 'E10', message: trend.why }] : [] };
}

/** With --stop-when-stalled a chain that goes nowhere is not sent into another round. */
function heedCourse(input: StepInput, guarded: Guarded, { trend }: ToldCourse): Guarded {
  if (input.course?.stop !== true || trend?.stop !== true || guarded.outcome !== 'revise') return guarded;
  return { ...guarded, outcome: 'escalate', rule: 'E10', reason: `${trend.why} (Row ${guarded.row.id} would go on: ${guarded.reason})` };
}

/** Asked whichever rule decided: at the cap too, and of a chain that is stopped. */
function isWorse({ compiled, params }: Drawn, { outcome, facts }: Guarded): boolean {
  return outcome !== 'converge' && compiled.worse?.(facts, params) === true;
}

/** The verdict where the tasks of a revision could not be written: a person is called at once. */
export function unwritable(loop: Loop, draft: Draft, error: string): Draft | null {
  const row = loop.unwritable;
  if (row === undefined) return null;
  const lookup = (name: string) => (name === 'error' ? error : name === 'options' ? optionsOf(loop) : null);
  return {
    ...draft,
    verdict: {
      ...draft.verdict,
      decision: loop.words.escalate,
      outcome: 'escalate',
      rule: row.id,
      reason: fillTemplate(row.why, lookup),
      tasks: [],
      nextStep: fillTemplate(row.next, lookup),
    },
    effects: NO_EFFECTS,
  };
}

type Said = Pick<Verdict, 'outcome' | 'status' | 'rule' | 'reason' | 'unverified' | 'waivers' | 'anomalies' | 'tasks' | 'nextStep'>;

/** The journal keeps the fields in this order. */
function verdictOf(input: Drawn, said: Said, told: Told): Verdict {
  const { loop } = input.compiled;
  const verdict: Verdict = {
    loop: loop.loop,
    chain: input.chain,
    round: input.params.round,
    maxRounds: input.params.cap,
    counts: input.counts,
    findings: bySeverity(input.findings),
    evidence: refsOf(input),
    role: input.role,
    decision: loop.words[said.outcome],
    outcome: said.outcome,
    status: said.status,
    rule: said.rule,
    reason: said.reason,
    unverified: said.unverified,
    waivers: said.waivers,
    anomalies: said.anomalies,
    tasks: said.tasks,
    nextStep: said.nextStep,
  };
  return Object.assign(verdict, told);
}

/** The evidence that was found, but for what only stands in for other. */
function refsOf({ exhibits }: StepInput): readonly EvidenceRef[] {
  const refs: EvidenceRef[] = [];
  for (const { ref } of Object.values(exhibits)) if (ref !== null) refs.push(ref);
  return refs;
}

function planFor(input: Drawn, judgement: Judgement): Plan {
  const { loop } = input.compiled;
  const planInput: PlanInput = {
    loop,
    chain: input.chain,
    round: input.params.round,
    tasks: input.tasks,
    waves: input.waves,
    critic: input.critic,
    findings: input.findings,
    lowest: lowestDimensions(dimensionsIn(input)),
    lookup: lookupIn(judgement.facts, input.params),
  };
  if (judgement.outcome === 'revise') return planRevision(planInput);
  const skips = loop.planned !== undefined && judgement.outcome === 'converge';
  const lookup = (name: string) => (name === 'rule' ? judgement.row.id : planInput.lookup(name));
  return planClosing(planInput, skips ? fillTemplate(loop.planned.skip, lookup) : null);
}

function dimensionsIn({ exhibits }: StepInput): readonly Item[] {
  const items: Item[] = [];
  for (const name of Object.keys(exhibits)) items.push(...(listAt(`${name}.dimensions`, exhibits) ?? []));
  return items;
}

function nextStep(input: StepInput, judgement: Judgement, plan: Plan): string {
  const { loop } = input.compiled;
  const overruled = judgement.outcome === 'escalate' && judgement.row.then !== 'escalate';
  const text = overruled ? 'A person decides: {options}.' : judgement.row.next;
  const facts = lookupIn(judgement.facts, input.params);
  return fillTemplate(text, (name) => {
    if (name === 'tasks') return plan.tasks.map((task) => task.id).join(' + ');
    if (name === 'options') return optionsOf(loop);
    if (name === 'chain') return input.chain;
    return facts(name);
  });
}

export function optionsOf(loop: Loop): string {
  return loop.ask.options.map((option) => option.id).join(', ');
}

/** What readers found odd in evidence that they could read, and sources that disagree. */
function noticed(input: StepInput): readonly Anomaly[] {
  const out: Anomaly[] = [];
  for (const exhibit of Object.values(input.exhibits)) {
    for (const note of exhibit.reading?.notes ?? []) out.push({ rule: exhibit.reader, message: note });
  }
  const split = disagreement(input.compiled.loop, input.exhibits);
  return split === null ? out : [...out, split];
}

/** An anomaly about unreadable evidence says what was wrong with it. */
function withProblems(input: StepInput, anomalies: readonly Anomaly[]): readonly Anomaly[] {
  if (anomalies.length === 0) return anomalies;
  const { loop } = input.compiled;
  const about = new Map<string, string>();
  for (const repair of loop.repairs) {
    for (const fact of Object.keys(repair.when)) {
      const spec = loop.facts[fact];
      const exhibit = spec !== undefined && 'state' in spec ? input.exhibits[spec.state] : undefined;
      if (exhibit?.state === 'unreadable' && exhibit.problem !== null) about.set(repair.id, exhibit.problem);
    }
  }
  return anomalies.map((anomaly) => {
    const problem = about.get(anomaly.rule);
    return problem === undefined ? anomaly : { ...anomaly, message: `${anomaly.message} (${problem})` };
  });
}

function troubles(input: StepInput): string {
  const { loop } = input.compiled;
  const problems = Object.entries(input.exhibits)
    .filter(([name, exhibit]) => exhibit.problem !== null && loop.evidence[name]?.optional !== true && exhibit.state !== 'ok')
    .map(([, exhibit]) => ` ${exhibit.problem ?? ''}`);
  return problems.join('');
}

/** Time ran out: the best that the evidence read so far allows. It creates no task and approves nothing. */
function partial(input: Drawn, judgement: Judgement | Refusal, facts: Facts, unread: readonly string[]): Draft {
  const soFar = judgement.ok && (judgement.outcome === 'revise' || judgement.outcome === 'escalate') ? judgement.outcome : null;
  const outcome = soFar ?? (input.params.round < input.params.cap ? 'revise' : 'escalate');
  const read = refsOf(input).map(({ path }) => path);
  const leaning = read.length === 0 ? 'Nothing was read.' : `Read so far: ${read.join(', ')}.`;
  return {
    ok: true,
    verdict: verdictOf(
      input,
      {
        outcome,
        status: 'partial',
        rule: 'E1',
        reason: `Time ran out before ${unread.join(' and ')} could be read. ${leaning}`,
        unverified: false,
        waivers: [],
        anomalies: [...input.anomalies, ...noticed(input)],
        tasks: [],
        nextStep: 'Nothing was approved and no task was created. Run the same command again with more time.',
      },
      NO_COURSE.told,
    ),
    facts: judgement.ok ? judgement.facts : facts,
    lists: {},
    effects: NO_EFFECTS,
  };
}
