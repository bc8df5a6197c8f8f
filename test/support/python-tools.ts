// Fake Python linters in a project's environment: each writes recorded output of the real tool (fixtures/tools) where its arguments say,
// and exits like the real one.

import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from './git-project.js';

export const recorded = (path: string): string => readFileSync(join(import.meta.dirname, '../../fixtures/tools', path), 'utf8');

export interface Recorded {
  readonly version?: string;
  readonly report?: string;
  /** Text for people that Pylint prints in addition to its report. */
  readonly text?: string;
  readonly stderr?: string;
  readonly status?: number;
  /** Other output, by a word in the arguments. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Report only if a file of the project contains this text; otherwise `clean`, with exit status 0. */
  readonly where?: readonly [file: string, text: string];
  readonly clean?: string;
}

/** A virtual environment with one more program. */
export function installPython(root: string, name: string, tool: Recorded, environment = '.venv'): void {
  const { version = '1.0.0', ...rest } = tool;
  const script = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const tool = ${JSON.stringify(rest)};
const args = process.argv.slice(2);
const answer = Object.entries(tool.answers ?? {}).find(([word]) => args.includes(word));
if (answer !== undefined) { process.stdout.write(answer[1]); process.exit(0); }
const [file, text] = tool.where ?? [];
const isThere = file === undefined || (existsSync(file) && readFileSync(file, 'utf8').includes(text));
const report = (isThere ? tool.report : tool.clean) ?? '';
const pair = args.find((word) => word.startsWith('--output-format=json:'))?.match(/^--output-format=json:(.*),text:(.*)$/);
const out = pair?.[1] ?? args.find((word) => /^--output(?:-file)?=/.test(word))?.replace(/^[^=]*=/, '');
if (pair !== undefined && pair !== null && tool.text !== undefined) writeFileSync(pair[2], tool.text);
if (out === undefined) process.stdout.write(report); else if (report !== '') writeFileSync(out, report);
process.stderr.write(tool.stderr ?? '');
process.exitCode = isThere ? (tool.status ?? 0) : 0;
`;
  writeFiles(root, {
    [`${environment}/pyvenv.cfg`]: 'home = /usr/bin\n',
    [`${environment}/bin/${name}`]: script,
    [`${environment}/lib/python3.12/site-packages/${name}-${version}.dist-info/METADATA`]: '',
  });
  chmodSync(join(root, environment, 'bin', name), 0o755);
}
