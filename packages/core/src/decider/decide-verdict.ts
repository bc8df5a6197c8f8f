// Decides the verdict of one round, and its effects, from the critic's evidence.

import type { Anomaly, Counts, DismissedFinding, EvidenceRef, Finding, RoleRef, Task, Verdict } from '../model/vocabulary.js';
import { SEVERITIES } from '../model/vocabulary.js';
import { compileLoop, lookupIn, strictWords } from '../loops/compile.js';
import { comparedLists, decidingSources, disagreement, extractFacts, listAt, namesOfItems, valueAnomalies } from '../loops/facts.js';
import { collectFindings } from '../loops/verdict-findings.js';
import type { PastLists } from '../loops/facts.js';
import { judge } from '../loops/judge.js';
import type { Judgement, Params, Refusal } from '../loops/judge.js';
import type { EvidenceReading, Facts, Loop } from '../loops/loop.js';
import { fillTemplate } from '../loops/template.js';
import { chainOfRow, findUnjudgedCritics } from './chains.js';
import type { PlacedTask } from './chains.js';
import { isToMend } from '../formats/run-result.js';
import { bySeverity, describeFinding } from '../formats/finding-text.js';
import { ANSWERS, QUESTIONS } from '../model/questions.js';
import type { Answer } from '../model/questions.js';
import { escalationKind } from './question.js';
import { decidedVerdicts, judgedCritics } from './evolve.js';
import type { SessionState } from './evolve.js';
import type { TrendInputs, Effects, RecordedEvidence } from './events.js';
import { NO_EFFECTS, lowestDimensions, planClosing, planRevision } from './plan-tasks.js';
import type { Plan, PlanInput } from './plan-tasks.js';
import { countsWithout, dismissalOf, withoutDismissed } from './rulings.js';
import { measuresOf, trendOf } from './trend.js';
import type { JudgedRound, Trend } from './trend.js';

/** One round of a chain as it is judged. `decide`, a run and a replay each make one; nothing changes it. */
export interface Round {
  /** The session before this round's verdict. */
  readonly state: SessionState;
  /** The rules that apply. */
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly cap: number;
  readonly target: number;
  readonly strict: boolean;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: PlacedTask | null;
  /** The lists of the revision that the evidence is compared with. */
  readonly past: PastLists;
  /** The judge's role text. */
  readonly role: RoleRef;
  /** Found before the evidence was judged: rounds, caps, unreadable lines. */
  readonly anomalies: readonly Anomaly[];
  /** Null: the verdict has no trend. */
  readonly trend: TrendInputs | null;
  /** Says that an agent's word replaced the critic's measurement. Such an approval is a waiver. */
  readonly testimony: string | null;
  readonly evidence: Evidence;
}

/** By source of the loop. */
export type Evidence = Readonly<Record<string, FoundEvidence>>;

/** What was found for one source, or what replaced it (`else`). */
export interface FoundEvidence extends EvidenceReading {
  readonly ref: EvidenceRef | null;
  readonly reader: string;
  /** Why the evidence is missing or unreadable, with its path. */
  readonly problem: string | null;
  /** The source as it was found, before another replaced it. */
  readonly record: RecordedEvidence;
  readonly content: string | Uint8Array | null;
}

export interface VerdictDraft {
  readonly ok: true;
  readonly verdict: Verdict;
  readonly facts: Facts;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly effects: Effects;
}

/** A round as its rules see it: without the findings that a person dismissed. */
interface WeighedRound {
  readonly round: Round;
  readonly evidence: Evidence;
  readonly params: Params;
  readonly counts: Counts;
  readonly findings: readonly Finding[];
  readonly dismissed: readonly DismissedFinding[];
}

export function decideVerdict(round: Round): VerdictDraft | Refusal {
  const { loop, cap, target, strict } = round;
  const compiled = compileLoop(loop);
  const { evidence, dismissed } = withoutDismissed(round.evidence, round.state.rulings);
  const { counts, findings } = collectFindings(loop, decidingSources(loop), evidence);
  const params: Params = { round: round.round, cap, target, strict, names: (fact) => namesOfItems(loop.facts[fact], evidence) };
  const weighed: WeighedRound = { round, evidence, params, counts, findings, dismissed };
  const facts = extractFacts(loop, evidence, round.past);
  const judgement = judge(compiled, facts, params);
  const unread = decidingSources(loop).filter((name) => evidence[name]?.state === 'unread');
  if (unread.length > 0) return partialVerdict(weighed, judgement, facts, unread);
  if (!judgement.ok) {
    const problems = Object.entries(evidence).map(([name, { state, problem }]) =>
      problem === null || state === 'ok' || loop.evidence[name]?.optional === true ? '' : ` ${problem}`,
    );
    return { ...judgement, message: `${judgement.message}${problems.join('')}` };
  }
  const { trend, fates } = findTrend(weighed, judgement.facts);
  const ruled = applyCommonRules(weighed, judgement);
  // E10: with --stop-when-stalled, a stalled chain gets no further round.
  const isStopped = round.trend?.stop === true && trend?.stop === true && ruled.outcome === 'revise';
  const final: FinalJudgement = isStopped
    ? {
        ...ruled,
        outcome: 'escalate',
        rule: 'E10',
        reason: `${trend.why} (Row ${ruled.row.id} would continue: ${ruled.reason})`,
      }
    : ruled;
  const plan = planTasks(weighed, final);
  const isBadTrend = trend?.kind === 'stalled' || trend?.kind === 'oscillating' || trend?.kind === 'diverging';
  const anomalies = [
    ...round.anomalies,
    ...(judgement.row.anomaly === undefined ? evidenceAnomalies(weighed) : []),
    ...addProblems(weighed, judgement.anomalies),
    ...plan.anomalies,
    ...(isBadTrend ? [{ rule: 'E10', message: trend.why }] : []),
  ];
  const verdict = makeVerdict(weighed, {
    outcome: final.outcome,
    status: 'decided',
    rule: final.rule,
    reason: final.reason,
    unverified: final.unverified,
    waivers: final.unverified ? [judgement.row.waiver, waiverOf(round)].filter((waiver) => waiver !== undefined) : [],
    anomalies,
    tasks: plan.tasks,
    nextStep: describeNextStep(weighed, final, plan),
  });
  // Independent of the rule that decided: also at the cap, and for a chain that was stopped.
  const isWorse = final.outcome !== 'converge' && compiled.worse?.(final.facts, params) === true;
  Object.assign(verdict, trend === null ? {} : { trend, fates }, isWorse ? { worse: true } : {});
  return {
    ok: true,
    verdict: addDismissed(verdict, dismissed),
    facts: judgement.facts,
    lists: comparedLists(loop, evidence),
    effects: plan.effects,
  };
}

/** A judgement after the rules that hold for every loop (E8, E9, E10, V3, V18). */
interface FinalJudgement extends Judgement {
  readonly rule: string;
}

/**
 * E8: no approval with a Critical finding and without a waiver. V3: testimony in place of a measurement approves by waiver only. E9: no
 * revision at the cap. V18: a waiver at the cap does not cover work that failed.
 */
function applyCommonRules({ round, counts: { critical } }: WeighedRound, judgement: Judgement): FinalJudgement {
  const { row, facts, anomalies, explanation } = judgement;
  let { outcome, reason, unverified } = judgement;
  let rule = row.id;
  const escalate = (by: string, why: string): void => {
    outcome = 'escalate';
    rule = by;
    reason = `${why} (${reason})`;
  };
  const approves = outcome === 'converge' || outcome === 'accept';
  const waiver = waiverOf(round);
  const isAtCap = round.round >= round.cap;
  if (approves && critical > 0 && !unverified) {
    const many = critical === 1 ? '1 Critical finding' : `${critical} Critical findings`;
    escalate('E8', `Row ${row.id} would approve despite ${many}, and it has no waiver.`);
    return { ok: true, row, rule, outcome, reason, facts, anomalies, unverified, explanation };
  }
  if (waiver !== undefined && approves) {
    unverified = !round.strict;
    if (round.strict) outcome = 'escalate';
    reason = `${reason} ${round.strict ? strictWords(waiver) : `${waiver}.`}`;
  }
  if (outcome === 'revise' && isAtCap)
    escalate('E9', `Row ${row.id} asks for another round in round ${round.round}, but the cap is ${round.cap}.`);
  // The generator's tasks before this critic that failed: their round was spent without work.
  const failed =
    unverified && isAtCap && round.critic !== null
      ? round.tasks.filter(
          ({ id, role, status }) =>
            role === round.loop.roles.generator && status === 'failed' && round.critic?.task.deps.includes(id) === true,
        )
      : [];
  if (failed.length > 0) {
    const lost = failed.map(({ id }) => id).join(', ');
    escalate('V18', `${lost} failed, and no rounds are left. Row ${row.id} would approve by a waiver.`);
    unverified = false;
  }
  return { ok: true, row, rule, outcome, reason, facts, anomalies, unverified, explanation };
}

/** V3, A7: what makes an approval unverified whatever the rules say. Without a full stop, as loops write their waivers. */
function waiverOf({ testimony, evidence }: Round): string | undefined {
  if (testimony !== null) return testimony.replace(/\.$/, '');
  const unread = new Set(Object.values(evidence).flatMap(({ reading }) => reading?.unread ?? [])).size;
  if (unread === 0) return undefined;
  return `${unread === 1 ? '1 line of the report that carries' : `${unread} lines of the report that carry`} a severity could not be read`;
}

const MOST_LISTED_CHANGES = 200;

/** The trend of the chain up to this round, and how its findings changed. The first round has none. */
function findTrend(
  { round, counts, findings }: WeighedRound,
  facts: Facts,
): { readonly trend: Trend | null; readonly fates: Verdict['fates'] } {
  const { state, loop, trend: inputs } = round;
  const before =
    inputs === null ? [] : decidedVerdicts(state, loop.loop, round.chain).filter(({ verdict }) => verdict.round !== round.round);
  if (inputs === null || before.length === 0) return { trend: null, fates: undefined };
  const rounds = before.map(({ seq, verdict, facts: then, course }): JudgedRound => {
    // A dismissed finding is not fixed: it does not count in earlier rounds either.
    const gone = verdict.findings.filter((finding) => dismissalOf(finding, state.rulings) !== null);
    return {
      round: verdict.round,
      findings: gone.length === 0 ? verdict.findings : verdict.findings.filter((finding) => !gone.includes(finding)),
      counts: gone.length === 0 ? verdict.counts : countsWithout(verdict.counts, gone),
      facts: then,
      touched: course?.touched ?? null,
      isUndone: inputs.undone?.includes(seq) === true,
    };
  });
  rounds.push({ round: round.round, findings, touched: inputs.touched, counts, facts });
  const measures = measuresOf(loop.progress ?? {}, rounds);
  const fates = (measures.at(-1)?.traces ?? []).slice(0, MOST_LISTED_CHANGES).map(({ change, finding }) => ({
    fate: change,
    fingerprint: finding.fingerprint,
    finding: describeFinding(finding),
  }));
  return { trend: trendOf(measures), fates };
}

/** The verdict if the tasks of a revision could not be written: it calls a person. Null if the loop has no row for it. */
export function unwritableVerdict(loop: Loop, draft: VerdictDraft, error: string): VerdictDraft | null {
  const row = loop.unwritable;
  if (row === undefined) return null;
  const lookup = (name: string) => (name === 'error' ? error : name === 'options' ? listOptions(loop.ask.options) : null);
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
function makeVerdict({ round, evidence, counts, findings }: WeighedRound, decided: DecidedFields): Verdict {
  const { loop } = round;
  return {
    loop: loop.loop,
    chain: round.chain,
    round: round.round,
    maxRounds: round.cap,
    counts,
    findings: bySeverity(findings),
    evidence: listRefs(evidence),
    role: round.role,
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
}

function addDismissed(verdict: Verdict, dismissed: readonly DismissedFinding[]): Verdict {
  if (dismissed.length === 0) return verdict;
  return Object.assign(verdict, {
    dismissed: SEVERITIES.flatMap((severity) => dismissed.filter(({ finding }) => finding.severity === severity)),
  });
}

/** The evidence that was found, without substitutes. */
function listRefs(evidence: Evidence): readonly EvidenceRef[] {
  const refs: EvidenceRef[] = [];
  for (const { ref } of Object.values(evidence)) if (ref !== null) refs.push(ref);
  return refs;
}

function planTasks({ round, evidence, findings, params }: WeighedRound, judgement: Judgement): Plan {
  const { loop, chain, tasks, waves, critic } = round;
  const lookup = lookupIn(judgement.facts, params);
  const planInput: PlanInput = {
    loop,
    chain,
    round: round.round,
    tasks,
    waves,
    critic,
    // V9: the tests of suspected bugs are kept, not mended.
    findings: findings.filter(isToMend),
    lowest: lowestDimensions(Object.keys(evidence).flatMap((name) => listAt(`${name}.dimensions`, evidence) ?? [])),
    lookup,
  };
  if (judgement.outcome === 'revise') return planRevision(planInput);
  const skip = judgement.outcome === 'converge' ? loop.planned?.skip : undefined;
  return planClosing(
    planInput,
    skip === undefined ? null : fillTemplate(skip, (name) => (name === 'rule' ? judgement.row.id : lookup(name))),
  );
}

function describeNextStep({ round, params }: WeighedRound, judgement: FinalJudgement, plan: Plan): string {
  const overruled = judgement.outcome === 'escalate' && judgement.row.then !== 'escalate';
  const lookup = lookupIn(judgement.facts, params);
  const next = fillTemplate(overruled ? 'A person decides: {options}.' : judgement.row.next, (name) => {
    if (name === 'tasks') return plan.tasks.map((task) => task.id).join(' + ');
    if (name === 'options') return listOptions(escalationOptions(round, judgement.rule));
    if (name === 'chain') return round.chain;
    return lookup(name);
  });
  const open = waitingForVerdict(round);
  if (open.length === 0) return next;
  const wait = `${open.join(', ')} must be judged before anything that depends on ${open.length === 1 ? 'it' : 'them'} starts.`;
  return `${wait} ${next}`;
}

/** A14: other finished critics without a verdict. A run judges them before it starts anything else. */
function waitingForVerdict({ state, loop, tasks, waves, critic, chain }: Round): readonly string[] {
  if (state.run !== null || loop.chain === 'session') return [];
  const open = findUnjudgedCritics(loop, tasks, waves, judgedCritics(state, loop.loop));
  return open.flatMap(({ task }) => (task.id === critic?.task.id || chainOfRow(loop, task) === chain ? [] : [task.id]));
}

interface EscalationOption {
  readonly id: Answer;
  readonly means: string;
}

/** What a person may decide where a verdict by this rule calls one. */
export function escalationOptions({ state, loop }: Pick<Round, 'state' | 'loop'>, rule: string): readonly EscalationOption[] {
  if (escalationKind(state.run, rule) === 'escalation') return loop.ask.options;
  return QUESTIONS['judge-changed'].answers.map((id) => ({ id, means: ANSWERS[id].does }));
}

function listOptions(options: readonly EscalationOption[]): string {
  return options.map(({ id }) => id).join(', ');
}

/** Notes of the readers, and sources that disagree. */
function evidenceAnomalies({ round: { loop }, evidence }: WeighedRound): readonly Anomaly[] {
  const out: Anomaly[] = [];
  for (const { reading, reader } of Object.values(evidence)) {
    // The row may stand in for a report that is missing: the same text is read twice.
    for (const message of reading?.notes ?? [])
      if (!out.some((one) => one.rule === reader && one.message === message)) out.push({ rule: reader, message });
  }
  const split = disagreement(loop, evidence);
  if (split !== null) out.push(split);
  return [...out, ...valueAnomalies(loop, evidence)];
}

/** Adds the reader's problem to anomalies about unreadable evidence. */
function addProblems({ round: { loop }, evidence }: WeighedRound, anomalies: readonly Anomaly[]): readonly Anomaly[] {
  if (anomalies.length === 0) return anomalies;
  const about = new Map<string, string>();
  for (const repair of loop.repairs) {
    for (const fact of Object.keys(repair.when)) {
      const spec = loop.facts[fact];
      const found = spec !== undefined && 'state' in spec ? evidence[spec.state] : undefined;
      if (found?.state === 'unreadable' && found.problem !== null) about.set(repair.id, found.problem);
    }
  }
  return anomalies.map((anomaly) => {
    const problem = about.get(anomaly.rule);
    return problem === undefined ? anomaly : { ...anomaly, message: `${anomaly.message} (${problem})` };
  });
}

/** The verdict after a timeout, from the evidence read so far. It creates no task and approves nothing. */
function partialVerdict(weighed: WeighedRound, judgement: Judgement | Refusal, facts: Facts, unread: readonly string[]): VerdictDraft {
  const { round, evidence, dismissed } = weighed;
  const soFar = judgement.ok && (judgement.outcome === 'revise' || judgement.outcome === 'escalate') ? judgement.outcome : null;
  const read = listRefs(evidence).map(({ path }) => path);
  const names = unread.map((name) => round.loop.evidence[name]?.what ?? name);
  const verdict = makeVerdict(weighed, {
    outcome: soFar ?? (round.round < round.cap ? 'revise' : 'escalate'),
    status: 'partial',
    rule: 'E1',
    reason: `Timeout before ${names.join(' and ')} could be read. ${read.length === 0 ? 'Nothing was read.' : `Read so far: ${read.join(', ')}.`}`,
    unverified: false,
    waivers: [],
    anomalies: [...round.anomalies, ...evidenceAnomalies(weighed)],
    tasks: [],
    nextStep: 'Nothing was approved and no task was created. Run the same command again with more time.',
  });
  return {
    ok: true,
    verdict: addDismissed(verdict, dismissed),
    facts: judgement.ok ? judgement.facts : facts,
    lists: {},
    effects: NO_EFFECTS,
  };
}
