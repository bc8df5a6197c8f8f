// One project with sessions in the states that the dashboard shows, made by real runs of the scripted agent: each takes a second, so that
// many tests share them.

import { POOR_REVIEW, REST, review, writer } from './run-evidence.js';
import { makeProject } from './run-project.js';
import type { RunProject } from './run-project.js';

/** Tags, a script, a picture and a link in what an agent wrote. */
export const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>[click](javascript:alert(3)) ![p](https://evil.example/x.png)';

const PLAN = `# Plan\n\n1. **Split** the sum\n2. Test it\n\n| file | risk |\n|---|---|\n| a.txt | low |\n\n${HOSTILE}\n`;

const AGENTS = {
  planners: [{ role: 'planner', result: { findings: PLAN } }, writer('executor'), REST],
  reviewers: [
    review({
      ...POOR_REVIEW,
      findings: [
        { severity: 'High', message: 'The total is wrong', file: 'work/DEV-001.txt', line: 1 },
        { severity: 'Medium', message: 'No unit is named', file: 'work/DEV-001.txt', line: 900 },
      ],
    }),
    writer('developer', { usage: { tokens: 1000, cost_usd: 0.5 } }),
    REST,
  ],
  idle: [{ print: 'I have looked at a.txt\n', result: { findings: HOSTILE } }],
  blocked: [{ result: { status: 'blocked', reason: 'The goal contradicts **itself**.' } }],
};

export type DemoAgent = keyof typeof AGENTS;

export function dashboardProject(): RunProject {
  const names = Object.keys(AGENTS) as DemoAgent[];
  return makeProject({
    files: {
      'a.txt': 'wrong\n',
      ...Object.fromEntries(names.map((name) => [`agents/${name}.yaml`, JSON.stringify({ answers: AGENTS[name] })])),
    },
    config: { agents: Object.fromEntries(names.map((name) => [name, { script: `agents/${name}.yaml` }])), critics: { tests: 'none' } },
  });
}

/** A session that waits for the approval of a plan. */
export const planned = (project: RunProject, name: string) =>
  project.umpire('run', 'debt', 'less debt', '--mode', 'targeted', '--agent', 'planners', '--session', `.umpire/sessions/${name}`);

/** A session whose review found something in its last round. */
export const reviewed = (project: RunProject, name: string) =>
  project.umpire(
    'run',
    'review',
    'safer',
    '--mode',
    'sprint',
    '--agent',
    'reviewers',
    '--max-rounds',
    '1',
    '--session',
    `.umpire/sessions/${name}`,
  );

/** A session whose command still fails after its last round. */
export const stuck = (project: RunProject, name: string, agent: DemoAgent = 'idle') =>
  project.umpire('until', 'grep -q right a.txt', '--max-rounds', '1', '--agent', agent, '--session', `.umpire/sessions/${name}`);
