// What the scripts share: run a command, install if needed, know where the project is.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a command with the project as its folder; ends this process with its status where it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) {
    process.stderr.write(`${command} could not be started: ${result.error.message}\n`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/**
 * Installs where the packages are not those of the lock file. Not by `npm ci`: it demands that the lock names the native
 * parts of every platform, and a lock can only name those that the registry at hand has.
 */
export function installIfNeeded(folder = root) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && samePackages(join(folder, 'package-lock.json'), installed)) return;
  process.stderr.write(`Installing packages${folder === root ? '' : ` of ${folder.slice(root.length + 1)}/`} …\n`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  run(npm, ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
}

function samePackages(lockFile, installedFile) {
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const present = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([name, entry]) =>
      name === '' || entry.optional || entry.link || name.startsWith('packages/') || present[name]?.version === entry.version,
  );
}

/** The JavaScript file behind a package's command: started with this node, so that no shell or wrapper stands between. */
export function bin(packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin: entry } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof entry === 'string' ? entry : entry[command]);
}

/** Runs a package's command with this node. */
export function tool(packageName, args, command = packageName) {
  run(process.execPath, [bin(packageName, command), ...args]);
}

/** Runs a command and collects what it prints. Resolves with its exit status, never rejects. */
export function collect(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    child.stderr.on('data', (part) => parts.push(part));
    const end = (status, more = '') => resolve({ status, output: Buffer.concat(parts).toString('utf8') + more });
    child.on('error', (error) => end(1, `${command} could not be started: ${error.message}\n`));
    child.on('close', (status) => end(status ?? 1));
  });
}

/** Format, lint, types and dead code, one after the other. Resolves with the failures: name and output of each. */
export async function checkSources() {
  const failures = [];
  const check = async (name, script, ...args) => {
    const { status, output } = await collect(process.execPath, [script, ...args]);
    if (status !== 0) failures.push({ name, output });
  };
  await check('format', bin('oxfmt'), '--check');
  await check('lint', bin('oxlint'), '--type-aware', '--deny-warnings');
  await check('types', bin('typescript', 'tsc'), '-p', 'tsconfig.json');
  await check('types of the dashboard', bin('typescript', 'tsc'), '-p', 'packages/dashboard/tsconfig.json');
  await check('dead code', bin('knip'), '--no-progress');
  return failures;
}

/** `3 min 12 s`. */
export function duration(ms) {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
