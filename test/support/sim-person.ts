// The person of a simulation: gives valid and invalid answers, fixes work by hand, makes good and bad edits of tasks.csv, and
// aborts in the end.

import type { AnswerGiven } from '@umpire/core/decider/answers.js';
import { answersIn, answersTo, isAboutEvidence } from '@umpire/core/decider/question.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Question, Answer } from '@umpire/core/model/questions.js';
import type { SeededRandom } from './sim-random.js';
import { MOST_ROUNDS_GRANTED, MOST_TASKS_ADDED } from './sim-plan.js';
import type { SimPlan } from './sim-plan.js';

type Cells = Readonly<Record<string, string>>;

/** tasks.csv as it is in the folder. */
export interface TasksSheet {
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
}

export class Person {
  private answersLeft: number;
  private extensionsLeft: number;
  private retriesLeft: number;
  private editsLeft: number;

  constructor(
    private readonly plan: SimPlan,
    private readonly chance: SeededRandom,
  ) {
    const { answers, extensions, retries, edits } = plan.turmoil;
    this.answersLeft = answers;
    this.extensionsLeft = extensions;
    this.retriesLeft = retries;
    this.editsLeft = edits;
  }

  /** `edit`: fixes the work in the worktree and resumes the session. */
  answer(run: RunState, question: Question): AnswerGiven | 'edit' {
    if (this.answersLeft-- <= 0) return this.say('abort');
    if (question.kind === 'edit' && this.chance.hits(0.6)) return 'edit';
    const allowed = answersIn(run, question).filter(
      (word) => word !== 'abort' && word !== 'stop' && (word !== 'extend' || this.mayExtend(question)),
    );
    if (allowed.length === 0 || this.chance.hits(0.03)) return this.say('abort');
    return this.say(this.chance.pick(allowed));
  }

  private mayExtend(question: Question): boolean {
    return question.kind === 'no-evidence' || this.extensionsLeft-- > 0;
  }

  private say(answer: Answer): AnswerGiven {
    const grants = answer === 'extend';
    return {
      answer,
      reason: 'A person says so.',
      rounds: grants ? this.chance.within(1, MOST_ROUNDS_GRANTED) : 0,
      costUsd: grants ? this.chance.within(1, 5) : 0,
      minutes: grants ? this.chance.within(10, 60) : 0,
      tokens: grants ? this.chance.within(100, 3000) : 0,
      by: 'resolve',
      ...(answer === 'change-goal' ? { goal: 'Another goal.' } : {}),
    };
  }

  /** An answer that must be refused for this question, or null. */
  blunder(question: Question): AnswerGiven | null {
    if (!this.chance.hits(0.2)) return null;
    const given = this.say(this.chance.pick(['force-approve', 'manual-fix', 'extend', 'approve', 'revise', 'answer'] as const));
    const isAllowed = answersTo(question).includes(given.answer);
    if (!isAllowed) return given;
    if (given.answer === 'extend' && !isAboutEvidence(question)) return { ...given, rounds: 0, costUsd: 0, minutes: 0, tokens: 0 };
    return given.answer === 'force-approve' || given.answer === 'answer' ? { ...given, reason: ' ' } : null;
  }

  retries(): boolean {
    return this.retriesLeft-- > 0;
  }

  /** The file after an edit; null without an edit. */
  edit(sheet: TasksSheet, share: number): TasksSheet | null {
    if (this.editsLeft <= 0 || sheet.rows.length === 0 || !this.chance.hits(share)) return null;
    this.editsLeft--;
    return this.change(sheet);
  }

  private change(sheet: TasksSheet): TasksSheet {
    const { chance, plan } = this;
    const ids = sheet.rows.map((row) => row['id'] ?? '');
    const some = () => ids.filter(() => chance.hits(1.3 / ids.length)).join(';');
    const set = (cells: Cells): TasksSheet => {
      const at = chance.below(sheet.rows.length);
      return { ...sheet, rows: sheet.rows.map((row, index) => (index === at ? { ...row, ...cells } : row)) };
    };
    const kind = chance.weigh({ text: 2, deps: 4, context: 2, add: 4, skip: 2, contradict: 2, remove: 1, mode: 1, column: 1, nonsense: 1 });
    switch (kind) {
      case 'text':
        return set({ description: `Do it another way (${chance.below(100)}).`, title: 'Another' });
      case 'deps':
        return set({ deps: some() });
      case 'context':
        return set({ context_from: some(), ...(chance.hits(0.5) ? { deps: some() } : {}) });
      case 'add':
        return { ...sheet, rows: [...sheet.rows, ...this.newRows(ids)] };
      case 'skip':
        return set({ status: 'skipped' });
      case 'contradict':
        return set(
          chance.pick([
            { status: 'completed' },
            { findings: 'All is well.' },
            { role: 'boss' },
            { error: 'x' },
            { [plan.loop.columns.out[0] ?? 'findings']: '10' },
          ]),
        );
      case 'remove':
        return { ...sheet, rows: sheet.rows.toSpliced(chance.below(ids.length), 1) };
      case 'mode':
        return set({ exec_mode: chance.pick(['interactive', 'csv-wave', '']) });
      case 'column':
        return { columns: [...sheet.columns, 'note'], rows: sheet.rows.map((row) => ({ ...row, note: 'mine' })) };
      case 'nonsense':
        return set(
          chance.pick([
            { description: ' ' },
            { deps: 'NOWHERE-1' },
            { id: ids[0] ?? '' },
            { status: 'perhaps' },
            { [plan.loop.columns.in[0] ?? 'title']: 'L9' },
          ]),
        );
    }
  }

  private newRows(ids: readonly string[]): readonly Cells[] {
    const { chance, plan } = this;
    const { loop, writers } = plan;
    return Array.from({ length: chance.within(1, MOST_TASKS_ADDED) }, (_, n) => {
      const role = chance.hits(0.2) ? loop.roles.critic : chance.pick([loop.roles.generator, 'thinker', ...writers]);
      const deps = ids.filter(() => chance.hits(1.3 / ids.length)).join(';');
      const own =
        loop.loop === 'testing'
          ? { layer: chance.pick(['L1', 'L7']) }
          : loop.loop === 'review'
            ? { sprint_num: chance.pick(['1', '8']) }
            : {};
      return {
        ...own,
        id: `NEW-${chance.below(1000)}-${n}`,
        title: 'New',
        description: 'Do this too.',
        role,
        deps,
        context_from: '',
        status: chance.pick(['', 'pending']),
      };
    });
  }
}
