// Umpire inside the real coding agents: each gets Umpire's plugin or hooks, an empty home, a dummy key and a model server on loopback. The
// model claims to be done at once; Umpire's Stop hook must send it back with the verdict, and let it stop when the command passes.
// `node scripts/agents-plugin.mjs claude-plugin codex-hooks` runs some of the cases.

import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { environmentIn } from '../test/agents/homes.mjs';
import { installIfNeeded, root, run as runCommand } from './tools.mjs';

const AGENTS = join(root, 'test', 'agents');
const BIN = join(AGENTS, 'node_modules', '.bin');
const UMPIRE = join(root, 'dist', 'umpire.cjs');
const PLUGIN = join(root, 'plugin');
const CHECK = 'node check.mjs';
const PROMPT = 'Make the check pass. PLEASE-FIX';
const BLOCKING = 'Make the check pass. PLEASE-BLOCK';
const BLOCKED = 'UMPIRE-BLOCKED: no network here';

/** What the model wants next: a shell command, or to say that it is done. First it tries to end the check, which only a person may do. */
function nextMove(told, done) {
  if (told.includes('PLEASE-BLOCK')) return { text: `I cannot do this.\n\n${BLOCKED}` };
  if (!told.includes('PLEASE-FIX') && !told.includes('The person wants this command to pass')) return { text: 'A title' };
  const [, launcher] = /node "([^"]*umpire\.cjs)" until/.exec(told) ?? [];
  const begin = launcher === undefined ? [] : [`node "${launcher}" until "${CHECK}" --here`];
  const isBack = told.includes('Umpire: The command failed');
  const moves = [...begin, 'umpire until --here --stop', ...(isBack ? ['echo x > fixed.txt'] : [])];
  return done < moves.length ? { shell: moves[done] } : { text: 'Done.' };
}

const many = (value) => (Array.isArray(value) ? value : []);
const textOf = (value) =>
  JSON.stringify(value)
    .replaceAll(String.raw`\n`, '\n')
    .replaceAll(String.raw`\"`, '"');
const events = (list) => list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

function claude({ messages, tools, model }) {
  const done = messages.flatMap(({ content }) => many(content)).filter(({ type }) => type === 'tool_result').length;
  const move = many(tools).some(({ name }) => name === 'Bash') ? nextMove(textOf(messages), done) : { text: 'A title' };
  const input = { command: move.shell, description: 'run' };
  const isText = move.shell === undefined;
  const block = isText ? { type: 'text', text: '' } : { type: 'tool_use', id: `toolu_${done}`, name: 'Bash', input: {} };
  const delta = isText ? { type: 'text_delta', text: move.text } : { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = {
    id: `msg_${done}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_sequence: null,
    content: [],
    stop_reason: null,
    usage,
  };
  return events([
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}

function codex({ input, model }) {
  const done = many(input).filter(({ type }) => type === 'function_call_output').length;
  const { shell, text } = nextMove(textOf(input), done);
  const call = { type: 'function_call', id: `fc_${done}`, call_id: `call_${done}`, name: 'exec_command' };
  const item =
    shell === undefined
      ? { type: 'message', id: `m_${done}`, role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
      : { ...call, arguments: JSON.stringify({ cmd: shell }) };
  const response = {
    id: 'resp',
    object: 'response',
    model,
    output: [item],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
  return events([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed' } },
  ]);
}

function gemini({ contents, tools }, url) {
  const done = many(contents)
    .flatMap(({ parts }) => many(parts))
    .filter(({ functionResponse }) => functionResponse !== undefined).length;
  const names = many(tools)
    .flatMap(({ functionDeclarations }) => many(functionDeclarations))
    .map(({ name }) => name);
  const choice = JSON.stringify({ model_choice: 'flash', reasoning: 'any', complexity_reasoning: 'any', complexity_score: 1 });
  const { shell, text } = names.includes('run_shell_command') ? nextMove(textOf(contents), done) : { text: choice };
  const part = shell === undefined ? { text } : { functionCall: { name: 'run_shell_command', args: { command: shell } } };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const answer = JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata,
  });
  return url.includes('stream') ? `data: ${answer}\n\n` : answer;
}

function opencode({ messages, tools, model }) {
  const done = many(messages).filter(({ role }) => role === 'tool').length;
  const hasShell = many(tools).some((tool) => tool.function?.name === 'bash');
  const { shell, text } = hasShell ? nextMove(textOf(messages), done) : { text: 'A title' };
  const call = { name: 'bash', arguments: JSON.stringify({ command: shell, description: 'run' }) };
  const delta =
    shell === undefined ? { content: text } : { tool_calls: [{ index: 0, id: `call_${done}`, type: 'function', function: call }] };
  const chunk = { id: 'chat', object: 'chat.completion.chunk', created: 1, model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: shell === undefined ? 'stop' : 'tool_calls' }], usage },
    '[DONE]',
  ]
    .map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    .join('');
}

const PROTOCOLS = [
  [/count_tokens/, () => JSON.stringify({ input_tokens: 10 })],
  [/\/v1\/messages/, claude],
  [/\/responses$/, codex],
  [/generateContent/i, gemini],
  [/\/chat\/completions$/, opencode],
];

/** Keeps what the agents sent, for the tools that they offer the model. */
function startModel() {
  const asked = [];
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      const speak = PROTOCOLS.find(([path]) => path.test(request.url ?? ''))?.[1];
      asked.push(body);
      const answer = speak === undefined ? '{"data":[],"models":[]}' : speak(JSON.parse(body || '{}'), request.url);
      response.writeHead(200, { 'content-type': answer.startsWith('{') ? 'application/json' : 'text/event-stream' }).end(answer);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const close = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ port: server.address().port, asked, close });
    });
  });
}

/** `prepare`: what a person does once. `argv`: the agent. `isBegun`: the agent itself begins, by the plugin's command. */
const CASES = {
  'claude-plugin': {
    isBegun: true,
    argv: ['claude', '--plugin-dir', PLUGIN, '-p', `/umpire:until ${CHECK}`, '--output-format', 'stream-json', '--verbose'],
    flags: ['--allowedTools', 'Bash(echo:*)', '--permission-mode', 'acceptEdits'],
  },
  'claude-market': {
    isBegun: true,
    prepare: [
      ['claude', 'plugin', 'marketplace', 'add', root],
      ['claude', 'plugin', 'install', 'umpire@umpire'],
    ],
    argv: ['claude', '-p', `/umpire:until ${CHECK}`, '--output-format', 'stream-json', '--verbose'],
    flags: ['--allowedTools', 'Bash(echo:*)', '--permission-mode', 'acceptEdits'],
  },
  'claude-hooks': {
    hooks: 'claude',
    argv: ['claude', '-p', PROMPT, '--allowedTools', 'Bash', '--output-format', 'stream-json', '--verbose'],
  },
  'codex-hooks': {
    hooks: 'codex',
    argv: ['codex', 'exec', '--json', '--sandbox', 'danger-full-access', '--trust', '--dangerously-bypass-hook-trust', PROMPT],
  },
  'codex-plugin': {
    prepare: [
      ['codex', 'plugin', 'marketplace', 'add', root],
      ['codex', 'plugin', 'add', 'umpire@umpire'],
    ],
    argv: ['codex', 'exec', '--json', '--sandbox', 'danger-full-access', '--trust', '--dangerously-bypass-hook-trust', PROMPT],
  },
  'gemini-hooks': { hooks: 'gemini', argv: ['gemini', '--skip-trust', '--yolo', '-p', PROMPT] },
  'gemini-plugin': {
    prepare: [['gemini', 'extensions', 'link', join(PLUGIN, 'gemini'), '--consent']],
    argv: ['gemini', '--skip-trust', '--yolo', '-p', PROMPT],
  },
  // `opencode run` ends as soon as the session is idle, so nothing can send it back. Its server and its terminal go on.
  'opencode-hooks': { hooks: 'opencode', argv: ['opencode', 'serve', '--port', '0', '--print-logs'], isServed: true },
};

// The agent says that it is blocked: no attempt is spent, and it may stop.
for (const name of ['claude-hooks', 'codex-hooks', 'gemini-hooks', 'opencode-hooks']) {
  const { argv, ...others } = CASES[name];
  const asking = argv.map((word) => (word === PROMPT ? BLOCKING : word));
  CASES[name.replace('hooks', 'blocked')] = { ...others, argv: asking, prompt: BLOCKING };
}

function makeProject(folder) {
  mkdirSync(folder);
  const check =
    "import { existsSync } from 'node:fs';\nif (!existsSync('fixed.txt')) {\n  console.log('fixed.txt is missing');\n  process.exitCode = 1;\n}\n";
  writeFileSync(join(folder, 'check.mjs'), check);
  const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=n', '-c', 'user.email=n@localhost', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
}

const MOST_MS = 180_000;

/** Asks a server of opencode for the work, and ends it when the check has passed. */
async function serve(argv, project, env, prompt = PROMPT) {
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd: project, env: { ...env, PWD: project }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  const address = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
  });
  const post = async (path, body) =>
    fetch(`${await address}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const { id } = await (await post('/session', {})).json();
  await post(`/session/${id}/message`, { parts: [{ type: 'text', text: prompt }] });
  const until = performance.now() + MOST_MS;
  const isDone = () => decisionsIn(project).at(-1) === 'converge' || rowsIn(project).includes('blocked: ');
  while (performance.now() < until && !isDone()) await new Promise((resolve) => setTimeout(resolve, 500));
  process.kill(-child.pid, 'SIGTERM');
  await ended;
  return { exit: 0, said };
}

function start(argv, cwd, env) {
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd, env: { ...env, PWD: cwd }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), MOST_MS);
  return new Promise((resolve) => {
    child.on('close', (exit) => {
      clearTimeout(timer);
      resolve({ exit, said });
    });
  });
}

/** The folder of the only session. */
function sessionIn(project) {
  const sessions = join(project, '.umpire', 'sessions');
  const [session = ''] = existsSync(sessions) ? readdirSync(sessions) : [];
  return join(sessions, session);
}

/** Its tasks.csv; empty where no session began. */
function rowsIn(project) {
  const tasks = join(sessionIn(project), 'tasks.csv');
  return existsSync(tasks) ? readFileSync(tasks, 'utf8') : '';
}

/** The decisions in its journal. */
function decisionsIn(project) {
  const journal = join(sessionIn(project), 'journal.ndjson');
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).flatMap(({ type, data }) => (type === 'VerdictGiven' ? [data.verdict.outcome] : []));
}

async function tryCase(name) {
  const { prepare = [], hooks, argv, flags = [], isBegun = false, isServed = false, prompt } = CASES[name];
  mkdirSync(join(homedir(), '.cache'), { recursive: true });
  const base = realpathSync(mkdtempSync(join(homedir(), '.cache', 'umpire-plugin-')));
  const [home, project] = [join(base, 'home'), join(base, 'project')];
  mkdirSync(home);
  makeProject(project);
  // As `npm link` does. Codex copies a plugin, and Gemini trusts a folder in a file of its own.
  mkdirSync(join(base, 'bin'));
  symlinkSync(UMPIRE, join(base, 'bin', 'umpire'));
  const model = await startModel();
  const env = { ...process.env, ...environmentIn(home, model.port), PATH: [BIN, join(base, 'bin'), process.env.PATH].join(delimiter) };
  writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [project]: 'TRUST_FOLDER' }));
  try {
    const umpire = (...args) => execFileSync(process.execPath, [UMPIRE, ...args], { cwd: project, env, stdio: 'pipe' });
    if (hooks !== undefined) umpire('init', '--hooks', hooks);
    for (const words of prepare) {
      const { exit, said } = await start(words, project, env);
      if (exit !== 0) return [`${words.join(' ')} ended with ${exit}: ${said}`];
    }
    if (!isBegun) umpire('until', CHECK, '--here');
    const { exit, said } = await (isServed ? serve : start)([...argv, ...flags], project, env, prompt);
    const tools = model.asked.join('');
    const decisions = decisionsIn(project).join(' ');
    const rows = rowsIn(project);
    const isBlocked = name.endsWith('-blocked');
    const faults = isBlocked
      ? [
          [exit === 0, `ended with ${exit}`],
          [decisions === '' && rows.includes('blocked: no network here'), `decisions: ${decisions}; tasks: ${rows}`],
        ]
      : [
          [exit === 0, `ended with ${exit}`],
          [decisions === 'revise converge', `decisions: ${decisions}`],
          [tools.includes('only a person may run'), 'the agent may end the check'],
          [existsSync(join(project, 'fixed.txt')), 'it did not fix the check'],
          [/mcp__umpire"|umpire_+decide/.test(tools + said), "the model is not offered Umpire's MCP tools"],
        ];
    if (process.env.VERBOSE !== undefined) writeFileSync(process.env.VERBOSE, [said, ...model.asked].join('\n'));
    return faults.flatMap(([isRight, fault]) => (isRight ? [] : [fault]));
  } finally {
    model.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(CASES, name));
if (unknown !== undefined) {
  console.error(`There is no case "${unknown}" here. Choose from: ${Object.keys(CASES).join(', ')}.`);
  process.exit(2);
}
installIfNeeded();
installIfNeeded(AGENTS);
runCommand(process.execPath, [join(root, 'scripts', 'build.mjs')]);
for (const name of asked.length > 0 ? asked : Object.keys(CASES)) {
  const started = performance.now();
  const faults = await tryCase(name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(16)} ${seconds} s`);
  for (const fault of faults) {
    console.log(`  ${fault}`);
    process.exitCode = 1;
  }
}
