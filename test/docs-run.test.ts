// The pages about running sessions are true: their commands print what they show, the agents of docs/agents.md run, and the tables
// say what the code does.

import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS } from '@umpire/core/decider/events.js';
import { PRESET_NAMES, findKnownAgent } from '@umpire/umpire/agents/known/known-agents.js';
import { parseScript } from '@umpire/umpire/agents/script-file.js';
import { assignmentOf } from './support/assignment.js';
import { SOAK } from './support/campaign.js';
import { openConsole, playPage, prepareConsole, steady } from './support/console.js';
import { codeIn, expectBlock, findBlock, readPage, tableOf } from './support/page.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const answering = readPage('docs/answer-and-resume.md');
const agents = readPage('docs/agents.md');
const files = readPage('docs/session-files.md');
const library = readPage('docs/library.md');
const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-docs-run-')));
const shop = join(folder, 'shop');
const inTerminal = openConsole(folder, { UMPIRE_TRUST: '1' });
/** Where docs/raise-coverage.md was played. */
const COVERED = join('raise-coverage', 'shop');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs commands in the shop as the page's terminal would; each must have this exit status. */
async function inShop(line: string, exit = 0): Promise<string> {
  const [ran, status] = await inTerminal(`$ ${line}\n$ echo $?\n`);
  expect({ line, status: status?.printed, ...(status?.printed === String(exit) ? {} : { printed: ran?.printed }) }).toEqual({
    line,
    status: String(exit),
  });
  return ran?.printed ?? '';
}

beforeAll(() => prepareConsole(folder));

/** Plays a page in a folder of its own. */
function play(name: string): Promise<number> {
  const place = join(folder, name);
  mkdirSync(place);
  return playPage(readPage(`docs/${name}.md`), place);
}

const PAGES = [
  ['run-until-tests-pass', 7, {}],
  ['raise-coverage', 7, SOAK],
  ['answer-and-resume', 14, SOAK],
] as const;
for (const [name, commands, options] of PAGES)
  it(`docs/${name}.md shows the real output of the commands`, options, async () => {
    expect(await play(name)).toBeGreaterThan(commands);
  });

describe('docs/answer-and-resume.md', () => {
  it('shows what Ctrl-C prints, and the session resumes', SOAK, async () => {
    cpSync(join(root, 'examples', 'shop'), shop, { recursive: true });
    cpSync(join(shop, 'agents', 'cart-mended.mjs'), join(shop, 'src', 'cart.mjs'));
    await inTerminal('$ cd shop\n$ git init -q -b main && git add -A && git commit -q -m start\n');
    writeFileSync(join(shop, 'agents', 'slow.sh'), '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
    const config = join(shop, 'umpire.config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('agents:\n', 'agents:\n  slow: { command: ./agents/slow.sh }\n'));
    const args = ['run', 'testing', 'x', '--mode', 'targeted', '--session', '.umpire/sessions/tonight', '--agent', 'generator=slow'];
    const child = spawn(process.execPath, [join(folder, 'umpire'), ...args], { cwd: shop, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const isThere = said.includes('TESTGEN-001 started');
      said += text;
      if (!isThere && said.includes('TESTGEN-001 started')) child.kill('SIGINT');
    });
    const exit = await new Promise((resolve) => child.on('close', resolve));
    expect(exit).toBe(130);
    const told = steady(said, folder);
    const [first = '', ...others] = told.slice(told.lastIndexOf('\n', told.indexOf('TESTGEN-001 started')) + 1).split('\n');
    expectBlock(answering, findBlock(answering, 'ctrl-c'), [first, `^C${others[0] ?? ''}`, ...others.slice(1)].join('\n'));
    const resumed = await inShop('umpire resume tonight --agent generator=rehearsal --agent executor=measure');
    expect(resumed).toContain('TESTGEN-001 started (generator, agent rehearsal, attempt 2)');
  });
});

describe('docs/agents.md', () => {
  beforeAll(async () => {
    cpSync(join(root, 'examples', 'shop'), join(folder, 'shop-2'), { recursive: true });
    await inTerminal('$ cd ~\n$ cd shop-2\n$ git init -q -b main && git add -A && git commit -q -m start\n');
  });

  it.each(agents.blocks.filter(({ name }) => name.startsWith('examples/')))('shows the current $name', (block) => {
    expectBlock(agents, block, read(block.name));
  });

  it('has an agent in sh that works, and names the members of its task file', async () => {
    await inShop('umpire until "node --test" "fix the cart" --agent mender --session .umpire/sessions/mended');
    expect(await inShop('umpire diff mended')).toContain('+  return items.reduce((sum, item) => sum + item.price * item.count, 0);');
    const file = readFileSync(join(folder, 'shop-2', '.umpire', 'sessions', 'mended', 'agents', '1.task.json'), 'utf8');
    const row = ['id', 'title', 'description', 'deps', 'context_from', 'exec_mode', 'wave', 'status'];
    const said = tableOf(agents, 'key | holds').flatMap(([keys = '']) => codeIn(keys));
    expect(Object.keys(JSON.parse(file) as object).toSorted()).toEqual([...row, ...said].toSorted());
  });

  it('has an agent in Node that measures, failing tests included', SOAK, async () => {
    await inShop(
      'umpire run testing x --mode targeted --max-rounds 1 --agent idle --agent executor=measure --session .umpire/sessions/measured',
      3,
    );
    const results = join(folder, 'shop-2', '.umpire', 'sessions', 'measured', 'results');
    expect(JSON.parse(readFileSync(join(results, 'run-L1.json'), 'utf8'))).toMatchObject({ total: 1, passed: 0, failed: 1, pass_rate: 0 });
    expect(await inShop('umpire report measured | grep ACCEPT')).toContain('unverified');
  });

  it('has a program with functions as agents, in three sessions at once', () => {
    const place = join(folder, 'three');
    mkdirSync(join(place, 'node_modules'), { recursive: true });
    symlinkSync(root, join(place, 'node_modules', 'umpire'), 'dir');
    cpSync(join(root, 'examples', 'library'), place, { recursive: true });
    const { stdout, stderr } = spawnSync(process.execPath, ['three-at-once.mjs'], { cwd: place, encoding: 'utf8' });
    expect(stderr).toBe('');
    expectBlock(library, findBlock(library, 'three-at-once'), stdout);
  });

  it('names every environment variable of an agent', async () => {
    writeFileSync(join(folder, 'shop-2', 'spy.sh'), '#!/bin/sh\nenv > "$UMPIRE_SESSION/env.txt"\necho \'{"status":"completed"}\'\n', {
      mode: 0o755,
    });
    await inShop('umpire run review x --mode patch --agent-command ./spy.sh --session .umpire/sessions/spied');
    const env = readFileSync(join(folder, 'shop-2', '.umpire', 'sessions', 'spied', 'env.txt'), 'utf8');
    const given = [...env.matchAll(/^(UMPIRE_\w+|PWD)=/gm)].map(([, name = '']) => name);
    const said = tableOf(agents, 'variable | holds').flatMap(([name = '']) => codeIn(name));
    expect(said.toSorted()).toEqual(given.toSorted());
  });

  it('shows the commands of the presets', () => {
    const rows = tableOf(agents, 'name | what is run');
    const overAcp = tableOf(agents, "name | what is started (`SESSION` is the session's folder)");
    const assignment = assignmentOf({ session: 'SESSION' });
    const real = PRESET_NAMES.map((name) => {
      const { agent, isAcp } = findKnownAgent(name)!;
      if (isAcp) return [name, agent.acp.argv('SESSION').join(' ')];
      const task = { assignment, schema: '{}', write: (file: string) => file, prompt: { system: '', user: '' }, conversation: null };
      const words = [agent.program, agent.subcommand, ...agent.plan(task).args].filter((word) => word !== undefined);
      return [name, words.map((word) => (word.startsWith('{') ? 'SCHEMA' : word)).join(' ')];
    });
    const told = [...rows, ...overAcp].map(([name = '', command = '']) => [codeIn(name)[0], codeIn(command)[0]]);
    expect(told).toEqual(real);
  });

  it('names an example that explains every key of a script', () => {
    const text = read('examples/scripts/faults.yaml');
    const explained = new Set([...text.matchAll(/^# {3}([a-z]+(?:, [a-z]+)*) {2,}/gm)].flatMap(([, names = '']) => names.split(', ')));
    const all = parseScript(text, 'faults.yaml').answers.flatMap((answer) => Object.keys(answer));
    expect([...new Set(all)].filter((key) => !explained.has(key))).toEqual([]);
  });
});

describe('docs/session-files.md', () => {
  const session = (name: string, file: string) => {
    const text = readFileSync(join(folder, name.includes('cart') ? COVERED : 'shop-2', '.umpire', 'sessions', name, file), 'utf8');
    return JSON.parse(steady(text, folder)) as Record<string, unknown>;
  };

  it('shows a real session-state.json', SOAK, () => {
    const name = readdirSync(join(folder, COVERED, '.umpire', 'sessions')).find((one) => one.startsWith('testing-cover')) ?? '';
    expect(session(name, 'session-state.json')).toEqual(JSON.parse(findBlock(files, 'session-state').text));
  });

  it('shows the result of an interactive task', async () => {
    const shown = JSON.parse(findBlock(files, 'interactive-result').text) as { findings: string; turns: readonly { text: string }[] };
    const [question, answer] = shown.turns.map(({ text }) => text);
    const play = { answers: [{ role: 'executor', ask: question, result: { findings: shown.findings } }, { result: { findings: 'ok' } }] };
    writeFileSync(join(folder, 'shop-2', 'agents', 'idle.yaml'), JSON.stringify(play));
    await inShop('umpire run debt src/cart.mjs --agent idle --session .umpire/sessions/talk', 4);
    const tasks = join(folder, 'shop-2', '.umpire', 'sessions', 'talk', 'tasks.csv');
    writeFileSync(tasks, readFileSync(tasks, 'utf8').replace(/^(TDFIX.*)csv-wave/m, '$1interactive'));
    await inShop('umpire resolve talk approve --reason fine', 4);
    await inShop(`umpire resolve talk answer --reason "${answer ?? ''}"`, 4);
    expect(session('talk', 'interactive/TDFIX-001-result.json')).toEqual(shown);
  });

  it('shows events as --json prints them', async () => {
    const shown = findBlock(files, 'event-stream').text.trim().split('\n');
    const printed = await inShop(
      'umpire run review x --mode patch --agent-command ./spy.sh --session .umpire/sessions/told --json 2> told.txt',
    );
    const shape = (line: string) => {
      const { data, ...event } = JSON.parse(line) as { type: string; data: Record<string, unknown> };
      return { ...event, data: Object.keys(data), seq: 0, ts: '' };
    };
    const real = printed.split('\n').map(shape);
    for (const event of shown.map(shape)) expect(real).toContainEqual(event);
  });

  it('names every event of the journal', () => {
    const types = Object.keys(EVENTS);
    const said = new Set(tableOf(files, 'event | when').flatMap(([name = '']) => codeIn(name)));
    expect(types.filter((name) => !said.has(name))).toEqual([]);
    expect(types.length).toBeGreaterThan(20);
  });

  it('names every file that a run writes', () => {
    const said = tableOf(files, 'file | who writes it | what it is').flatMap(([name = '']) => codeIn(name));
    const known = said.map((name) => new RegExp(`^${(name.split('/')[0] ?? '').replaceAll('.', '\\.').replace(/\{.*?\}|<.*?>/g, '.+')}$`));
    const left = ['shop', 'shop-2', COVERED].flatMap((project) => {
      const sessions = join(folder, project, '.umpire', 'sessions');
      return (existsSync(sessions) ? readdirSync(sessions) : []).flatMap((name) => readdirSync(join(sessions, name)));
    });
    expect([...new Set(left)].filter((file) => file !== 'env.txt' && !known.some((name) => name.test(file)))).toEqual([]);
    expect(left).toContain('logs');
  });
});

it('the TypeScript example of the README compiles', SOAK, () => {
  const place = join(folder, 'library');
  const paths = { umpire: [join(root, 'packages', 'umpire', 'src', 'index.ts')] };
  const compilerOptions = { paths, types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: ['example.ts'] };
  mkdirSync(place);
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const example = readPage('README.md').blocks.find(({ kind }) => kind === 'ts');
  writeFileSync(join(place, 'example.ts'), example?.text ?? 'there is none');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  expect(spawnSync(process.execPath, [compiler, '-p', place], { encoding: 'utf8' }).stdout).toBe('');
});
