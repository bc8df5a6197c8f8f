// Decides a verdict and its effects from a critic's evidence.

import type { Anomaly, Counts, DismissedFinding, EvidenceRef, Finding, Item, RoleRef, Task, Verdict } from '../model/vocabulary.js';
import { SEVERITIES } from '../model/vocabulary.js';
import type { CompiledLoop } from '../loops/compile.js';
import { lookupIn, strictWords } from '../loops/compile.js';
import { comparedLists, decidingSources, disagreement, extractFacts, listAt, namesOfItems, valueAnomalies } from '../loops/facts.js';
import { worstCounts, findingsOfOneSource, collectFindings } from '../loops/verdict-findings.js';
import type { EvidenceReading, PastLists } from '../loops/facts.js';
import { judge } from '../loops/judge.js';
import type { Judgement, Params, Refusal } from '../loops/judge.js';
import type { Facts, Loop } from '../loops/loop.js';
import { fillTemplate } from '../loops/template.js';
import { mergeObjects } from '../formats/merge-objects.js';
import type { PlacedTask } from './chains.js';
import { SUSPECTED_BUG } from '../formats/run-result.js';
import { bySeverity, describeFinding } from '../formats/finding-text.js';
import type { TrendInputs, Effects } from './events.js';
import { NO_EFFECTS, lowestDimensions, planClosing, planRevision } from './plan-tasks.js';
import type { Plan, PlanInput } from './plan-tasks.js';
import { withoutDismissed } from './rulings.js';
import type { Rulings } from './rulings.js';
import { measuresOf, trendOf } from './trend.js';
import type { JudgedRound, Trend } from './trend.js';

export interface LocatedEvidence extends EvidenceReading {
  readonly ref: EvidenceRef | null;
  readonly reader: string;
  /** Why the evidence is missing or unreadable, with its path. */
  readonly problem: string | null;
}

export interface VerdictInput {
  readonly compiled: CompiledLoop;
  readonly chain: string;
  readonly params: Params;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: PlacedTask | null;
  readonly exhibits: Readonly<Record<string, LocatedEvidence>>;
  readonly past: PastLists;
  readonly role: RoleRef;
  /** Found before the evidence was judged: rounds, caps, unreadable lines. */
  readonly anomalies: readonly Anomaly[];
  /** The earlier rounds of the chain, oldest first, and the settings of the trend; null: no trend. */
  readonly course: (TrendInputs & { readonly history: readonly JudgedRound[] }) | null;
  /** Lists findings as earlier versions did: for each severity only those of one source. */
  readonly isOfOne?: boolean;
  /** Judges as versions before 0.2 did: scores are not checked (V5), contexts stay (V11), a failed generator does not matter (V18). */
  readonly isEarlier?: boolean;
  /** Says that an agent's word replaced the critic's measurement. Such an approval is a waiver. */
  readonly testimony?: string | null;
  /** Findings that a person dismissed do not count. */
  readonly rulings?: Rulings;
}

export interface VerdictDraft {
  readonly ok: true;
  readonly verdict: Verdict;
  readonly facts: Facts;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly effects: Effects;
}

/** The input with the counts and findings of its evidence. */
interface PreparedInput extends VerdictInput {
  readonly dismissed: readonly DismissedFinding[];
  readonly counts: Counts;
  readonly findings: readonly Finding[];
}

const NO_RULINGS: Rulings = new Map();

/** Field by field, because a spread of so many fields is slow and this runs for every round. */
function prepareInput(input: VerdictInput): PreparedInput {
  const {
    compiled,
    chain,
    tasks,
    waves,
    critic,
    past,
    role,
    anomalies,
    course,
    isOfOne = false,
    isEarlier = false,
    testimony = null,
    rulings = NO_RULINGS,
  } = input;
  const { loop } = compiled;
  const { exhibits, dismissed } = withoutDismissed(input.exhibits, rulings);
  const params = mergeObjects(input.params, { names: (fact: string) => namesOfItems(loop.facts[fact], exhibits) });
  const { counts, findings } = isOfOne
    ? { counts: worstCounts(loop, exhibits), findings: findingsOfOneSource(loop, exhibits) }
    : collectFindings(loop, exhibits);
  return {
    compiled,
    chain,
    params,
    tasks,
    waves,
    critic,
    exhibits,
    past,
    role,
    anomalies,
    course,
    counts,
    findings,
    dismissed,
    isEarlier,
    testimony,
  };
}

export function decideVerdict(given: VerdictInput): VerdictDraft | Refusal {
  const input = prepareInput(given);
  const { compiled, exhibits } = input;
  const facts = extractFacts(compiled.loop, exhibits, input.past);
  const unread = decidingSources(compiled.loop).filter((name) => exhibits[name]?.state === 'unread');
  const judgement = judge(compiled, facts, input.params);
  if (unread.length > 0) {
    const names = unread.map((name) => compiled.loop.evidence[name]?.what ?? name);
    return partialVerdict(input, judgement, facts, names);
  }
  if (!judgement.ok) return { ...judgement, message: `${judgement.message}${describeProblems(input)}` };
  const course = findTrend(input, judgement);
  const final = stopIfStalled(input, applyCommonRules(input, judgement), course);
  const plan = planTasks(input, final);
  const notes = judgement.row.anomaly === undefined ? evidenceAnomalies(input) : [];
  const anomalies = [...input.anomalies, ...notes, ...addProblems(input, judgement.anomalies), ...plan.anomalies, ...course.anomalies];
  return {
    ok: true,
    verdict: makeVerdict(
      input,
      {
        outcome: final.outcome,
        status: 'decided',
        rule: final.rule,
        reason: final.reason,
        unverified: final.unverified,
        waivers: final.unverified ? [judgement.row.waiver, waiverOf(input)].filter((waiver) => waiver !== undefined) : [],
        anomalies,
        tasks: plan.tasks,
        nextStep: describeNextStep(input, final, plan),
      },
      isWorse(input, final) ? { ...course.fields, worse: true } : course.fields,
    ),
    facts: judgement.facts,
    lists: comparedLists(compiled.loop, exhibits),
    effects: plan.effects,
  };
}

/** A judgement after the rules that hold for every loop (E8, E9, E10, V3, V18). */
interface FinalJudgement extends Judgement {
  readonly rule: string;
}

/** The generator's tasks before this critic that failed: their round was spent without work. */
function failedWork({ isEarlier, critic, tasks, compiled }: PreparedInput): readonly string[] {
  if (isEarlier === true || critic === null) return [];
  const { generator } = compiled.loop.roles;
  return tasks
    .filter(({ id, role, status }) => role === generator && status === 'failed' && critic.task.deps.includes(id))
    .map(({ id }) => id);
}

/**
 * E8: no approval with a Critical finding and without a waiver. V3: testimony in place of a measurement approves by waiver only. E9: no
 * revision at the cap. V18: a waiver at the cap does not cover work that failed.
 */
function applyCommonRules(input: PreparedInput, judged: Judgement): FinalJudgement {
  const { critical } = input.counts;
  if (approves(judged) && critical > 0 && !judged.unverified) {
    const { row } = judged;
    const many = critical === 1 ? '1 Critical finding' : `${critical} Critical findings`;
    return {
      ...judged,
      outcome: 'escalate',
      rule: 'E8',
      reason: `Row ${row.id} would approve despite ${many}, and it has no waiver. (${judged.reason})`,
    };
  }
  const judgement = weighTestimony(input, judged);
  const { row, outcome } = judgement;
  if (outcome === 'revise' && input.params.round >= input.params.cap) {
    const atCap = `Row ${row.id} asks for another round in round ${input.params.round}, but the cap is ${input.params.cap}.`;
    return { ...judgement, outcome: 'escalate', rule: 'E9', reason: `${atCap} (${judgement.reason})` };
  }
  const lost = judgement.unverified && input.params.round >= input.params.cap ? failedWork(input) : [];
  if (lost.length > 0) {
    const reason = `${lost.join(', ')} failed, and no rounds are left. Row ${row.id} would approve by a waiver. (${judgement.reason})`;
    return { ...judgement, outcome: 'escalate', rule: 'V18', reason, unverified: false };
  }
  const { ok, reason, facts, anomalies, unverified, explanation } = judgement;
  return { ok, row, rule: row.id, outcome, reason, facts, anomalies, unverified, explanation };
}

function approves({ outcome }: Judgement): boolean {
  return outcome === 'converge' || outcome === 'accept';
}

/** Without its last full stop, as loops write their waivers. */
function waiverOf({ testimony }: VerdictInput): string | undefined {
  return testimony?.replace(/\.$/, '');
}

function weighTestimony(input: PreparedInput, judgement: Judgement): Judgement {
  const waiver = waiverOf(input);
  if (waiver === undefined || !approves(judgement)) return judgement;
  if (input.params.strict !== true) return { ...judgement, reason: `${judgement.reason} ${waiver}.`, unverified: true };
  const reason = `${judgement.reason} ${strictWords(waiver)}`;
  return { ...judgement, outcome: 'escalate', reason, unverified: false };
}

/** Fields that not every verdict has. */
type OptionalFields = Pick<Verdict, 'trend' | 'fates' | 'worse'>;

interface ChainTrend {
  readonly trend: Trend | null;
  readonly fields: OptionalFields;
  readonly anomalies: readonly Anomaly[];
}

const NO_TREND: ChainTrend = { trend: null, fields: {}, anomalies: [] };
const MOST_LISTED_CHANGES = 200;

/** The trend of the chain up to this round. The first round has none. */
function findTrend(input: PreparedInput, { facts }: Judgement): ChainTrend {
  const { course, compiled, params } = input;
  const rounds = course?.history.filter(({ round }) => round !== params.round) ?? [];
  if (course === null || rounds.length === 0) return NO_TREND;
  const { loop } = compiled;
  rounds.push({ round: params.round, findings: input.findings, touched: course.touched, counts: input.counts, facts });
  const measures = measuresOf(loop.progress ?? {}, rounds);
  const trend = trendOf(measures);
  const fates = (measures.at(-1)?.traces ?? []).slice(0, MOST_LISTED_CHANGES).map(({ change, finding }) => ({
    fate: change,
    fingerprint: finding.fingerprint,
    finding: describeFinding(finding),
  }));
  const isBad = trend.kind === 'stalled' || trend.kind === 'oscillating' || trend.kind === 'diverging';
  return { trend, fields: { trend, fates }, anomalies: isBad ? [{ rule: 'E10', message: trend.why }] : [] };
}

/** E10: with --stop-when-stalled, a stalled chain gets no further round. */
function stopIfStalled(input: VerdictInput, judgement: FinalJudgement, { trend }: ChainTrend): FinalJudgement {
  if (input.course?.stop !== true || trend?.stop !== true || judgement.outcome !== 'revise') return judgement;
  const reason = `${trend.why} (Row ${judgement.row.id} would continue: ${judgement.reason})`;
  return { ...judgement, outcome: 'escalate', rule: 'E10', reason };
}

/** Independent of the rule that decided: also at the cap, and for a chain that was stopped. */
function isWorse({ compiled, params }: PreparedInput, { outcome, facts }: FinalJudgement): boolean {
  return outcome !== 'converge' && compiled.worse?.(facts, params) === true;
}

/** The verdict if the tasks of a revision could not be written: it calls a person. Null if the loop has no row for it. */
export function unwritableVerdict(loop: Loop, draft: VerdictDraft, error: string): VerdictDraft | null {
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

type DecidedFields = Pick<
  Verdict,
  'outcome' | 'status' | 'rule' | 'reason' | 'unverified' | 'waivers' | 'anomalies' | 'tasks' | 'nextStep'
>;

/** The journal keeps the fields in this order. */
function makeVerdict(input: PreparedInput, decided: DecidedFields, optional: OptionalFields): Verdict {
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
    decision: loop.words[decided.outcome],
    outcome: decided.outcome,
    status: decided.status,
    rule: decided.rule,
    reason: decided.reason,
    unverified: decided.unverified,
    waivers: decided.waivers,
    anomalies: decided.anomalies,
    tasks: decided.tasks,
    nextStep: decided.nextStep,
  };
  return Object.assign(verdict, optional, input.dismissed.length === 0 ? {} : { dismissed: bySeverityOf(input.dismissed) });
}

function bySeverityOf(dismissed: readonly DismissedFinding[]): readonly DismissedFinding[] {
  return SEVERITIES.flatMap((severity) => dismissed.filter(({ finding }) => finding.severity === severity));
}

/** The evidence that was found, without substitutes. */
function refsOf({ exhibits }: VerdictInput): readonly EvidenceRef[] {
  const refs: EvidenceRef[] = [];
  for (const { ref } of Object.values(exhibits)) if (ref !== null) refs.push(ref);
  return refs;
}

function planTasks(input: PreparedInput, judgement: Judgement): Plan {
  const { loop } = input.compiled;
  const planInput: PlanInput = {
    loop,
    chain: input.chain,
    round: input.params.round,
    tasks: input.tasks,
    waves: input.waves,
    critic: input.critic,
    // V9: the tests of suspected bugs are kept, not mended.
    findings: input.findings.filter(({ rule }) => rule !== SUSPECTED_BUG),
    lowest: lowestDimensions(dimensionsIn(input)),
    isEarlier: input.isEarlier === true,
    lookup: lookupIn(judgement.facts, input.params),
  };
  if (judgement.outcome === 'revise') return planRevision(planInput);
  const skips = loop.planned !== undefined && judgement.outcome === 'converge';
  const lookup = (name: string) => (name === 'rule' ? judgement.row.id : planInput.lookup(name));
  return planClosing(planInput, skips ? fillTemplate(loop.planned.skip, lookup) : null);
}

function dimensionsIn({ exhibits }: VerdictInput): readonly Item[] {
  const items: Item[] = [];
  for (const name of Object.keys(exhibits)) items.push(...(listAt(`${name}.dimensions`, exhibits) ?? []));
  return items;
}

function describeNextStep(input: VerdictInput, judgement: Judgement, plan: Plan): string {
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

/** Notes of the readers, and sources that disagree. */
function evidenceAnomalies(input: VerdictInput): readonly Anomaly[] {
  const out: Anomaly[] = [];
  for (const exhibit of Object.values(input.exhibits)) {
    for (const note of exhibit.reading?.notes ?? []) out.push({ rule: exhibit.reader, message: note });
  }
  const split = disagreement(input.compiled.loop, input.exhibits);
  if (split !== null) out.push(split);
  return input.isEarlier === true ? out : [...out, ...valueAnomalies(input.compiled.loop, input.exhibits)];
}

/** Adds the reader's problem to anomalies about unreadable evidence. */
function addProblems(input: VerdictInput, anomalies: readonly Anomaly[]): readonly Anomaly[] {
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

function describeProblems(input: VerdictInput): string {
  const { loop } = input.compiled;
  const problems = Object.entries(input.exhibits)
    .filter(([name, exhibit]) => exhibit.problem !== null && loop.evidence[name]?.optional !== true && exhibit.state !== 'ok')
    .map(([, exhibit]) => ` ${exhibit.problem ?? ''}`);
  return problems.join('');
}

/** The verdict after a timeout, from the evidence read so far. It creates no task and approves nothing. */
function partialVerdict(input: PreparedInput, judgement: Judgement | Refusal, facts: Facts, unread: readonly string[]): VerdictDraft {
  const soFar = judgement.ok && (judgement.outcome === 'revise' || judgement.outcome === 'escalate') ? judgement.outcome : null;
  const outcome = soFar ?? (input.params.round < input.params.cap ? 'revise' : 'escalate');
  const read = refsOf(input).map(({ path }) => path);
  const basis = read.length === 0 ? 'Nothing was read.' : `Read so far: ${read.join(', ')}.`;
  return {
    ok: true,
    verdict: makeVerdict(
      input,
      {
        outcome,
        status: 'partial',
        rule: 'E1',
        reason: `Timeout before ${unread.join(' and ')} could be read. ${basis}`,
        unverified: false,
        waivers: [],
        anomalies: [...input.anomalies, ...evidenceAnomalies(input)],
        tasks: [],
        nextStep: 'Nothing was approved and no task was created. Run the same command again with more time.',
      },
      NO_TREND.fields,
    ),
    facts: judgement.ok ? judgement.facts : facts,
    lists: {},
    effects: NO_EFFECTS,
  };
}
