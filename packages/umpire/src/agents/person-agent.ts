// The agent that is a person at the terminal: shows the task, waits, and asks for the result line by line. There is no timeout. The result
// follows the same rules as a program's.

import type { Agent, Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { showHidden } from '../views/safe-text.js';
import { findingLine, findingsHeading } from './prompt.js';
import { endBroken, endingOf } from './result.js';
import { StringDecoder } from 'node:string_decoder';

export interface PersonTerminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Is a person there? Usually `process.stdin.isTTY === true`. */
  readonly present: boolean;
}

/** One task at a time; other tasks wait. */
export function personAgent(terminal: PersonTerminal): Agent {
  const lines = new LineReader(terminal.input);
  let free: Promise<unknown> = Promise.resolve();
  return {
    name: 'person',
    isPerson: true,
    run: (assignment, watch) => {
      const ending = free.then(() => new Interview(terminal, lines, assignment, watch).hold());
      free = ending.catch(() => undefined);
      return ending;
    },
  };
}

/** The input ended, or the run is being stopped. */
class InputEnded extends Error {}

class Interview {
  constructor(
    private readonly terminal: PersonTerminal,
    private readonly lines: LineReader,
    private readonly assignment: Assignment,
    private readonly watch: Watch,
  ) {}

  async hold(): Promise<Ending> {
    if (this.watch.signal.aborted) return { kind: 'interrupted' };
    if (!this.terminal.present) {
      const { id } = this.assignment.task;
      return endBroken(
        `The task ${JSON.stringify(id)} is for a person, but there is no terminal. Run this in a terminal: umpire resume --retry`,
      );
    }
    try {
      // The task as text for the terminal. Texts of others cannot move the cursor or hide a word.
      const { task, role, round, attempt, goal, prevContext, findings, rules, turns, workdir, session, writes } = this.assignment;
      const about = [`role ${role.name}`, ...(round === null ? [] : [`round ${round}`]), ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
      const title = task['title'];
      const lines = [
        '',
        `Task ${task.id} (${about.join(', ')})${typeof title === 'string' && title !== '' ? `: ${title}` : ''}`,
        ...listSection('The goal', [goal]),
        ...listSection('The task', [String(task['description'] ?? '')]),
        ...listSection(
          'Reports of earlier tasks',
          prevContext.map((entry) => `${entry.id}: ${entry.findings}`),
        ),
        ...listSection(findingsHeading(this.assignment), findings.map(findingLine)),
        ...listSection(
          'Rules',
          rules.map((rule) => `- ${rule}`),
        ),
        ...listSection(
          'The conversation so far',
          turns.map(({ from, text }) => `${from === 'agent' ? 'You asked' : 'The answer was'}: ${text}`),
        ),
        '',
        `Work in ${workdir}${writes ? '' : ' (read-only: Umpire discards changes there)'}.`,
        `Write reports and other evidence to ${session}.`,
        'Answer when you are done.',
        '',
      ];
      this.say(`${showHidden(lines.join('\n'))}\n`);
      return endingOf(await this.askResult(), this.assignment);
    } catch (error) {
      if (!(error instanceof InputEnded)) throw error;
      return this.watch.signal.aborted
        ? { kind: 'interrupted' }
        : endBroken('The input ended before the task was answered. Run this in a terminal: umpire resume --retry');
    }
  }

  private async askResult(): Promise<Readonly<Record<string, string>>> {
    const { interactive, outputs } = this.assignment;
    const hint = interactive ? 'completed or failed, or ? and a question' : 'completed or failed';
    let status = '';
    while (status === '') {
      const said = (await this.ask(`Status (${hint}): `)).trim();
      if (interactive && said.startsWith('?') && said.length > 1) return { question: said.slice(1).trim() };
      status = ['completed', 'failed'].find((word) => said !== '' && word.startsWith(said.toLowerCase())) ?? '';
      if (status === '') this.say(`Please answer with ${hint}.\n`);
    }
    const findings = await this.ask('Findings (a summary on one line): ');
    const error = status === 'failed' ? await this.ask('Why it failed: ') : '';
    const cells: Record<string, string> = {};
    for (const column of outputs) cells[column] = await this.ask(`${column} (empty for none): `);
    return { ...cells, status, findings, error };
  }

  private async ask(question: string): Promise<string> {
    this.say(question);
    const answer = await this.lines.next(this.watch.signal);
    if (answer === null) throw new InputEnded();
    this.watch.log('stdout', Buffer.from(`${question}${answer}\n`));
    return answer;
  }

  private say(text: string): void {
    this.terminal.output.write(text);
  }
}

function listSection(heading: string, entries: readonly string[]): readonly string[] {
  const said = entries.filter((entry) => entry.trim() !== '');
  return said.length === 0 ? [] : ['', `${heading}:`, ...said.map((entry) => `  ${entry.trimEnd().replaceAll('\n', '\n  ')}`)];
}

class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private text = '';
  private over = false;
  private wake: () => void = () => undefined;

  constructor(private readonly input: NodeJS.ReadableStream) {
    // Always listens: the end may come between two questions.
    for (const event of ['end', 'close', 'error']) {
      input.on(event, () => {
        this.over = true;
        this.wake();
      });
    }
  }

  /** The next line without its line end; null after the end of the input or an abort. */
  async next(signal: AbortSignal): Promise<string | null> {
    while (!this.text.includes('\n') && !this.over && !signal.aborted) await this.hear(signal);
    if (signal.aborted) return null;
    const end = this.text.indexOf('\n');
    if (end < 0 && this.text === '') return null;
    const line = end < 0 ? this.text : this.text.slice(0, end);
    this.text = end < 0 ? '' : this.text.slice(end + 1);
    return line.replace(/\r$/, '');
  }

  /** Waits for data, the end of the input or an abort. */
  private hear(signal: AbortSignal): Promise<void> {
    const { input } = this;
    return new Promise((resolve) => {
      const takeChunk = (chunk: Buffer | string): void => {
        this.text += typeof chunk === 'string' ? chunk : this.decoder.write(chunk);
        this.wake();
      };
      const stopWaiting = (): void => {
        input.off('data', takeChunk);
        signal.removeEventListener('abort', stopWaiting);
        this.wake = () => undefined;
        input.pause();
        resolve();
      };
      this.wake = stopWaiting;
      signal.addEventListener('abort', stopWaiting);
      input.on('data', takeChunk);
      input.resume();
    });
  }
}
