// The pages about running sessions are true: docs/running.md is played from top to bottom, the agents of docs/agents.md are run, and
// what the tables say is what the code does.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpPresetFor, presetFor, PRESET_NAMES } from '@umpire/umpire/agents/presets.js';
import { parseScript } from '@umpire/umpire/agents/script-file.js';
import { answersTo } from '@umpire/core/decider/question.js';
import type { Question } from '@umpire/core/decider/events.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { unrollMode, wavesOf } from '@umpire/core/loops/pipeline.js';
import type { Mode } from '@umpire/core/loops/pipeline.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import { openConsole, prepareConsole, steady } from './support/console.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const running = read('docs/running.md');
const agents = read('docs/agents.md');
const formats = read('docs/formats.md');
const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-running-')));
const shop = join(folder, 'shop');
const inTerminal = openConsole(folder);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fenced blocks of a page: the language, the word behind it, the text. */
function blocks(page: string): readonly { readonly kind: string; readonly name: string; readonly text: string }[] {
  return [...page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, kind = '', name = '', text = '']) => ({ kind, name, text }));
}

function blockOf(page: string, name: string): string {
  return blocks(page).find((block) => block.name === name)?.text ?? expect.fail(`The page has no block ${name}.`);
}

/** The rows of all tables that begin with this header. An empty first cell is the one above. */
function tableOf(page: string, header: string): readonly (readonly string[])[] {
  const bodies = page.split(`| ${header} |\n`).slice(1);
  return bodies.flatMap((body) => {
    const [rows = ''] = body.split('\n\n', 1);
    let first = '';
    return rows
      .split('\n')
      .slice(1)
      .map((row) => {
        const [head = '', ...others] = row
          .replace(/^\| (?:\| )?/, (start) => (start.length > 2 ? ' | ' : ''))
          .replace(/ \|$/, '')
          .split(' | ');
        first = head === '' ? first : head;
        return [first, ...others];
      });
  });
}

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** Runs commands in the shop as the page's terminal would; each must have this exit status. */
function inShop(line: string, exit = 0): string {
  const [ran, status] = inTerminal(`$ ${line}\n$ echo $?\n`);
  expect({ line, status: status?.printed, ...(status?.printed === String(exit) ? {} : { printed: ran?.printed }) }).toEqual({
    line,
    status: String(exit),
  });
  return ran?.printed ?? '';
}

beforeAll(() => prepareConsole(folder));

describe('docs/running.md', () => {
  it('shows what the commands really print', () => {
    const texts = blocks(running).filter((block) => block.kind === 'console');
    const ran = texts.flatMap(({ text }) => inTerminal(text));
    for (const { line, shown, printed } of ran)
      expect({ line, printed: steady(printed, folder) }).toEqual({ line, printed: steady(shown, folder) });
    expect(ran.length).toBeGreaterThan(20);
  });

  it('shows what Ctrl-C does, and the session goes on', async () => {
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
    const told = steady(said, folder);
    expect(told.slice(told.indexOf('wave 2') - 6)).toBe(blockOf(running, 'ctrl-c').replace('^C', ''));
    expect(exit).toBe(130);
    const resumed = inShop('umpire resume tonight --agent generator=rehearsal --agent executor=measure');
    expect(resumed).toContain('TESTGEN-001 started (generator, agent rehearsal, attempt 2)');
  });

  it('has every mode with its tasks', () => {
    const said = tableOf(running, 'loop | mode | tasks | chosen').map(([loop = '', mode = '', tasks = '']) => [loop, mode, tasks]);
    const modes = BUILTIN_NAMES.flatMap((loop) =>
      Object.entries(builtinPipeline(loop)?.modes ?? {}).map(([name, mode]) => [`\`${loop}\``, `\`${name}\``, graphOf(mode)]),
    );
    expect(said).toEqual(modes);
  });

  it('has every answer to every question', () => {
    const base = { key: 'k', task: 't' };
    const questions: readonly Question[] = [
      { kind: 'escalation', seq: 1, rule: 'R', reason: '', ...base },
      { kind: 'no-evidence', rule: 'R', message: '', hint: '', ...base },
      { kind: 'plan', ...base },
      { kind: 'budget', key: 'k', what: 'cost', limit: 1, spent: 1 },
      { kind: 'question', question: '', ...base },
      { kind: 'edit', seq: null, ...base },
    ];
    const said = new Map<string, string[]>();
    for (const [about = '', answers = ''] of tableOf(running, 'it waits on | answers | what happens'))
      said.set(about, [...(said.get(about) ?? []), ...codeIn(answers)]);
    expect([...said.values()]).toEqual(questions.map((question) => [...answersTo(question)]));
  });
});

/** `A → [B ∥ C]`: the waves of a mode, each task by the first part of its id. */
function graphOf(mode: Mode): string {
  if (mode.turns > 1) return 'two sprints in a row';
  const tasks = unrollMode(mode);
  const waves = wavesOf(tasks);
  const steps = [...new Set(waves)].map((wave) => {
    const names = tasks.filter((_, index) => waves[index] === wave).map(({ task }) => (task.id.split('-')[0] ?? '') + gateOf(task.approve));
    return names.length === 1 ? names[0] : `[${names.join(' ∥ ')}]`;
  });
  return steps.join(' → ') + (mode.judged ? '' : ', not judged');
}

function gateOf(approve: boolean): string {
  return approve ? ' → *you approve*' : '';
}

describe('docs/agents.md', () => {
  beforeAll(() => {
    cpSync(join(root, 'examples', 'shop'), join(folder, 'shop-2'), { recursive: true });
    inTerminal('$ cd ~\n$ cd shop-2\n$ git init -q -b main && git add -A && git commit -q -m start\n');
  });

  it.each(blocks(agents).filter(({ name }) => name.startsWith('examples/')))('shows $name as it is', ({ name, text }) => {
    expect(text).toBe(read(name));
  });

  it('has an agent in sh that works, and its task file as it was', () => {
    inShop('umpire until "node --test" "mend the cart" --agent mender --session .umpire/sessions/mended');
    expect(inShop('umpire diff mended')).toContain('+  return items.reduce((sum, item) => sum + item.price * item.count, 0);');
    const shown = JSON.parse(blockOf(agents, 'task-file')) as Record<string, unknown>;
    const file = readFileSync(join(folder, 'shop-2', '.umpire', 'sessions', 'mended', 'agents', '1.task.json'), 'utf8');
    const real = JSON.parse(file.replaceAll(folder, '/home/you').replaceAll('/shop-2/', '/shop/')) as Record<string, unknown>;
    const start = String(shown['role_text']).replace(' ...', '');
    expect(String(real['role_text']).startsWith(start)).toBe(true);
    const context = String(real['prev_context']).replace(/(What failed: ).*/s, '$1...');
    expect({ ...real, role_text: shown['role_text'], prev_context: context }).toEqual(shown);
  });

  it('has an agent in Node that measures, also what fails', () => {
    inShop('umpire run testing x --mode targeted --max-rounds 1 --agent idle --agent executor=measure --session .umpire/sessions/measured');
    const results = join(folder, 'shop-2', '.umpire', 'sessions', 'measured', 'results');
    expect(JSON.parse(readFileSync(join(results, 'run-L1.json'), 'utf8'))).toMatchObject({ total: 1, passed: 0, failed: 1, pass_rate: 0 });
    expect(inShop('umpire report measured | grep ACCEPT')).toContain('unverified');
  });

  it('has a program whose functions are agents, in three sessions at once', () => {
    const place = join(folder, 'three');
    mkdirSync(join(place, 'node_modules'), { recursive: true });
    symlinkSync(root, join(place, 'node_modules', 'umpire'), 'dir');
    cpSync(join(root, 'examples', 'library'), place, { recursive: true });
    const { stdout, stderr } = spawnSync(process.execPath, ['three-at-once.mjs'], { cwd: place, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: blockOf(agents, 'three-at-once'), stderr: '' });
  });

  it('names every variable that an agent is given', () => {
    writeFileSync(join(folder, 'shop-2', 'spy.sh'), '#!/bin/sh\nenv > "$UMPIRE_SESSION/env.txt"\necho \'{"status":"completed"}\'\n', {
      mode: 0o755,
    });
    inShop('umpire run review x --mode patch --agent-command ./spy.sh --session .umpire/sessions/spied');
    const env = readFileSync(join(folder, 'shop-2', '.umpire', 'sessions', 'spied', 'env.txt'), 'utf8');
    const given = [...env.matchAll(/^(UMPIRE_\w+|PWD)=/gm)].map(([, name = '']) => name);
    const said = tableOf(agents, 'variable | holds').flatMap(([name = '']) => codeIn(name));
    expect(said.toSorted()).toEqual(given.toSorted());
  });

  it('says what presets run', () => {
    const rows = tableOf(agents, "name | what is run (`SESSION` is the session's folder) | asked to finish by");
    const overAcp = tableOf(agents, "name | what is started (`SESSION` is the session's folder)");
    const real = PRESET_NAMES.map((name) => {
      const spec = presetFor(name, 'SESSION');
      return spec === null ? [name, acpPresetFor(name, 'SESSION')?.argv.join(' '), ''] : [name, spec.argv.join(' '), spec.finish];
    });
    const told = [...rows, ...overAcp].map(([name = '', command = '', finish = '']) => [codeIn(name)[0], codeIn(command)[0], finish]);
    expect(told).toEqual(real);
  });

  it('has a script that parses, with every key explained', () => {
    const { answers } = parseScript(blockOf(agents, 'script'), 'script.yaml');
    expect(answers.length).toBeGreaterThan(5);
    const explained = new Set(tableOf(agents, 'key of an answer | what it does').flatMap(([name = '']) => codeIn(name)));
    const all = parseScript(read('examples/scripts/faults.yaml'), 'faults.yaml').answers.flatMap((answer) => Object.keys(answer));
    expect([...new Set(all)].filter((key) => !explained.has(key))).toEqual([]);
  });
});

describe('docs/formats.md', () => {
  const session = (name: string, file: string) => {
    const text = readFileSync(join(folder, name.includes('cart') ? 'shop' : 'shop-2', '.umpire', 'sessions', name, file), 'utf8');
    return JSON.parse(steady(text, folder)) as Record<string, unknown>;
  };

  it('shows session-state.json as it is', () => {
    const name = readdirSync(join(shop, '.umpire', 'sessions')).find((one) => one.startsWith('testing-cover')) ?? '';
    expect(session(name, 'session-state.json')).toEqual(JSON.parse(blockOf(formats, 'session-state')));
  });

  it('shows what becomes of an interactive task', () => {
    const shown = JSON.parse(blockOf(formats, 'interactive-result')) as { findings: string; turns: readonly { text: string }[] };
    const [question, answer] = shown.turns.map(({ text }) => text);
    const play = { answers: [{ role: 'executor', ask: question, result: { findings: shown.findings } }, { result: { findings: 'ok' } }] };
    writeFileSync(join(folder, 'shop-2', 'agents', 'idle.yaml'), JSON.stringify(play));
    inShop('umpire run debt src/cart.mjs --agent idle --session .umpire/sessions/talk', 4);
    const tasks = join(folder, 'shop-2', '.umpire', 'sessions', 'talk', 'tasks.csv');
    writeFileSync(tasks, readFileSync(tasks, 'utf8').replace(/^(TDFIX.*)csv-wave/m, '$1interactive'));
    inShop('umpire resolve talk approve', 4);
    inShop(`umpire resolve talk answer --reason "${answer ?? ''}"`, 4);
    expect(session('talk', 'interactive/TDFIX-001-result.json')).toEqual(shown);
  });

  it('shows events as --json prints them', () => {
    const shown = blockOf(formats, 'event-stream').trim().split('\n');
    const printed = inShop('umpire run review x --mode patch --agent-command ./spy.sh --session .umpire/sessions/told --json 2> told.txt');
    const shape = (line: string) => {
      const { data, ...event } = JSON.parse(line) as { type: string; data: Record<string, unknown> };
      return { ...event, data: Object.keys(data), seq: 0, ts: '' };
    };
    const real = printed.split('\n').map(shape);
    for (const event of shown.map(shape)) expect(real).toContainEqual(event);
  });

  it('names every event that the journal may hold', () => {
    const types = ['packages/core/src/decider/messages.ts', 'packages/core/src/decider/run-messages.ts'].flatMap((path) => [
      ...read(path).matchAll(/readonly type: '(\w+)'/g),
    ]);
    const said = new Set(tableOf(formats, 'event | when').flatMap(([name = '']) => codeIn(name)));
    expect(types.map(([, name = '']) => name).filter((name) => !said.has(name))).toEqual([]);
    expect(types.length).toBeGreaterThan(20);
  });

  it('names every file that a run leaves', () => {
    const said = tableOf(formats, 'file | who writes it | what it is').flatMap(([name = '']) => codeIn(name));
    const known = said.map((name) => new RegExp(`^${(name.split('/')[0] ?? '').replaceAll('.', '\\.').replace(/\{.*?\}|<.*?>/g, '.+')}$`));
    const files = ['shop', 'shop-2'].flatMap((project) => {
      const sessions = join(folder, project, '.umpire', 'sessions');
      return readdirSync(sessions).flatMap((name) => readdirSync(join(sessions, name)));
    });
    expect([...new Set(files)].filter((file) => file !== 'env.txt' && !known.some((name) => name.test(file)))).toEqual([]);
    expect(files).toContain('logs');
  });
});

it('the README has an example in TypeScript that fits the library', () => {
  const place = join(folder, 'library');
  const paths = { umpire: [join(root, 'packages', 'umpire', 'src', 'index.ts')] };
  const compilerOptions = { paths, types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: ['example.ts'] };
  mkdirSync(place);
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const example = blocks(read('README.md')).find(({ kind }) => kind === 'ts');
  writeFileSync(join(place, 'example.ts'), example?.text ?? 'there is none');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  expect(spawnSync(process.execPath, [compiler, '-p', place], { encoding: 'utf8' }).stdout).toBe('');
});
