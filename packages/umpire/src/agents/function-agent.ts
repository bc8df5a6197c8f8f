// Agents that are functions of the calling program. Every outcome becomes an ending: a thrown error, an invalid object, a timeout, a
// function that ignores the stop signal. Its result is read like a program's.

import { NO_USAGE, type Agent, type Assignment, type Ending, type Usage, type Watch } from '@umpire/core/model/ports.js';
import { onAbort } from '../sessions/abort-listeners.js';
import { lineOf } from '../views/safe-text.js';
import { cellText, endBroken } from './result.js';
import { isObject } from '@umpire/core/formats/json-text.js';

/** How long to wait for a stopped function. It cannot be killed. */
const GRACE_MS = 5000;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function functionAgent(agent: Agent): Agent {
  const { name, inProcess = false, isPerson = false } = agent;
  return { name, inProcess, isPerson, run: (assignment, watch) => runFunction(agent, assignment, watch) };
}

/** Its own abort signal, created on first use: most short functions never read it, and it costs more than the rest of the call. */
class AgentWatch implements Watch {
  /** An error of Umpire's log, which is not the function's fault. */
  fault: { readonly error: unknown } | null = null;
  private controller: AbortController | null = null;
  private stopped: { readonly reason: unknown } | null = null;

  constructor(private readonly watch: Watch) {}

  readonly log: Watch['log'] = (stream, chunk) => {
    try {
      this.watch.log(stream, chunk);
    } catch (error) {
      this.fault ??= { error };
      throw error;
    }
  };

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.stopped !== null) this.controller.abort(this.stopped.reason);
    }
    return this.controller.signal;
  }

  stop(reason: unknown): void {
    this.stopped = { reason };
    this.controller?.abort(reason);
  }
}

/** Rejects only where Umpire itself failed, such as when its log cannot be written. */
async function runFunction(agent: Agent, assignment: Assignment, watch: Watch): Promise<Ending> {
  const own = new AgentWatch(watch);
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (ending: Ending) => void = () => undefined;
  const givenUp = new Promise<Ending>((resolve) => {
    giveUp = resolve;
  });
  const unhear = onAbort(watch.signal, () => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp({ kind: 'interrupted' }), GRACE_MS);
    own.stop(watch.signal.reason);
  });
  timer = setTimeout(
    () => {
      giveUp({ ...breakAgent(agent, `timed out after ${assignment.timeoutMs / 1000} seconds`), cutOff: true });
      own.stop('out of time');
    },
    Math.min(assignment.timeoutMs, MAX_TIMER_MS),
  );
  try {
    const handed = agent.run(assignment, own);
    return readHandedEnding(await Promise.race([handed, givenUp]), agent, assignment);
  } catch (error) {
    if (own.fault !== null) throw own.fault.error;
    if (watch.signal.aborted) return { kind: 'interrupted' };
    return breakAgent(agent, `threw an error: ${lineOf(error instanceof Error ? error.message : String(error), 300)}`);
  } finally {
    clearTimeout(timer);
    unhear();
  }
}

/** A function without types may return anything. */
function readHandedEnding(handed: unknown, agent: Agent, { interactive, outputs }: Assignment): Ending {
  if (!isObject(handed))
    return breakAgent(
      agent,
      `returned ${handed === undefined ? 'nothing' : 'no object'}; expected an object such as { kind: 'completed' }`,
    );
  const { kind } = handed;
  const usage = readHandedUsage(handed['usage']);
  switch (kind) {
    case 'completed':
    case 'failed': {
      const given = isObject(handed['outputs']) ? handed['outputs'] : {};
      return {
        kind,
        findings: cellText(handed['findings']),
        error: cellText(handed['error']),
        outputs: Object.fromEntries(outputs.filter((name) => Object.hasOwn(given, name)).map((name) => [name, cellText(given[name])])),
        usage,
      };
    }
    case 'asked':
      if (!interactive) return breakAgent(agent, 'asked a question, but the task is not interactive', usage);
      return { kind, question: cellText(handed['question']), usage };
    case 'blocked':
      return { kind, reason: cellText(handed['reason']) || 'no reason given', usage };
    case 'broken':
      return { kind, reason: cellText(handed['reason']), usage, ...(handed['cutOff'] === true ? { cutOff: true } : {}) };
    case 'interrupted':
      return isObject(handed['usage']) ? { kind, usage } : { kind };
    default:
      return breakAgent(agent, `returned the kind ${JSON.stringify(lineOf(cellText(kind), 60))}; expected completed or failed`, usage);
  }
}

function readHandedUsage(value: unknown): Usage {
  if (!isObject(value)) return NO_USAGE;
  const { tokens, costUsd } = value;
  return { tokens: typeof tokens === 'number' ? tokens : 0, costUsd: typeof costUsd === 'number' ? costUsd : 0 };
}

function breakAgent({ name }: Agent, what: string, usage = NO_USAGE): Extract<Ending, { kind: 'broken' }> {
  return endBroken(`The agent ${JSON.stringify(name)} ${what}.`, usage);
}
