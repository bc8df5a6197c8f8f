// Builds the package: loops to data, the command as one CommonJS file (the fastest cold start), the library as ES modules and for
// programs that `require` it, and its types for both.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
  external: ['dependencies', 'peerDependencies'].flatMap((kind) =>
    Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))[kind]),
  ),
  logOverride: { 'empty-import-meta': 'silent' },
};

/** What a verdict does not need: reading what people write (YAML and a schema), and other commands. Files of their own, loaded late. */
const LATE = {
  'loop-files': 'packages/umpire/src/sessions/loop-files.ts',
  check: 'packages/umpire/src/doors/cli/check.ts',
  replay: 'packages/umpire/src/doors/cli/replay.ts',
  look: 'packages/umpire/src/doors/cli/look.ts',
  logs: 'packages/umpire/src/doors/cli/logs.ts',
  read: 'packages/umpire/src/doors/cli/read.ts',
  critique: 'packages/umpire/src/doors/cli/critique.ts',
  guard: 'packages/umpire/src/doors/cli/guard.ts',
  doctor: 'packages/umpire/src/doors/cli/doctor.ts',
  init: 'packages/umpire/src/doors/cli/init.ts',
  mcp: 'packages/umpire/src/doors/cli/mcp.ts',
  serve: 'packages/umpire/src/doors/cli/serve.ts',
  hook: 'packages/umpire/src/doors/cli/hook.ts',
  fleet: 'packages/umpire/src/doors/cli/fleet.ts',
  worker: 'packages/umpire/src/doors/cli/worker.ts',
  engine: 'packages/umpire/src/doors/cli/engine.ts',
  'engine-choice': 'packages/umpire/src/doors/cli/engine-choice.ts',
  'guard-check': 'packages/umpire/src/engine/guard.ts',
  run: 'packages/umpire/src/doors/cli/run.ts',
  'live-screen': 'packages/umpire/src/doors/cli/live-screen.ts',
  'question-prompt': 'packages/umpire/src/doors/cli/question-prompt.ts',
  completion: 'packages/umpire/src/doors/cli/completion.ts',
  dismiss: 'packages/umpire/src/doors/cli/dismiss.ts',
  'diff-apply': 'packages/umpire/src/doors/cli/diff-apply.ts',
  clean: 'packages/umpire/src/doors/cli/clean.ts',
  pr: 'packages/umpire/src/doors/cli/pr.ts',
  ci: 'packages/umpire/src/doors/cli/ci.ts',
  topic: 'packages/umpire/src/doors/topic.ts',
  help: 'packages/umpire/src/doors/cli/help.ts',
  settings: 'packages/umpire/src/sessions/read-settings.ts',
  trust: 'packages/umpire/src/doors/cli/trust.ts',
  'trust-check': 'packages/umpire/src/engine/trust.ts',
  telemetry: 'packages/umpire/src/telemetry/export-telemetry.ts',
  'project-settings': 'packages/umpire/src/engine/project-settings.ts',
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

/**
 * The command reads only blocks of Markdown, but marked compiles its patterns for inline text when it loads. Their Unicode classes take
 * longer than all else that a verdict loads, so here they are ASCII.
 */
const markdownBlocks = {
  name: 'markdown-blocks',
  setup(builder) {
    builder.onLoad({ filter: /\/marked\.esm\.js$/ }, (args) => {
      const text = readFileSync(args.path, 'utf8');
      const contents = text.replaceAll(String.raw`\p{P}\p{S}`, String.raw`!-\/:-@\[-\x60{-~`);
      if (contents === text) throw new Error('marked has no Unicode classes any more: remove this step');
      return { contents, loader: 'js' };
    });
  },
};

/** The command as one file: with everything (`main`), and once for each built-in loop with only what that loop reads. */
function buildCommand(name, plugins) {
  return build({
    ...shared,
    ...commonJs,
    entryPoints: { [name]: 'packages/umpire/src/doors/cli/main.ts' },
    minify: true,
    plugins: [lateApart, markdownBlocks, ...plugins],
    banner: { js: '(function (require, __dirname) {' },
    footer: { js: '})' },
  });
}

const commonJs = { outdir: 'dist', outExtension: { '.js': '.cjs' }, format: 'cjs', supported: { 'dynamic-import': false } };

const loops = readdirSync(join(root, 'packages', 'core', 'src', 'loops'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => parse(readFileSync(join(root, 'packages', 'core', 'src', 'loops', name), 'utf8')));

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
  build({
    ...shared,
    entryPoints: LATE,
    ...commonJs,
    plugins: [lateApart],
  }),
  build({
    ...shared,
    entryPoints: { index: 'packages/umpire/src/index.ts', run: 'packages/umpire/src/run.ts' },
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    sourcemap: true,
  }),
  build({ ...shared, entryPoints: { library: 'packages/umpire/src/index.ts', 'library-run': 'packages/umpire/src/run.ts' }, ...commonJs }),
]);
await build({
  ...shared,
  entryPoints: { app: 'packages/dashboard/src/app.tsx' },
  outdir: 'dist/web',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  splitting: true,
  chunkNames: 'part-[hash]',
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  minify: true,
});
// The pages hold code of these, whose licences ask for their text.
const licences = ['preact', 'marked'].map((name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`);
writeFileSync(join(root, 'dist', 'web', 'licences.txt'), licences.join('\n\n'));
for (const page of ['index.html', 'app.css', 'icon.svg'])
  cpSync(join(root, 'packages', 'dashboard', page), join(root, 'dist', 'web', page));
const commands = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.cjs'));
const hash = createHash('sha256');
for (const name of commands) {
  const text = readFileSync(join(root, 'dist', name), 'latin1');
  if (name.startsWith('main') && /[^\t\n\x20-\x7e]/.test(text))
    throw new Error(`dist/${name} holds more than ASCII, and the launcher reads it as ASCII: write such characters as escapes`);
  hash.update(text);
}
const launcher = readFileSync(join(root, 'packages', 'umpire', 'src', 'doors', 'cli', 'launcher.cjs'), 'utf8');
writeFileSync(join(root, 'dist', 'umpire.cjs'), launcher.replace("'unbuilt'", `'${hash.digest('hex').slice(0, 12)}'`));
cpSync(join(root, 'packages', 'umpire', 'src', 'doors', 'cli', 'umpire-guard.cjs'), join(root, 'dist', 'umpire-guard.cjs'));
for (const name of ['umpire.cjs', 'umpire-guard.cjs']) chmodSync(join(root, 'dist', name), 0o755);
warmUp();
if (!process.argv.includes('--without-types')) buildTypes();

/** Lets the command judge a sample session of each loop, so that the compiled code it keeps holds all that a verdict needs. */
function warmUp() {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-warm-'));
  try {
    cpSync(join(root, 'examples', 'sessions'), folder, { recursive: true });
    const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
    for (const loop of readdirSync(folder)) {
      const command = [join(root, 'dist', 'umpire.cjs'), 'warm-up', loop, join(folder, loop)];
      const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`the built command cannot judge the sample session of ${loop}:\n${stderr}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The workspaces are not published: in the shipped types, `@umpire/core/model.js` becomes a path to the file beside them. */
function makeTypesRelative(types) {
  for (const name of readdirSync(types, { recursive: true }).filter((one) => one.endsWith('.d.ts'))) {
    const file = join(types, name);
    const text = readFileSync(file, 'utf8').replaceAll(/'@umpire\/([a-z]+)\/([^']+)'/g, (_, workspace, path) => {
      const target = relative(dirname(file), join(types, workspace, 'src', path)).replaceAll('\\', '/');
      return `'${target.startsWith('.') ? target : `./${target}`}'`;
    });
    writeFileSync(file, text);
  }
}

function buildTypes() {
  tool('typescript', ['-p', 'tsconfig.types.json'], 'tsc');
  makeTypesRelative(join(root, 'dist', 'types'));
  // The same types once more: what a program that says `require` is shown must be of CommonJS.
  cpSync(join(root, 'dist', 'types'), join(root, 'dist', 'types-cjs'), { recursive: true });
  writeFileSync(join(root, 'dist', 'types-cjs', 'package.json'), '{ "type": "commonjs" }\n');
}
