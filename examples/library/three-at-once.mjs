// Three questions at once, each in a session of its own. The agents are functions of this program: a call to your model goes where
// `think` is. Umpire counts what the challenger holds against the ideas, asks for another round or calls it done, and keeps it all.

import { run } from 'umpire';

/** Stands for a model: the first ideas are torn apart, the second leave little to say. */
const think = async (role, round) => {
  if (role !== 'challenger') return { findings: `${role}, round ${round ?? '-'}: done` };
  const severity_summary = round === 0 ? 'HIGH:1 MEDIUM:2 LOW:0' : 'HIGH:0 MEDIUM:1 LOW:2';
  return { findings: 'The gain is smaller than it looks.', outputs: { severity_summary } };
};

const thinker = {
  inProcess: true, // It reads nothing in the session folder but what it is handed.
  run: async ({ role, round }) => ({ kind: 'completed', ...(await think(role.name, round)) }),
};

const questions = ['Cut cold starts in half', 'Make sign-up one page', 'Ship on Fridays'];
const sessions = questions.map((goal) => run({ loop: 'brainstorm', mode: 'deep', goal, agent: 'thinker', agents: { thinker } }));

for (const { status, unverified, verdicts, state } of await Promise.all(sessions)) {
  const rounds = verdicts.map(({ decision, rule }) => `${decision} (${rule})`);
  console.log(`${state.run.started.goal}: ${rounds.join(', ')}: ${status}${unverified ? ', unverified' : ''}`);
}
