// Tells how a case comes about: from the first round, verdict by verdict, by the shortest way there is.

import type { CompiledLoop } from '../loops/compile.js';
import type { Params } from '../loops/condition.js';
import { isSince } from './relations.js';
import type { Scene, Story } from './refutation.js';
import { ruleOn } from './witness.js';
import type { Witness } from './witness.js';

/** `revisions`: cases that lead to another round, the plainest first. `on`: verdicts to show beyond the last. */
export function tell(compiled: CompiledLoop, last: Witness, revisions: readonly Witness[], on = 0): Story {
  const { loop } = compiled;
  const { cap, target, round } = last.params;
  const scenes: Scene[] = [];
  for (let at = loop.round.first; at < round; at++) {
    const ways = [last, ...revisions].map((witness) => (at === loop.round.first ? withoutPast(compiled, witness) : witness));
    const before = ways.map((witness) => atRound(compiled, witness, { ...last.params, round: at })).find(revises);
    if (before === undefined) {
      scenes.length = 0;
      break;
    }
    scenes.push(sceneOf(before, false));
  }
  const forged = round > loop.round.first && scenes.length === 0;
  scenes.push(sceneOf(last, forged));
  for (let more = 1; more <= on; more++) {
    const next = atRound(compiled, last, { ...last.params, round: round + more });
    if (!revises(next)) break;
    scenes.push(sceneOf(next, false));
  }
  return { cap, target: loop.target === undefined ? null : target, scenes };
}

/** In the first round there is nothing that could have changed. */
function withoutPast({ loop }: CompiledLoop, witness: Witness): Witness {
  const changes = Object.entries(loop.facts).flatMap(([name, spec]) => (isSince(spec) ? [name] : []));
  const facts = { ...witness.facts, ...Object.fromEntries(changes.map((name) => [name, null])) };
  return { ...witness, facts, telling: witness.telling.filter((name) => !changes.includes(name)) };
}

function atRound(compiled: CompiledLoop, witness: Witness, params: Params): Witness {
  return { ...witness, params, verdict: ruleOn(compiled, witness.facts, params) };
}

function revises(witness: Witness | undefined): witness is Witness {
  const verdict = witness?.verdict ?? null;
  return verdict !== null && verdict.ok && verdict.outcome === 'revise';
}

function sceneOf(witness: Witness, forged: boolean): Scene {
  const { verdict, facts, params } = witness;
  return {
    round: params.round,
    facts: witness.telling.map((fact) => [fact, facts[fact] ?? null] as const),
    lacking: witness.lacking,
    forged,
    anomalies: verdict !== null && verdict.ok ? verdict.anomalies : [],
    rule: verdict === null ? null : verdict.ok ? verdict.row.id : verdict.rule,
    outcome: verdict !== null && verdict.ok ? verdict.outcome : null,
    reason: verdict === null ? '' : verdict.ok ? verdict.reason : verdict.message,
  };
}
