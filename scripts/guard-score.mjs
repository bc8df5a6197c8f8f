// `node scripts/guard-score.mjs`: how the guard does on the labelled changes in fixtures/guard: recall and false alarms, by rule.
// Of the held-out part only numbers and rule ids are shown.

import { loadGuard, packedFile, readPacked } from './guard-cases.mjs';

const { caseOf, judgeCase, tally } = await loadGuard();

const only = process.argv[2];
for (const part of ['seen', 'held-out']) {
  const all = ['cheat', 'note', 'honest'].flatMap((label) => readPacked(packedFile(part, label))).map(caseOf);
  for (const language of ['js', 'py']) {
    const isAsked = ({ id }) => only === undefined || part === 'held-out' || only === 'all' || id.includes(only);
    const judged = all.filter((one) => one.language === language && isAsked(one)).map(judgeCase);
    if (judged.length === 0) continue;
    console.log(`\n## ${part}, ${language}`);
    console.log(tally(judged));
    if (part === 'held-out') continue;
    for (const { id, label, missed, alarms, extra, findings } of judged) {
      if (missed.length === 0 && alarms.length === 0 && (only !== 'all' || extra.length === 0) && only !== id) continue;
      console.log(`${label} ${id}${missed.length > 0 ? ` missed ${missed.join(', ')}` : ''}`);
      for (const finding of findings) {
        const mark = alarms.includes(finding) ? 'ALARM' : extra.includes(finding) ? 'extra' : 'fine';
        console.log(
          `  ${mark} ${finding.level} ${finding.rule} ${finding.file}:${finding.line} ${finding.message}  [${(finding.before?.text ?? '').slice(0, 60)}] -> [${(finding.after?.text ?? '').slice(0, 60)}]`,
        );
      }
    }
  }
}
