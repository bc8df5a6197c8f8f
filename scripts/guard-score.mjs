// `node scripts/guard-score.mjs [ID]`: how the guard does on the labelled changes in fixtures/guard. With a part of an id, what it says of
// those seen cases. Of the held-out part only numbers are shown.

import { loadGuard, packedFile, readPacked } from './guard-cases.mjs';

const { caseOf, judgeCase, tally } = await loadGuard();

const only = process.argv[2];
for (const part of only === undefined ? ['seen', 'held-out'] : ['seen']) {
  const all = ['cheat', 'note', 'honest'].flatMap((label) => readPacked(packedFile(part, label))).map(caseOf);
  for (const language of ['js', 'py']) {
    const judged = all.filter((one) => one.language === language && (only === undefined || one.id.includes(only))).map(judgeCase);
    if (judged.length === 0) continue;
    console.log(`\n## ${part}, ${language}\n${tally(judged)}`);
    if (only === undefined) continue;
    for (const { id, label, isRight, findings } of judged) {
      console.log(`${isRight ? 'right' : 'WRONG'} ${label} ${id}`);
      for (const { level, rule, file, line, message } of findings) console.log(`  ${level} ${rule} ${file}:${line} ${message}`);
    }
  }
}
