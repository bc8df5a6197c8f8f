// Writes what is derived from the loop files and the error catalogue: the compiled loops (not committed), and the pages
// and the JSON Schema that are (with --docs; a test fails when they are stale).

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const cache = join(root, 'node_modules', '.cache', 'umpire');
const loopsFolder = join(root, 'packages', 'core', 'src', 'loops');
const ORDER = ['design', 'testing', 'debt', 'review', 'brainstorm', 'until'];

async function load(entry) {
  const outfile = join(cache, `${basename(entry, '.ts')}.mjs`);
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    external: ['oxc-parser'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return import(`${pathToFileURL(outfile).href}?${Date.now()}`);
}

function rank(name) {
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}

mkdirSync(cache, { recursive: true });
const { parseLoop, parsePipelineFile } = await load('packages/core/src/loops/loop-file.ts');
const loops = readdirSync(loopsFolder)
  .filter((name) => name.endsWith('.yaml'))
  .toSorted((a, b) => rank(basename(a, '.yaml')) - rank(basename(b, '.yaml')) || a.localeCompare(b))
  .map((name) => parseLoop(readFileSync(join(loopsFolder, name), 'utf8'), `packages/core/src/loops/${name}`));

writeTexts('packages/core/src/loops/builtin.generated.ts', 'BUILTIN_TEXTS', 'Each built-in loop as JSON, by name.', loops);
writeTexts(
  'packages/core/src/loops/pipelines.generated.ts',
  'PIPELINE_TEXTS',
  'What a run of each built-in loop begins with, as JSON, by loop.',
  loops.map((loop) => {
    const path = `packages/core/src/loops/pipelines/${loop.loop}.yaml`;
    return parsePipelineFile(readFileSync(join(root, path), 'utf8'), path, loop);
  }),
);

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeIfChanged(
  'packages/umpire/src/doors/cli/version.generated.ts',
  `// Written by scripts/generate.mjs from package.json. Do not edit.\n\nexport const VERSION = '${version}';\n`,
);

if (process.argv.includes('--docs')) {
  const pages = await load('packages/umpire/src/doors/cli/generated-pages.ts');
  for (const [path, text] of Object.entries(pages.generatedPages())) writeIfChanged(path, text);
  const { drawLanguagesPage } = await load('test/languages/page.ts');
  const trials = JSON.parse(readFileSync(join(root, 'fixtures', 'languages', 'results.json'), 'utf8'));
  writeIfChanged('docs/languages.md', drawLanguagesPage(trials));
}

/** A file with one constant: the JSON of each of these, by the loop's name. */
function writeTexts(path, name, what, values) {
  const texts = values.map((value) => `  ${value.loop}: ${JSON.stringify(JSON.stringify(value))},\n`).join('');
  writeIfChanged(
    path,
    `// Written by scripts/generate.mjs from the YAML files beside it. Do not edit.\n\n/** ${what} */\nexport const ${name}: Readonly<Record<string, string>> = {\n${texts}};\n`,
  );
}

function writeIfChanged(path, text) {
  const file = join(root, path);
  let old = null;
  try {
    old = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  if (old !== text) writeFileSync(file, text);
}
