// Builds the package: loops to data, the command as one CommonJS file (the fastest cold start), the library as ES modules,
// and its types.

import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root, run, tool } from './tools.mjs';

run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);

const shared = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning', absWorkingDir: root, packages: 'external', logOverride: { 'empty-import-meta': 'silent' } };

/** Reading what people write needs YAML and a schema: a second file, loaded only then. */
const authoredApart = {
  name: 'authored-apart',
  setup(builder) {
    builder.onResolve({ filter: /\/authored\.js$/ }, (args) => (args.kind === 'dynamic-import' ? { path: './authored.cjs', external: true } : undefined));
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
    plugins: [authoredApart],
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({ ...shared, entryPoints: { authored: 'src/runtime/authored.ts' }, outdir: 'dist', outExtension: { '.js': '.cjs' }, format: 'cjs' }),
  build({ ...shared, entryPoints: { index: 'src/index.ts' }, outdir: 'dist', format: 'esm', splitting: true, sourcemap: true }),
]);
chmodSync(join(root, 'dist', 'umpire.cjs'), 0o755);
tool('typescript', ['-p', 'tsconfig.types.json'], 'tsc');
