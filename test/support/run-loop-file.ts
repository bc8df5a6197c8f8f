// A small user-defined loop: a reader judges whether prose is good. A test can give it any pipeline. JSON is YAML, so a pipeline is
// data here.

const RULES = `
loop: prose
title: A reader reads what a writer wrote.
roles: { generator: writer, critic: reader, judge: judge }
words: { converge: GOOD, revise: AGAIN, accept: TAKE, escalate: ASK }
chain: session
round: { first: 1, counts: readings }
cap: { default: 2 }
columns: { in: [], out: [verdict] }
evidence: { report: { file: reading.json, reader: json, grade: testified, what: the reading } }
facts: { report: { state: report }, good: { flag: report.good } }
repairs:
  - { id: P1, when: { report: [missing, unreadable] }, why: Nobody read it., error: { message: There is no reading., hint: Read it. } }
table:
  - { id: P2, when: { good: true }, then: converge, why: It reads well., next: Done. }
  - { id: P3, when: { round: "<cap" }, then: revise, why: It does not read well., next: "Execute {tasks}." }
  - { id: P4, then: escalate, why: It still does not read well., next: "A person decides: {options}." }
tasks:
  - { id: "WRITE-re-{round}", title: Write it again, description: Write it again., role: writer, after: critic }
  - { id: "READ-re-{round}", title: Read it again, description: Read it again., role: reader, after: previous, recheck: true }
report: [{ heading: Summary, blocks: [{ reasons: true }] }]
ask: { question: What now?, options: [{ id: force-approve, means: take it }, { id: abort, means: stop }] }
`;

export interface PlannedTask {
  readonly id: string;
  readonly role?: string;
  readonly deps?: readonly string[];
  readonly context_from?: readonly string[];
  readonly exec_mode?: string;
  readonly approve?: boolean;
}

export interface Plan {
  readonly tasks: readonly PlannedTask[];
  /** Roles that change the project. Default: none. */
  readonly writes?: readonly string[];
  /** Whether the reader is judged. Default: no. */
  readonly judged?: boolean;
}

/** Without a plan the loop has no pipelines, and Umpire makes the simplest one. */
export function proseLoop(plan?: Plan, rules: string = RULES): string {
  if (plan === undefined) return rules;
  const tasks = plan.tasks.map((task) => ({ title: `Do ${task.id}`, description: `${task.id} of {goal}`, role: 'writer', ...task }));
  const modes = { only: { title: `${plan.tasks.length} tasks.`, judged: plan.judged ?? false, tasks } };
  return `${rules}pipelines: ${JSON.stringify({ default: 'only', writes: plan.writes ?? [], modes })}\n`;
}

/** The files of a project that has it as `prose.yaml`. */
export function proseFiles(plan?: Plan): Readonly<Record<string, string>> {
  return { 'prose.yaml': proseLoop(plan), 'roles/prose/judge.md': 'Judge prose.\n' };
}

/** A reading as an answer of the scripted agent. */
export function reading(good: boolean, who: Readonly<Record<string, unknown>> = { role: 'reader' }): Readonly<Record<string, unknown>> {
  return { ...who, write: { 'session:reading.json': { json: { good } } }, result: { findings: good ? 'It is good.' : 'It is not good.' } };
}

/** The same loop, whose reader lists faults: a round with new faults and no fewer than before is worse. */
export function harmedProseLoop(plan: Plan): string {
  const facts = 'new_faults: { count: report.faults, change: new }, mended: { count: report.faults, change: net }';
  const rules = RULES.replace('good: { flag: report.good } }', `good: { flag: report.good }, ${facts} }`);
  return proseLoop(plan, `${rules}worse: { new_faults: ">0", mended: "<=0" }\n`);
}

/** The same loop with a second critic: a lawyer, who runs before the reader in every round. */
export function lawfulProseLoop(plan: Plan): string {
  const law = 'law: { file: law.json, by: lawyer, reader: json, grade: testified, what: the opinion }';
  const task = '{ id: "LAW-re-{round}", title: Ask again, description: Ask again., role: lawyer, after: previous }';
  const rules = RULES.replace('what: the reading } }', `what: the reading }, ${law} }`)
    .replace('good: { flag: report.good } }', 'good: { flag: report.good }, legal: { flag: law.legal } }')
    .replace('when: { good: true }', 'when: { good: true, legal: true }')
    .replace('  - { id: "READ-re', `  - ${task}\n  - { id: "READ-re`);
  return proseLoop(plan, rules);
}
