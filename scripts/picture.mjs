// Draws docs/images/run.svg, the picture in the README: runs the built command in a real terminal (by `script` of util-linux) in a copy
// of the sample shop, and draws what it shows. Dates and times are fixed, so that the picture changes only when the output does.
// `--dashboard` draws those of docs/dashboard.md.

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

if (process.argv.includes('--dashboard')) {
  await import('./dashboard-picture.mjs');
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'umpire-picture-'));
try {
  const image = join(root, 'docs', 'images', 'run.svg');
  mkdirSync(join(root, 'docs', 'images'), { recursive: true });
  writeFileSync(image, draw([`$ ${COMMAND}`, ...capture(join(folder, 'shop'))]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The lines that a terminal shows. */
function capture(shop) {
  cpSync(join(root, 'examples', 'shop'), shop, { recursive: true });
  const git = 'git -c user.name=You -c user.email=you@example.com';
  spawnSync('sh', ['-c', `git init -q -b main && git add -A && ${git} commit -q -m start`], { cwd: shop });
  const words = COMMAND.replace('umpire', `node '${join(root, 'dist', 'umpire.cjs')}'`);
  const terminal = `stty cols ${COLUMNS} rows 50; ${words}`;
  const env = { ...process.env, UMPIRE_TRUST: '1', NO_COLOR: '1', TERM: 'xterm', UMPIRE_WORKTREES: join(folder, 'worktrees') };
  const { stdout, status } = spawnSync('script', ['-qec', terminal, '/dev/null'], { cwd: shop, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The run failed (exit status ${status}):\n${stdout}`);
  return stripVTControlCharacters(stdout)
    .replaceAll(folder, '/home/you')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, '2026-03-01')
    .replace(/^\d\d:\d\d/gm, '21:04')
    .replace(/ in \d+(?:\.\d+)? s\b/g, '')
    .trimEnd()
    .split(/\r?\n/);
}

function draw(lines) {
  const width = Math.round(COLUMNS * CHARACTER.width + 2 * MARGIN);
  const height = lines.length * CHARACTER.height + 2 * MARGIN;
  const texts = lines.map((line, at) => {
    const colour = line.startsWith('$ ') ? '#ffffff' : line.startsWith('  umpire') ? '#9ecbff' : '#d0d7de';
    const y = MARGIN + (at + 0.75) * CHARACTER.height;
    return `  <text x="${MARGIN}" y="${y}" fill="${colour}" xml:space="preserve">${escape(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">`,
    '  <title>A run of umpire until in a terminal</title>',
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
