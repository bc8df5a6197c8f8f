// Design tokens (DTCG 2025.10): the faults of one token file. References to other files are noted, not reported as findings;
// tokens/audit.ts audits the whole set.

import type { JsonFormat } from './format.js';
import { auditConsistency } from './tokens/audit-consistency.js';
import { readTokenFile } from './tokens/token-file.js';
import { TokenSet } from './tokens/token-set.js';

/** Tokens take many times the memory of their text. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

export const dtcg: JsonFormat = {
  id: 'dtcg',
  title: 'Design tokens (DTCG)',
  content: 'findings',
  recognises: ({ isArray, text, name, keys }) =>
    !isArray &&
    (/"\$value"\s{0,100}:/.test(text) ||
      name.endsWith('.tokens.json') ||
      name.endsWith('.tokens') ||
      (keys.has('resolutionOrder') && keys.has('version'))),
  read: (_value, report, _options, text) => {
    if (text.length > MOST_CHARACTERS) return report.fail(`the file has more than ${MOST_CHARACTERS / 1024 / 1024} MB of tokens; split it`);
    const file = readTokenFile(text, '');
    if (file.unreadable !== null) return report.fail(file.unreadable.problem, { line: file.unreadable.line });
    if (file.tokens.length === 0 && file.themedFiles.length === 0)
      return report.fail('the file has no token; expected at least one object with "$value"', { line: 1 });
    const { findings } = auditConsistency(new TokenSet([file]));
    const outside = findings.filter(({ rule }) => rule === 'reference/missing');
    for (const { rule, severity, message, line } of findings.filter((finding) => !outside.includes(finding)))
      report.addFinding({ severity, message: `${message} (line ${line})`, rule });
    const leads = outside.reduce((sum, { count }) => sum + count, 0);
    if (leads > 0) {
      const them = leads === 1 ? '1 reference leads to a token' : `${leads} references lead to tokens`;
      report.note(`${them} outside this file; check the files together with: umpire critique design`);
    }
  },
};
