// What the guard did to a task's work, in words of its own: on a screen they never share a line with the agent's.

import type { Breach, TaskFinished } from '@umpire/core/decider/events.js';

const MAX_LISTED = 4;

/** Empty where it did nothing. */
export function breachSentences(breaches: readonly Breach[]): string {
  const taken = listBreaches(breaches.filter((breach) => breach.taken !== null));
  const left = listBreaches(breaches.filter(({ taken: how, level }) => how === null && level === undefined));
  return [...(taken === '' ? [] : [`The guard reverted: ${taken}.`]), ...(left === '' ? [] : [`The guard found and kept: ${left}.`])].join(
    ' ',
  );
}

/** Findings begin with the guard's sentences, for whoever continues the work. */
export function agentWords({ findings, breaches = [] }: Pick<TaskFinished, 'findings' | 'breaches'>): string {
  const guard = breachSentences(breaches);
  if (guard === '') return findings;
  return findings.startsWith(guard) || guard.startsWith(findings) ? findings.slice(guard.length).trim() : findings;
}

function listBreaches(breaches: readonly Breach[]): string {
  const more = breaches.length - MAX_LISTED;
  const words = breaches.slice(0, MAX_LISTED).map(({ rule, file, line }) => `${rule} at ${file}:${line}`);
  return `${[...new Set(words)].join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
