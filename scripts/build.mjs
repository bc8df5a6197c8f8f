// Builds the package: loops to data, the command as one CommonJS file (the fastest cold start), the library as ES modules,
// and its types.

import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
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

/** Reading what people write needs YAML and a schema: a second file, loaded only then. */
const authoredApart = {
  name: 'authored-apart',
  setup(builder) {
    builder.onResolve({ filter: /\/authored\.js$/ }, (args) =>
      args.kind === 'dynamic-import' ? { path: './authored.cjs', external: true } : undefined,
    );
  },
};

rmSync(join(root, 'dist'), { recursive: true, force: true });
await Promise.all([
  build({
    ...shared,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    supported: { 'dynamic-import': false },
    plugins: [authoredApart],
    banner: { js: '(function (require, __dirname) {' },
    footer: { js: '})' },
  }),
  build({
    ...shared,
    entryPoints: { authored: 'src/runtime/authored.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
  }),
  build({ ...shared, entryPoints: { index: 'src/index.ts' }, outdir: 'dist', format: 'esm', splitting: true, sourcemap: true }),
]);
const built = createHash('sha256')
  .update(readFileSync(join(root, 'dist', 'main.cjs')))
  .digest('hex')
  .slice(0, 12);
const launcher = readFileSync(join(root, 'src', 'cli', 'launcher.cjs'), 'utf8');
writeFileSync(join(root, 'dist', 'umpire.cjs'), launcher.replace("'unbuilt'", `'${built}'`));
chmodSync(join(root, 'dist', 'umpire.cjs'), 0o755);
warmUp();
tool('typescript', ['-p', 'tsconfig.types.json'], 'tsc');

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
