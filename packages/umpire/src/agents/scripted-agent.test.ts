import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, newWatch, realAssignment, until } from '../../../../test/support/assignment.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Assignment, Ending } from '@umpire/core/model/ports.js';
import { parseScript } from './script-file.js';
import { realTimer, scriptedAgent } from './scripted-agent.js';
import type { Timer } from './scripted-agent.js';

const FAULTS = join(import.meta.dirname, '..', '..', '..', '..', 'examples', 'scripts', 'faults.yaml');

/** Time that passes at once, and is written down. */
function fastTimer(): Timer & { readonly waited: number[] } {
  const waited: number[] = [];
  return { waited, wait: (ms) => Promise.resolve(void waited.push(ms)) };
}

function taskOf(id: string): Assignment['task'] {
  return { id, description: 'x', deps: [], context_from: [] };
}

async function play(id: string, changes: Partial<Assignment> = {}, timer: Timer = fastTimer()): Promise<Ending> {
  const script = parseScript(readFileSync(FAULTS, 'utf8'), FAULTS);
  return scriptedAgent(script, { name: 'rehearsal', timer }).run(realAssignment({ task: taskOf(id), outputs: [], ...changes }), newWatch());
}

function done(findings: string): Ending {
  return { kind: 'completed', findings, error: '', outputs: {}, usage: NO_USAGE };
}

function broken(reason: string): Ending {
  return { kind: 'broken', reason, usage: NO_USAGE };
}

test('goes wrong as the script says, with the reasons that a program would get', async () => {
  expect(await play('FLAKY-1')).toEqual(broken('The agent "rehearsal" exited with status 1.'));
  expect(await play('FLAKY-1', { attempt: 2 })).toEqual(done('It worked the second time.'));
  expect(await play('SILENT')).toEqual(
    broken(
      'The agent "rehearsal" returned no result: no result file and no JSON object in its output. Its last line should be: {"status":"completed","findings":"what it did"} (docs/agents.md, "Your own program").',
    ),
  );
  expect(await play('INVALID')).toEqual(
    broken('The last JSON object on its output is invalid: its status is "perhaps"; expected completed, failed or blocked.'),
  );
  expect(await play('HONEST')).toMatchObject({ kind: 'failed', error: 'There is no network here.' });
  expect(await play('OTHER')).toEqual(broken(`The script ${FAULTS} has no answer for task "OTHER", attempt 1.`));
});

test('hangs until time runs out, and answers too late', async () => {
  const late = { ...broken('The agent "rehearsal" timed out after 60 seconds; Umpire killed its processes.'), cutOff: true };
  const timer = fastTimer();
  expect(await play('HANG', {}, timer)).toEqual(late);
  expect(timer.waited).toEqual([60_000]);
  expect(await play('LATE', {}, timer)).toEqual(late);
  expect(timer.waited).toEqual([60_000, 60_000, 3_540_000]);
});

test('stops at once where the run is stopped', async () => {
  const script = parseScript('answers: [{fail: hang}]', 'x.yaml');
  const watch = newWatch();
  const run = scriptedAgent(script, { name: 'rehearsal', timer: realTimer }).run(realAssignment({ timeoutMs: Infinity }), watch);
  watch.stop();
  expect(await run).toEqual({ kind: 'interrupted' });
  expect(await scriptedAgent(script, { name: 'rehearsal', timer: realTimer }).run(realAssignment(), watch)).toEqual({
    kind: 'interrupted',
  });
});

test('real time passes', async () => {
  const before = performance.now();
  await realTimer.wait(30, new AbortController().signal);
  expect(performance.now() - before).toBeGreaterThanOrEqual(28);
});

test('liars leave files alone', async () => {
  const assignment = realAssignment({ task: taskOf('LIAR') });
  expect(await play('LIAR', assignment)).toMatchObject(done('All done, trust me.'));
  expect(existsSync(join(assignment.workdir, 'src'))).toBe(false);
  expect((await play('STALE', { ...assignment, task: taskOf('STALE') })).kind).toBe('completed');
  expect(readFileSync(join(assignment.workdir, 'src', 'touched.txt'), 'utf8')).toBe('round 2');
  expect(existsSync(join(assignment.session, 'artifacts'))).toBe(false);
});

test('answers twice, and only the first counts', async () => {
  const watch = newWatch();
  const script = parseScript(readFileSync(FAULTS, 'utf8'), FAULTS);
  const ending = await scriptedAgent(script, { name: 'rehearsal', timer: realTimer }).run(realAssignment({ task: taskOf('TWICE') }), watch);
  expect(ending).toMatchObject({ kind: 'completed', findings: 'first' });
  expect(await until(() => watch.text().split('\n').length === 3)).toBe(true);
  expect(watch.text()).toContain('{"status":"failed","error":"second"}\n');
});

test('asks one question a turn, then answers', async () => {
  const talk = { interactive: true, role: { name: 'designer', text: '' } };
  const turns = [{ from: 'agent', text: 'Which bank?' } as const, { from: 'person', text: 'The old one.' } as const];
  const asked = (question: string): Ending => ({ kind: 'asked', question, usage: NO_USAGE });
  expect(await play('TALK', talk)).toEqual(asked('Which bank?'));
  expect(await play('TALK', { ...talk, turns })).toEqual(asked('Since when?'));
  expect(await play('TALK', { ...talk, turns: [...turns, ...turns] })).toEqual(done('Asked twice.'));
  expect((await play('TALK', { role: talk.role })).kind).toBe('broken');
});

test('prints, deletes, and says what it used', async () => {
  const assignment = realAssignment({ task: taskOf('TIDY') });
  const watch = newWatch();
  mkdirSync(join(assignment.session, 'artifacts'));
  const files = [join(assignment.workdir, 'old.txt'), join(assignment.session, 'artifacts', 'old.json')];
  for (const file of files) writeFileSync(file, 'old');
  const script = parseScript(readFileSync(FAULTS, 'utf8'), FAULTS);
  const ending = await scriptedAgent(script, { name: 'rehearsal', timer: fastTimer() }).run(assignment, watch);
  expect(ending).toMatchObject({ kind: 'completed', usage: { tokens: 10, costUsd: 0.001 } });
  expect(files.map((file) => existsSync(file))).toEqual([false, false]);
  expect(watch.text()).toMatch(/^Cleaning up for TIDY, attempt 1\.\n\{"id":"TIDY",/);
  expect((await play('TIDY', { round: 3 })).kind).toBe('broken');
  expect((await play('TIDY', { round: null })).kind).toBe('broken');
});

test('writes texts, JSON and fixtures, and hands in its columns', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'fixture.txt'), 'for {id}');
  const text = `answers:
  - task: '*-001'
    write:
      a/text.txt: {text: 'by {role}'}
      session:artifacts/{id}.json: {json: {round: 1}}
      b.txt: {from: fixture.txt}
    result: {findings: '{id} done', review_score: 8, gc_signal: CONVERGED}`;
  const assignment = realAssignment();
  const ending = await scriptedAgent(parseScript(text, join(folder, 'my.yaml')), { name: 'rehearsal', timer: fastTimer() }).run(
    assignment,
    newWatch(),
  );
  expect(ending).toEqual({ ...done('DEV-001 done'), outputs: { review_score: '8', gc_signal: 'CONVERGED' } });
  const read = (path: string): string => readFileSync(path, 'utf8');
  expect([
    read(join(assignment.workdir, 'a', 'text.txt')),
    read(join(assignment.session, 'artifacts', 'DEV-001.json')),
    read(join(assignment.workdir, 'b.txt')),
  ]).toEqual(['by developer', '{\n  "round": 1\n}\n', 'for DEV-001']);
});

test('no link and no id leads a script out of its folder', async () => {
  const outside = newFolder();
  const assignment = realAssignment();
  symlinkSync(outside, join(assignment.workdir, 'link'));
  writeFileSync(join(outside, 'kept'), 'mine');
  const run = (text: string, task = assignment.task): Promise<Ending> =>
    scriptedAgent(parseScript(text, 'x.yaml'), { name: 'rehearsal', timer: fastTimer() }).run({ ...assignment, task }, newWatch());
  const reasons = [
    await run('answers: [{write: {link/x: y}}]'),
    await run('answers: [{delete: link/kept}]'),
    await run('answers: [{write: {"{id}": y}}]', taskOf('../escaped')),
  ].map((ending) => (ending.kind === 'broken' ? ending.reason : ending.kind));
  for (const reason of reasons) expect(reason).toMatch(/^The script failed: .* leads outside/);
  expect([existsSync(join(outside, 'x')), readFileSync(join(outside, 'kept'), 'utf8')]).toEqual([false, 'mine']);
  expect(existsSync(join(assignment.workdir, '..', 'escaped'))).toBe(false);
});
