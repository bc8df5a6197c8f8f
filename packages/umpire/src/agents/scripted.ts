// The agent that plays a script: for tests, demos and dry runs. Its answers go through the same door as a program's, so that
// what a script gets wrong is found out in the same way. Waiting is its caller's: a simulation need not wait.

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { faultOf, openFolder, placeFor, writeAtomically } from '../sessions/folder.js';
import { endingOf, readResult } from './result.js';
import type { Handed } from './result.js';
import type { Answer, Script } from './script.js';

export interface Timer {
  /** Resolves after so many milliseconds, or at once where the signal is given. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const realTimer: Timer = {
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    }),
};

export function scriptedAgent(script: Script, { name, timer }: { readonly name: string; readonly timer: Timer }): Agent {
  const run = async (assignment: Assignment, watch: Watch): Promise<Ending> => {
    const answer = script.answers.find((one) => fits(one, assignment));
    if (answer === undefined) {
      const { id } = assignment.task;
      return broken(`The script ${script.file} has no answer for the task ${JSON.stringify(id)}, attempt ${assignment.attempt}.`);
    }
    const play = new Play(name, answer, script, assignment, watch);
    const hangs = answer.fail === 'hang' || answer.after >= assignment.timeoutMs;
    await timer.wait(hangs ? assignment.timeoutMs : answer.after, watch.signal);
    if (watch.signal.aborted) return { kind: 'interrupted' };
    if (hangs) {
      // One that answers late still answers; nobody listens any more.
      if (answer.fail !== 'hang') void timer.wait(answer.after - assignment.timeoutMs, watch.signal).then(() => play.print(play.result()));
      return broken(`The agent "${name}" ran out of time after ${assignment.timeoutMs / 1000} seconds; its processes were killed.`);
    }
    const ending = play.act();
    if (answer.twice !== undefined) void timer.wait(0, watch.signal).then(() => play.print(answer.twice));
    return ending;
  };
  return { name, run };
}

/** All that an answer names must fit; `*` in a name stands for any text. */
function fits({ task, role, round, attempt }: Answer, assignment: Assignment): boolean {
  const named = (patterns: readonly string[] | undefined, name: string): boolean =>
    patterns === undefined || patterns.some((pattern) => isMatch(pattern, name));
  return (
    named(task, assignment.task.id) &&
    named(role, assignment.role.name) &&
    (round === undefined || (assignment.round !== null && round.includes(assignment.round))) &&
    (attempt === undefined || attempt.includes(assignment.attempt))
  );
}

function isMatch(pattern: string, name: string): boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`, 's').test(name);
}

class Play {
  constructor(
    private readonly name: string,
    private readonly answer: Answer,
    private readonly script: Script,
    private readonly assignment: Assignment,
    private readonly watch: Watch,
  ) {}

  act(): Ending {
    const { answer, assignment } = this;
    if (answer.print !== '') this.log(`${this.filled(answer.print)}\n`);
    const asked = assignment.turns.filter(({ from }) => from === 'agent').length;
    const question = answer.ask?.[asked];
    if (question !== undefined) return endingOf({ question: this.filled(question), usage: answer.usage }, assignment);
    const refused = this.touchFiles();
    if (refused !== null) return broken(refused);
    if (answer.fail !== undefined) return readResult(this.failure(answer.fail), assignment, this.name);
    const result = this.result();
    this.print(result);
    return endingOf(result, assignment);
  }

  /** What it hands in: completed, where the script does not say otherwise. */
  result(): Readonly<Record<string, unknown>> {
    const { usage } = this.answer;
    const said = this.filledAll(this.answer.result ?? {}) as Readonly<Record<string, unknown>>;
    return { id: this.assignment.task.id, status: 'completed', ...(usage === undefined ? {} : { usage }), ...said };
  }

  print(object: unknown): void {
    this.log(`${JSON.stringify(this.filledAll(object))}\n`);
  }

  private log(text: string): void {
    this.watch.log('stdout', Buffer.from(text));
  }

  /** Why it could not, or null. A liar leaves the files alone: all of them, or the evidence in the session folder. */
  private touchFiles(): string | null {
    const { write, delete: removed, lie } = this.answer;
    const done = (path: string): boolean => lie === undefined || (lie === 'stale' && !path.startsWith('session:'));
    try {
      for (const [path, content] of Object.entries(write)) if (done(path)) this.writeFile(path, content);
      for (const path of removed) if (done(path)) this.removeFile(path);
      return null;
    } catch (error) {
      if (isUmpireError(error)) return `The script could not do what it says: ${error.message}`;
      return `The script could not do what it says: ${faultOf(error)}.`;
    }
  }

  private writeFile(path: string, content: Answer['write'][string]): void {
    const { root, inner } = this.locate(path);
    const text =
      'from' in content
        ? readFileSync(join(dirname(this.script.file), content.from), 'utf8')
        : 'text' in content
          ? content.text
          : `${JSON.stringify(content.json, null, 2)}\n`;
    writeAtomically(openFolder(root), inner, this.filled(text), false);
  }

  private removeFile(path: string): void {
    const { root, inner } = this.locate(path);
    rmSync(placeFor(openFolder(root), inner, false), { recursive: true, force: true });
  }

  private locate(path: string): { readonly root: string; readonly inner: string } {
    const { session, workdir } = this.assignment;
    const inner = this.filled(path.replace(/^session:/, ''));
    return { root: path.startsWith('session:') ? session : workdir, inner };
  }

  private failure(fail: 'exit' | 'silent' | 'invalid' | 'hang'): Handed {
    const nothing = { file: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exit: { code: 0, signal: null } };
    if (fail === 'exit') return { ...nothing, exit: { code: 1, signal: null } };
    return fail === 'invalid' ? { ...nothing, stdout: Buffer.from('{"status": "perhaps"}\n') } : nothing;
  }

  /** `{id}`, `{role}`, `{round}` and `{attempt}` in a text become the assignment's. */
  private filled(text: string): string {
    const { task, role, round, attempt } = this.assignment;
    const values: Readonly<Record<string, string>> = { id: task.id, role: role.name, round: String(round ?? 0), attempt: String(attempt) };
    return text.replace(/\{(id|role|round|attempt)\}/g, (_, name: string) => values[name] ?? '');
  }

  private filledAll(value: unknown): unknown {
    if (typeof value === 'string') return this.filled(value);
    if (Array.isArray(value)) return value.map((entry) => this.filledAll(entry));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.filledAll(entry)]));
  }
}

function broken(reason: string): Ending {
  return { kind: 'broken', reason, usage: NO_USAGE };
}
