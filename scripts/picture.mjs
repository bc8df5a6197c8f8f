// Draws the pictures in docs/images: runs the built command in a real terminal in a copy of the sample shop, and draws what it shows.
// `script` of util-linux records run.svg in plain lines; tmux shows the live view, a question and the pages of a session. Dates, times and paths are fixed, so that
// a picture changes only when the output does. `--dashboard` draws those of docs/dashboard.md.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './tools.mjs';

const COLUMNS = 104;
const CHARACTER = { width: 8.4, height: 20 };
const MARGIN = 18;
const COMMAND = 'umpire until "npm test" "fix the cart"';
const COLORS = { 2: '#8b949e', 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 35: '#d2a8ff', 36: '#79c0ff' };
const ESCAPE = String.fromCharCode(27);

if (process.argv.includes('--dashboard')) {
  await import('./dashboard-picture.mjs');
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'umpire-picture-'));
const socket = `umpire-picture-${process.pid}`;
try {
  mkdirSync(join(root, 'docs', 'images'), { recursive: true });
  save('run', 'A run of umpire until in a terminal', [`$ ${COMMAND}`, ...capture(makeShop('shop'))]);
  await captureLive(makeShop(join('live', 'shop')));
} finally {
  tmux('kill-server');
  rmSync(folder, { recursive: true, force: true });
}

function save(name, title, lines) {
  writeFileSync(join(root, 'docs', 'images', `${name}.svg`), draw(title, lines));
}

function makeShop(name) {
  const shop = join(folder, name);
  cpSync(join(root, 'examples', 'shop'), shop, { recursive: true });
  const git = 'git -c user.name=You -c user.email=you@example.com';
  spawnSync('sh', ['-c', `git init -q -b main && git add -A && ${git} commit -q -m start`], { cwd: shop });
  return shop;
}

/** The lines that a terminal shows. */
function capture(shop) {
  const words = COMMAND.replace('umpire', `node '${join(root, 'dist', 'umpire.cjs')}'`);
  const terminal = `stty cols ${COLUMNS} rows 50; ${words}`;
  // A dumb terminal gets plain lines.
  const env = { ...process.env, UMPIRE_TRUST: '1', NO_COLOR: '1', TERM: 'dumb', UMPIRE_WORKTREES: join(folder, 'worktrees') };
  const { stdout, status } = spawnSync('script', ['-qec', terminal, '/dev/null'], { cwd: shop, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The run failed (exit status ${status}):\n${stdout}`);
  return fixed(stripVTControlCharacters(stdout)).trimEnd().split(/\r?\n/);
}

/** The live view while an agent works, then the question at the cap. */
async function captureLive(shop) {
  const agent = join(folder, 'agent.sh');
  writeFileSync(
    agent,
    `cat > /dev/null
printf '%s\\n' '{"type":"assistant","session_id":"s","uuid":"u","message":{"id":"m","usage":{"input_tokens":11800,"output_tokens":640},"content":[{"type":"tool_use","name":"Bash","input":{"command":"npm test"}}]}}'
until [ -e '${folder}/go' ]; do sleep 0.1; done
date > looked.txt
printf '{"status":"completed","findings":"Looked at the cart."}' > "$UMPIRE_RESULT_FILE"
`,
  );
  const words = `node '${join(root, 'dist', 'umpire.cjs')}' until 'npm test' 'fix the cart' --max-rounds 1 --max-cost-usd 5 --agent-command 'sh ${agent}'`;
  const env = { UMPIRE_TRUST: '1', UMPIRE_WORKTREES: join(folder, 'worktrees-live'), LC_ALL: 'C.UTF-8', CI: '', NO_COLOR: '' };
  const set = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  tmux('new-session', '-d', '-x', '90', '-y', '30', `cd '${shop}'; env ${set.join(' ')} ${words}; sleep 60`);
  const live = await screenWith('> Bash npm test');
  save('live', 'The live view of a run in a terminal', live.slice(live.findIndex((line) => line.includes('CHECK-001 judged'))));
  writeFileSync(join(folder, 'go'), '');
  const asked = await screenWith('Answer (1-4');
  save('question', 'A question in a terminal, with its answers', asked.slice(asked.findIndex((line) => line.includes('Waiting for'))));
  const umpire = `node '${join(root, 'dist', 'umpire.cjs')}'`;
  // The name of a session has the date.
  const say = (word) => `printf '$ umpire %s\\n' '${word}'; ${umpire} ${word}`;
  tmux('new-window', `cd '${shop}'; export ${set.join(' ')}; ${say('list')}; echo; ${say('status')}; echo .; sleep 60`);
  const status = await screenWith('resolve', /^\.$/m);
  save('status', 'umpire list and umpire status in a terminal', status.slice(0, -1));
}

function tmux(...args) {
  return spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    .stdout;
}

async function screenWith(text, end = /(?:)/) {
  for (let tries = 0; tries < 600; tries++) {
    const screen = tmux('capture-pane', '-p', '-e', '-S', '-50');
    const plain = stripVTControlCharacters(screen);
    if (plain.includes(text) && end.test(plain)) return fixed(screen).trimEnd().split('\n');
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`The terminal never showed "${text}":\n${tmux('capture-pane', '-p')}`);
}

function fixed(text) {
  return text
    .replaceAll(folder, '/home/you')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, '2026-03-01')
    .replace(new RegExp(`^((?:${ESCAPE}\\[[\\d;]*m)*)\\d\\d:\\d\\d`, 'gm'), '$121:04')
    .replace(/ in \d+(?:\.\d+)? s\b/g, '')
    .replace(/\b\d+(?:\.\d+)? s\b/g, '8 s')
    .replace(/\b\d\d-\d\d \d\d:\d\d/g, '03-01 21:04')
    .replace(/\b[0-9a-f]{12}\b/g, '9f2b61c08ad4');
}

function draw(title, lines) {
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
  const width = Math.round(Math.max(columns, 80) * CHARACTER.width + 2 * MARGIN);
  const height = lines.length * CHARACTER.height + 2 * MARGIN;
  let style = '';
  const texts = lines.map((line, at) => {
    const plain = stripVTControlCharacters(line);
    const colour = plain.startsWith('$ ') ? '#ffffff' : plain.startsWith('  umpire') ? '#9ecbff' : '#d0d7de';
    const y = MARGIN + (at + 0.75) * CHARACTER.height;
    const spans = [];
    // Colours of a terminal hold until they change, also over the end of a line.
    for (const [index, part] of line.split(new RegExp(`${ESCAPE}\\[([\\d;]*)m`)).entries()) {
      if (index % 2 === 1) style = nextStyle(style, part);
      else if (part !== '') spans.push(style === '' ? escape(part) : `<tspan ${style}>${escape(part)}</tspan>`);
    }
    return `  <text x="${MARGIN}" y="${y}" fill="${colour}" xml:space="preserve">${spans.join('')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">`,
    `  <title>${escape(title)}</title>`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

function nextStyle(before, codes) {
  return codes.split(';').reduce((style, code) => {
    if (code === '' || code === '0' || code === '39') return '';
    if (code === '1') return 'font-weight="bold"';
    return COLORS[code] === undefined ? style : `fill="${COLORS[code]}"`;
  }, before);
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
