// ESLint as a project has it, with the reports that the real one wrote for `no-undef`: starting the real one takes ten times as long.

import { writeFiles } from './git-project.js';

/** A line that only calls a name is a finding: no file of the tests defines one. */
const PROGRAM = `
const { existsSync, readFileSync, readdirSync, statSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const words = process.argv.slice(2);
const filesIn = (path) =>
  !existsSync(path) ? [] : !statSync(path).isDirectory() ? [path]
  : readdirSync(path).filter((name) => name !== 'node_modules').flatMap((name) => filesIn(join(path, name)));
const look = (file) => {
  const messages = readFileSync(file, 'utf8').split('\\n').flatMap((text, at) => {
    const [, name] = /^(\\w+)\\(\\);$/.exec(text) ?? [];
    const place = { line: at + 1, column: 1, endLine: at + 1, endColumn: text.length - 2 };
    return name === undefined ? [] : [{ ruleId: 'no-undef', severity: 2, message: "'" + name + "' is not defined.", ...place }];
  });
  const counts = { errorCount: messages.length, fatalErrorCount: 0, warningCount: 0, fixableErrorCount: 0, fixableWarningCount: 0 };
  return { filePath: resolve(file), messages, suppressedMessages: [], ...counts, usedDeprecatedRules: [] };
};
import(pathToFileURL(resolve('eslint.config.mjs'))).then(() => {
  const results = words.slice(words.indexOf('--') + 1).flatMap(filesIn).filter((file) => file.endsWith('.js')).map(look);
  writeFileSync(words[words.indexOf('--output-file') + 1], JSON.stringify(results));
  process.exitCode = results.some(({ errorCount }) => errorCount > 0) ? 1 : 0;
}, (error) => {
  console.error(String(error));
  process.exitCode = 2;
});
`;

export function installRecordedEslint(root: string): void {
  writeFiles(root, {
    'node_modules/eslint/package.json': '{ "name": "eslint", "version": "10.14.0", "bin": { "eslint": "./eslint.cjs" } }\n',
    'node_modules/eslint/eslint.cjs': PROGRAM,
  });
}
