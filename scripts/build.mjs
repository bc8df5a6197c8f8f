// Builds the package: loops to data, the command as one CommonJS file (the fastest cold start), the library as ES modules and for
// programs that `require` it, and its types for both.

import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { root, run, tool } from './tools.mjs';

run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  absWorkingDir: root,
  packages: 'external',
  logOverride: { 'empty-import-meta': 'silent' },
};

/** What a verdict does not need: reading what people write (YAML and a schema), and other commands. Files of their own, loaded late. */
const LATE = {
  authored: 'src/runtime/authored.ts',
  check: 'src/cli/check.ts',
  replay: 'src/cli/replay.ts',
  status: 'src/cli/status.ts',
  list: 'src/cli/list.ts',
  report: 'src/cli/report.ts',
  logs: 'src/cli/logs.ts',
  read: 'src/cli/read.ts',
  critique: 'src/cli/critique.ts',
  guard: 'src/cli/guard.ts',
  doctor: 'src/cli/doctor.ts',
  init: 'src/cli/init.ts',
  mcp: 'src/cli/mcp.ts',
  serve: 'src/cli/serve.ts',
  hook: 'src/cli/hook.ts',
  'hook-stop': 'src/engine/hook-stop.ts',
  inspection: 'src/engine/inspection.ts',
  run: 'src/cli/run.ts',
  work: 'src/cli/work.ts',
  clean: 'src/cli/clean.ts',
  'run-help': 'src/cli/run-help.ts',
  'look-help': 'src/cli/look-help.ts',
  'agent-help': 'src/cli/agent-help.ts',
  settings: 'src/runtime/settings.ts',
};

const lateApart = {
  name: 'late-apart',
  setup(builder) {
    builder.onResolve({ filter: /\.js$/ }, (args) => {
      const path = relative(root, join(args.resolveDir, args.path)).replaceAll('\\', '/').replace(/\.js$/, '.ts');
      const name = Object.keys(LATE).find((one) => LATE[one] === path);
      return args.kind === 'dynamic-import' && name !== undefined ? { path: `./${name}.cjs`, external: true } : undefined;
    });
  },
};

/** Keeps of two registries, the readers and the built-in loops, only the lines that one loop needs: less to load at every start. */
function onlyFor(loop, readers) {
  const keepLines = (keeps) => (args) => {
    const lines = readFileSync(args.path, 'utf8').split('\n');
    return { contents: lines.filter((line) => keeps(/^  '?([\w-]+)'?: /.exec(line)?.[1])).join('\n'), loader: 'ts' };
  };
  return {
    name: 'only-for',
    setup(builder) {
      builder.onLoad(
        { filter: /\/formats\/readers\.ts$/ },
        keepLines((name) => name === undefined || readers.includes(name)),
      );
      builder.onLoad(
        { filter: /\/loops\/builtin\.generated\.ts$/ },
        keepLines((name) => name === undefined || name === loop),
      );
    },
  };
}

/** The command as one file: with everything (`main`), and once for each built-in loop with only what that loop reads. */
function buildCommand(name, plugins) {
  return build({
    ...shared,
    ...commonJs,
    entryPoints: { [name]: 'src/cli/main.ts' },
    minify: true,
    plugins: [lateApart, ...plugins],
    banner: { js: '(function (require, __dirname) {' },
    footer: { js: '})' },
  });
}

const commonJs = { outdir: 'dist', outExtension: { '.js': '.cjs' }, format: 'cjs', supported: { 'dynamic-import': false } };

const loops = readdirSync(join(root, 'src', 'loops'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => parse(readFileSync(join(root, 'src', 'loops', name), 'utf8')));

rmSync(join(root, 'dist'), { recursive: true, force: true });
await Promise.all([
  buildCommand('main', []),
  ...loops.map(({ loop, evidence }) =>
    buildCommand(`main-${loop}`, [
      onlyFor(
        loop,
        Object.values(evidence).map((source) => source.reader),
      ),
    ]),
  ),
  build({ ...shared, entryPoints: { ...LATE, 'reading-thread': 'src/engine/reading-thread.ts' }, ...commonJs, plugins: [lateApart] }),
  build({
    ...shared,
    entryPoints: { index: 'src/index.ts', run: 'src/run.ts' },
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    sourcemap: true,
  }),
  build({ ...shared, entryPoints: { library: 'src/index.ts', 'library-run': 'src/run.ts' }, ...commonJs }),
]);
await build({
  ...shared,
  entryPoints: { app: 'web/src/app.ts' },
  outdir: 'dist/web',
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  minify: true,
});
for (const page of ['index.html', 'app.css', 'icon.svg']) cpSync(join(root, 'web', page), join(root, 'dist', 'web', page));
const commands = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.cjs'));
const hash = createHash('sha256');
for (const name of commands) {
  const text = readFileSync(join(root, 'dist', name), 'latin1');
  if (name.startsWith('main') && /[^\t\n\x20-\x7e]/.test(text))
    throw new Error(`dist/${name} holds more than ASCII, and the launcher reads it as ASCII: write such characters as escapes`);
  hash.update(text);
}
const launcher = readFileSync(join(root, 'src', 'cli', 'launcher.cjs'), 'utf8');
writeFileSync(join(root, 'dist', 'umpire.cjs'), launcher.replace("'unbuilt'", `'${hash.digest('hex').slice(0, 12)}'`));
chmodSync(join(root, 'dist', 'umpire.cjs'), 0o755);
warmUp();
tool('typescript', ['-p', 'tsconfig.types.json'], 'tsc');
// The same types once more: what a program that says `require` is shown must be of CommonJS.
cpSync(join(root, 'dist', 'types'), join(root, 'dist', 'types-cjs'), { recursive: true });
writeFileSync(join(root, 'dist', 'types-cjs', 'package.json'), '{ "type": "commonjs" }\n');

/** Lets the command judge a sample session of each loop, so that the compiled code it keeps holds all that a verdict needs. */
function warmUp() {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-warm-'));
  try {
    cpSync(join(root, 'examples', 'sessions'), folder, { recursive: true });
    for (const loop of readdirSync(folder)) {
      run(process.execPath, [join(root, 'dist', 'umpire.cjs'), 'warm-up', loop, join(folder, loop)], { stdio: 'ignore' });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
