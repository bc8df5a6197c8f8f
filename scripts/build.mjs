// Builds the package: loops to data, the command as one CommonJS file (the fastest cold start), the library as ES modules,
// and its types.

import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root, run, tool } from './tools.mjs';

run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);

const shared = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning', absWorkingDir: root, packages: 'external' };

/** Reading a person's loop file needs YAML and a schema: a second file, loaded only then. */
const loopFileApart = {
  name: 'loop-file-apart',
  setup(builder) {
    builder.onResolve({ filter: /\/loop-file\.js$/ }, (args) => (args.kind === 'dynamic-import' ? { path: './loop-file.cjs', external: true } : undefined));
  },
};

rmSync(join(root, 'dist'), { recursive: true, force: true });
await Promise.all([
  build({
    ...shared,
    entryPoints: { umpire: 'src/cli/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    keepNames: true,
    plugins: [loopFileApart],
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({ ...shared, entryPoints: { 'loop-file': 'src/loops/loop-file.ts' }, outdir: 'dist', outExtension: { '.js': '.cjs' }, format: 'cjs' }),
  build({ ...shared, entryPoints: { index: 'src/index.ts' }, outdir: 'dist', format: 'esm', splitting: true, sourcemap: true }),
]);
chmodSync(join(root, 'dist', 'umpire.cjs'), 0o755);
tool('typescript', ['-p', 'tsconfig.types.json'], 'tsc');
