// docs/library.md and the package: the examples run, the types hold in strict programs of every kind, a killed program can continue, and
// the library does not disturb the program that calls it.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { gitIn } from './support/git-project.js';
import { expectBlock, findBlock, readPage } from './support/page.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = readPage('docs/library.md');
const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-docs-library-')));
const shop = join(folder, 'shop');

const show = (name: string, real: string) => expectBlock(page, findBlock(page, name), real);

beforeAll(() => {
  cpSync(join(root, 'examples'), folder, { recursive: true });
  cpSync(join(root, 'examples', 'library'), folder, { recursive: true });
  cpSync(join(root, 'examples', 'library'), shop, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'umpire'), 'dir');
  gitIn(shop, 'init', '-q', '-b', 'main');
  gitIn(shop, 'add', '-A');
  gitIn(shop, 'commit', '-q', '-m', 'the shop');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly signal: string | null;
}

function node(cwd: string, ...args: readonly string[]): Ran {
  const env = { ...process.env, HOME: folder, UMPIRE_WORKTREES: join(folder, 'worktrees'), NO_COLOR: '1' };
  const { stdout, stderr, signal } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
  return { out: stdout.replaceAll(folder, '/home/you'), err: stderr, signal };
}

const quiet = { err: '', signal: null };

describe('docs/library.md', () => {
  it.each(page.blocks.filter(({ name }) => name.startsWith('examples/')))('shows the current $name', ({ name }) => {
    show(name, read(name));
  });

  it('has an example that judges a session, from CommonJS too', () => {
    const [judged, missing] = [node(folder, 'judge.cjs', 'sessions/review'), node(folder, 'judge.cjs', 'nowhere')];
    expect(judged).toEqual({ ...quiet, out: expect.any(String) });
    show('judge', judged.out + missing.out);
  });

  it('has an example that runs a session and applies the work', SOAK, () => {
    const ran = node(shop, 'mend.mjs');
    expect(ran).toEqual({ ...quiet, out: expect.any(String) });
    show('mend', ran.out);
    expect(readFileSync(join(shop, 'src', 'cart.mjs'), 'utf8')).toContain('item.price * item.count');
    // A finished session does not run again.
    expect(node(shop, 'mend.mjs').out).toMatch(/^complete /);
  });

  it('has an example with a loop of its own that asks a question', () => {
    const ran = node(folder, 'own-loop.mjs');
    expect(ran).toEqual({ ...quiet, out: expect.any(String) });
    show('own-loop', ran.out);
  });

  it('names exactly the functions of the library', SOAK, async () => {
    const doors = ['run', 'session-work', 'sessions', 'judge', 'setup'].flatMap((file) => [
      ...read(`packages/umpire/src/doors/library/${file}.ts`).matchAll(/^export async function (\w+)/gm),
    ]);
    const [table = ''] = /^\| function [\s\S]*?\n\n/m.exec(page.text) ?? [];
    const named = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
    const library = (await import(pathToFileURL(join(root, 'dist', 'index.js')).href)) as Record<string, unknown>;
    expect(doors.map(([, name = '']) => name).filter((name) => !named.includes(name))).toEqual([]);
    expect(named.filter((name) => typeof library[name] !== 'function')).toEqual([]);
  });
});

describe('the package', () => {
  it('is the same for import and for require', () => {
    for (const door of ['umpire', 'umpire/run']) {
      const { out } = node(folder, '--input-type=module', '-e', `console.log(Object.keys(await import('${door}')).sort().join())`);
      const required = createRequire(join(folder, 'x.cjs'))(door) as object;
      expect(out.trim().split(',')).toEqual(Object.keys(required).toSorted());
    }
  });

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for strict programs: module %s, resolution %s', SOAK, (module, moduleResolution) => {
    const place = join(folder, `types-${moduleResolution}`);
    mkdirSync(place);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
    const compilerOptions = { ...strict, module, moduleResolution, target: 'es2022', noEmit: true, types: ['node'] };
    const typeRoots = [join(root, 'node_modules', '@types')];
    const readme = /```ts\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? 'none';
    writeFileSync(join(place, 'page.mts'), findBlock(page, 'example').text);
    writeFileSync(join(place, 'page.cts'), findBlock(page, 'example').text);
    writeFileSync(join(place, 'readme.mts'), readme);
    writeFileSync(join(place, 'more.mts'), MORE);
    writeFileSync(
      join(place, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, files: ['page.mts', 'page.cts', 'readme.mts', 'more.mts'] }),
    );
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(spawnSync(process.execPath, [compiler, '-p', place], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('a killed program continues its session with the same call', () => {
    const place = join(folder, 'killed');
    mkdirSync(place);
    const script = join(place, 'script.mjs');
    writeFileSync(script, KILLED);
    const first = node(place, script);
    expect({ ...first, out: first.out.split('\n').at(0) }).toEqual({ out: 'IDEA-001 1', err: '', signal: 'SIGKILL' });
    const second = node(place, script);
    expect(second).toEqual({ ...quiet, out: expect.stringMatching(/^CHALLENGE-001 2\n[\s\S]*\ncomplete$/m) });
    expect(second.out).not.toContain('IDEA-001');
  });

  // The library waits five seconds for a stopped function.
  it.each([
    ['import', 5500],
    ['require', 0],
  ])('leaves the program that calls it alone: %s', SOAK, (way, patience) => {
    const place = join(folder, `alone-${way}`);
    mkdirSync(place);
    writeFileSync(join(place, 'fail.txt'), '');
    const load = way === 'import' ? "await import('umpire')" : "require('umpire')";
    const script = join(place, 'script.cjs');
    writeFileSync(script, `async function main(library, PATIENCE) {\n${ALONE}\n}\n(async () => main(${load}, ${patience}))();`);
    const { out, err, signal } = node(place, script);
    expect({ out: JSON.parse(out || '{}') as unknown, err, signal }).toEqual({
      out: { statuses: ['awaiting', 'interrupted', 'rejected'], same: true, left: [], late: 'ended', instance: true },
      ...quiet,
    });
  });
});

/** Types that a program needs for arguments and results. */
const MORE = `
import { apply, clean, decide, guard, list, resolve, run, status } from 'umpire';
import type { Agent, Answer, Assignment, CleanResult, Ending, ErrorCode, OpenQuestion, Recorded, RunRequest, SessionState, Verdict } from 'umpire';
import { UmpireError, run as runAlone } from 'umpire/run';

class Mine implements Agent {
  readonly name = 'mine';
  async run(assignment: Assignment): Promise<Ending> {
    return { kind: 'completed', outputs: { score: assignment.attempt } };
  }
}
const request: RunRequest = {
  loop: 'review', goal: 'g', agent: ['mine', 'reviewer=mine'], agents: { mine: new Mine(), other: () => ({ kind: 'failed', error: 'no' }) },
  onEvent: async (event: Recorded, state: SessionState, session: string) => {
    if (event.type === 'VerdictGiven') console.log(event.data.verdict.rule, state.run?.wave, session);
  },
};
export async function main(): Promise<Verdict | undefined> {
  const { question, verdicts, session } = await (Math.random() > 2 ? runAlone : run)(request);
  const open: OpenQuestion | null = question;
  const answer: Answer | undefined = open?.answers[0];
  if (open?.kind === 'budget') console.log(open.limit);
  if (answer !== undefined) await resolve({ session, answer });
  const cleaned: CleanResult = await clean(session, { force: true });
  if (!cleaned.ok) console.log(cleaned.why);
  console.log((await apply(session)).files, (await status(session)).question?.detail, (await list())[0]?.waitsOn, (await guard()).findings[0]?.rule);
  await decide({ loop: 'review', session }).catch((error: unknown) => {
    if (error instanceof UmpireError) { const code: ErrorCode = error.code; console.log(code); }
  });
  // @ts-expect-error a limit that is misspelt
  const wrong: RunRequest = { loop: 'review', maxRound: 1 };
  return wrong.goal === undefined ? verdicts.at(-1) : undefined;
}
`;

/** Kills itself at its second task, the first time. */
const KILLED = `
import { run } from 'umpire';
const mine = ({ task, attempt, role }) => {
  console.log(task.id, attempt);
  if (role.name === 'challenger' && attempt === 1) process.kill(process.pid, 'SIGKILL');
  return { kind: 'completed', outputs: { severity_summary: 'HIGH:0 MEDIUM:0 LOW:1' } };
};
const now = await run({ loop: 'brainstorm', mode: 'deep', goal: 'g', session: 'here', agent: 'mine', agents: { mine } });
console.log(now.status);
`;

/** A run with programs, a stopped run whose function ignores the signal, and a refused run; then what remains of them. */
const ALONE = `
  const { getEventListeners } = require('node:events');
  const seen = () => JSON.stringify([process.cwd(), process.env, process.exitCode, process.eventNames().map((name) => [String(name), process.listenerCount(name)])]);
  const before = seen();
  const stop = new AbortController();
  let ended;
  const late = new Promise((done) => { ended = done; });
  const stubborn = (_, { signal }) => new Promise((done, fail) => {
    signal.addEventListener('abort', () => setTimeout(() => { fail(new Error('late')); ended('ended'); }, PATIENCE));
    setImmediate(() => stop.abort());
  });
  const shared = { loop: 'until', command: 'false', maxRounds: 1, agent: 'mine' };
  const one = await library.run({ ...shared, agents: { mine: () => ({ kind: 'completed' }) } });
  const two = await library.run({ ...shared, agents: { mine: stubborn }, signal: stop.signal });
  const refused = await library.run({ ...shared, loop: './none.yaml' }).catch((error) => error);
  const told = await late;
  const leftNow = () => [...process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap'), ...getEventListeners(stop.signal, 'abort').map(() => 'listener')];
  // Node releases an ended process a moment later.
  for (let turns = 0; turns < 1000 && leftNow().length > 0; turns++) await new Promise((done) => setImmediate(done));
  const statuses = [one.status, two.status, 'rejected'];
  console.log(JSON.stringify({ statuses, same: seen() === before, left: leftNow(), late: told, instance: refused instanceof library.UmpireError }));
`;
