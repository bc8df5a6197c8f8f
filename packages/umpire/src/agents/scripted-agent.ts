// The agent that plays a script: for tests, demos and dry runs. Its answers are read like a program's. The caller provides the timer, so a
// simulation need not wait.

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { faultOf, openFolder, placeFor, writeAtomically } from '../sessions/session-folder.js';
import { endBroken, endingOf, readProgramResult } from './result.js';
import type { ProgramOutput } from './result.js';
import type { ScriptAnswer, Script } from './script-file.js';

export interface Timer {
  /** Resolves after this time, or at once on abort. Never rejects. */
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
  const playAnswer = async (assignment: Assignment, watch: Watch): Promise<Ending> => {
    const answer = script.answers.find((one) => {
      // All conditions of an answer must match; `*` in a name matches any text.
      const { task, role, round, attempt } = one;
      const matchesName = (patterns: readonly string[] | undefined, name: string): boolean =>
        patterns === undefined ||
        patterns.some((pattern) => {
          const source = pattern
            .split('*')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*');
          return new RegExp(`^${source}$`, 's').test(name);
        });
      return (
        matchesName(task, assignment.task.id) &&
        matchesName(role, assignment.role.name) &&
        (round === undefined || (assignment.round !== null && round.includes(assignment.round))) &&
        (attempt === undefined || attempt.includes(assignment.attempt))
      );
    });
    if (answer === undefined) {
      const { id } = assignment.task;
      return endBroken(`The script ${script.file} has no answer for task ${JSON.stringify(id)}, attempt ${assignment.attempt}.`);
    }
    const scriptRun = new ScriptRun(name, answer, script, assignment, watch);
    const hangs = answer.fail === 'hang' || answer.after >= assignment.timeoutMs;
    await timer.wait(hangs ? assignment.timeoutMs : answer.after, watch.signal);
    if (watch.signal.aborted) return { kind: 'interrupted' };
    if (hangs) {
      // A late answer is still printed, but ignored.
      if (answer.fail !== 'hang')
        void timer.wait(answer.after - assignment.timeoutMs, watch.signal).then(() => scriptRun.print(scriptRun.result()));
      const late = endBroken(`The agent "${name}" timed out after ${assignment.timeoutMs / 1000} seconds; Umpire killed its processes.`);
      return { ...late, cutOff: true };
    }
    const ending = scriptRun.act();
    if (answer.twice !== undefined) void timer.wait(0, watch.signal).then(() => scriptRun.print(answer.twice));
    return ending;
  };
  return { name, run: playAnswer };
}

class ScriptRun {
  constructor(
    private readonly name: string,
    private readonly answer: ScriptAnswer,
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
    if (refused !== null) return endBroken(refused);
    if (answer.fail !== undefined)
      return { ...readProgramResult(this.failure(answer.fail), assignment, this.name).ending, usage: NO_USAGE };
    const result = this.result();
    this.print(result);
    return endingOf(result, assignment);
  }

  /** The result: completed, unless the script says otherwise. */
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

  /** Returns the error, or null. `lie: nothing` writes no file, `lie: stale` no evidence in the session folder. */
  private touchFiles(): string | null {
    const { write, delete: removed, lie } = this.answer;
    const done = (path: string): boolean => lie === undefined || (lie === 'stale' && !path.startsWith('session:'));
    try {
      for (const [path, content] of Object.entries(write))
        if (done(path)) {
          const { root, inner } = this.locate(path);
          const text =
            'from' in content
              ? readFileSync(join(dirname(this.script.file), content.from), 'utf8')
              : 'text' in content
                ? content.text
                : `${JSON.stringify(content.json, null, 2)}\n`;
          writeAtomically(openFolder(root), inner, this.filled(text), false);
        }
      for (const path of removed) if (done(path)) this.removeFile(path);
      return null;
    } catch (error) {
      if (isUmpireError(error)) return `The script failed: ${error.message}`;
      return `The script failed: ${faultOf(error)}.`;
    }
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

  private failure(fail: 'exit' | 'silent' | 'invalid' | 'hang'): ProgramOutput {
    const nothing = { file: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exit: { code: 0, signal: null } };
    if (fail === 'exit') return { ...nothing, exit: { code: 1, signal: null } };
    return fail === 'invalid' ? { ...nothing, stdout: Buffer.from('{"status": "perhaps"}\n') } : nothing;
  }

  /** Replaces `{id}`, `{role}`, `{round}` and `{attempt}`. */
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
