// The agent that is a person at the terminal: says what is to be done, waits, asks for the result line by line. A person is not
// timed: whoever wants to stop stops the run. The result is held to the same rules as a program's.

import { NO_USAGE } from '@umpire/core/ports.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { showHidden } from './hidden-text.js';
import { Lines } from './lines.js';
import { findingLine } from './prompt.js';
import { endingOf } from './result.js';

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Is a person there to be asked? As a rule: `process.stdin.isTTY === true`. */
  readonly present: boolean;
}

/** One task at a time: others wait for the person to be free. */
export function personAgent(terminal: Terminal): Agent {
  const lines = new Lines(terminal.input);
  let free: Promise<unknown> = Promise.resolve();
  const run = (assignment: Assignment, watch: Watch): Promise<Ending> => {
    const ending = free.then(() => new Interview(terminal, lines, assignment, watch).hold());
    free = ending.catch(() => undefined);
    return ending;
  };
  return { name: 'person', isPerson: true, run };
}

/** The input is over, or the run is being stopped. */
class Silence extends Error {}

class Interview {
  constructor(
    private readonly terminal: Terminal,
    private readonly lines: Lines,
    private readonly assignment: Assignment,
    private readonly watch: Watch,
  ) {}

  async hold(): Promise<Ending> {
    if (this.watch.signal.aborted) return { kind: 'interrupted' };
    if (!this.terminal.present) {
      const { id } = this.assignment.task;
      return broken(
        `The task ${JSON.stringify(id)} is for a person, and there is no terminal to ask in. Run \`umpire resume --retry\` in a terminal.`,
      );
    }
    try {
      this.say(briefing(this.assignment));
      return endingOf(await this.askResult(), this.assignment);
    } catch (error) {
      if (!(error instanceof Silence)) throw error;
      return this.watch.signal.aborted
        ? { kind: 'interrupted' }
        : broken('The input ended before the task was answered. Run `umpire resume --retry` in a terminal to answer it.');
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
    const findings = await this.ask('Findings (what came of it, on one line): ');
    const error = status === 'failed' ? await this.ask('Why it failed: ') : '';
    const cells: Record<string, string> = {};
    for (const column of outputs) cells[column] = await this.ask(`${column} (empty for none): `);
    return { ...cells, status, findings, error };
  }

  private async ask(question: string): Promise<string> {
    this.say(question);
    const answer = await this.lines.next(this.watch.signal);
    if (answer === null) throw new Silence();
    this.watch.log('stdout', Buffer.from(`${question}${answer}\n`));
    return answer;
  }

  private say(text: string): void {
    this.terminal.output.write(text);
  }
}

/** What the person is told. Texts of others cannot move the cursor or hide a word. */
function briefing(assignment: Assignment): string {
  const { task, role, round, attempt, goal, prevContext, findings, rules, turns, workdir, session, writes } = assignment;
  const about = [`role ${role.name}`, ...(round === null ? [] : [`round ${round}`]), ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
  const title = task['title'];
  const lines = [
    '',
    `Task ${task.id} (${about.join(', ')})${typeof title === 'string' && title !== '' ? `: ${title}` : ''}`,
    ...part('The goal', [goal]),
    ...part('What is to be done', [String(task['description'] ?? '')]),
    ...part(
      'What earlier tasks reported',
      prevContext.map((entry) => `${entry.id}: ${entry.findings}`),
    ),
    ...part('Findings to mend', findings.map(findingLine)),
    ...part(
      'Rules',
      rules.map((rule) => `- ${rule}`),
    ),
    ...part(
      'The conversation so far',
      turns.map(({ from, text }) => `${from === 'agent' ? 'You asked' : 'The answer was'}: ${text}`),
    ),
    '',
    `Work in ${workdir}${writes ? '' : ' (reading only: changes there are thrown away)'}.`,
    `Reports and other evidence go into ${session}.`,
    'Answer when you are done.',
    '',
  ];
  return `${showHidden(lines.join('\n'))}\n`;
}

function part(heading: string, entries: readonly string[]): readonly string[] {
  const said = entries.filter((entry) => entry.trim() !== '');
  return said.length === 0 ? [] : ['', `${heading}:`, ...said.map((entry) => `  ${entry.trimEnd().replaceAll('\n', '\n  ')}`)];
}

function broken(reason: string): Ending {
  return { kind: 'broken', reason, usage: NO_USAGE };
}
