// `node scripts/guard-score.mjs`: how the guard does on the labelled changes in fixtures/guard: recall and false alarms, by rule.
// Of the held-out part only numbers and rule ids are shown.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const folder = join(root, 'node_modules', '.cache', 'umpire');
mkdirSync(folder, { recursive: true });
const bundle = join(folder, `guard-score-${process.pid}.mjs`);
const { outputFiles } = await build({
  entryPoints: [join(root, 'test', 'support', 'guard-cases.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  write: false,
});
writeFileSync(bundle, outputFiles[0].contents);
const { readCase, judgeCase, tally } = await import(pathToFileURL(bundle).href);
(await import('node:fs')).rmSync(bundle);

const only = process.argv[2];
for (const part of ['seen', 'held-out']) {
  for (const language of ['js', 'py']) {
    const judged = [];
    for (const kind of ['cheat', 'honest']) {
      const place = join(root, 'fixtures', 'guard', part, kind);
      for (const name of readdirSync(place).filter((file) => file.startsWith(language))) {
        if (only !== undefined && part === 'seen' && only !== 'all' && !name.includes(only)) continue;
        judged.push(judgeCase(name, kind, readCase(readFileSync(join(place, name), 'utf8'))));
      }
    }
    if (judged.length === 0) continue;
    console.log(`\n## ${part}, ${language}`);
    console.log(tally(judged));
    if (part === 'held-out') continue;
    for (const { name, kind, missed, alarms, extra, findings } of judged) {
      if (missed.length === 0 && alarms.length === 0 && (only !== 'all' || extra.length === 0) && only !== name) continue;
      console.log(`${kind} ${name}${missed.length > 0 ? ` missed ${missed.join(', ')}` : ''}`);
      for (const finding of findings) {
        const mark = alarms.includes(finding) ? 'ALARM' : extra.includes(finding) ? 'extra' : 'fine';
        console.log(
          `  ${mark} ${finding.rule} ${finding.file}:${finding.line} ${finding.message}  [${(finding.before?.text ?? '').slice(0, 60)}] -> [${(finding.after?.text ?? '').slice(0, 60)}]`,
        );
      }
    }
  }
}
