// Tape: every file is run by node, as its own program prints TAP; a small program runs one after the other, so each test is known by its file.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackage } from './run-tool.js';
import { JS_TESTS, keepFlags, foldAssertions } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { findCoverageWrapper } from './script-coverage.js';

const FLAGS: KnownFlags = { withValue: ['-r', '--require', '--import', '--loader', '-i', '--ignore'], plain: [] };

export const tape: Runner = {
  name: 'tape',
  title: 'tape',
  language: 'script',
  programs: ['tape'],
  settings: null,
  dependency: 'tape',
  imports: /['"]tape['"]/,
  judges: ['.c8rc.json', '.nycrc*', 'package.json'],
  traps: [{ printed: /^# tests 0$/m, means: 'The files of tape ran no assertion.' }],
  packages: ['tape', 'c8', 'nyc'],
  commands: ["npx tape 'test/**/*.js'"],
  testFiles: ({ script }) => {
    const named = keepFlags(script?.args ?? [], FLAGS).others.map((word) => word.replace(/^\.\//, ''));
    return named.length > 0 ? named : [...JS_TESTS, '{test,tests}/**/*.{js,cjs,mjs}', 'test.{js,cjs,mjs}'];
  },
  testMark: /['"]tape(?:-\w+)?['"]/,
  requestNames: () => ({ isPrinted: true }),
  prepare: ({ folder, script }) => {
    const installed = findPackage(folder, 'tape');
    if (installed === null) return { absent: 'Tape is not installed here. Install the packages of the project with `npm install`.' };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const wrapper = findCoverageWrapper({ folder, script });
    return {
      ready: {
        version: installed.version,
        uncovered: wrapper.uncovered,
        countAllHint: wrapper.countAllHint,
        countsTestFiles: wrapper.countsTestFiles === true,
        listing: null,
        call: ({ files, coverage }, scratch) => {
          const program = join(scratch, 'run-files.cjs');
          const node = [...(script?.nodeArgs ?? []), ...flags];
          writeFileSync(program, `const node = ${JSON.stringify(node)};\n${PROGRAM}`);
          const measuring = coverage ? wrapper.wrap(scratch) : { argv: [], coverage: null };
          return {
            argv: [...measuring.argv, process.execPath, program, ...files],
            env: script?.env ?? {},
            tests: { file: join(scratch, 'tests.tap'), format: 'tap', isPrinted: true },
            coverage: measuring.coverage,
          };
        },
      },
    };
  },
  locate: foldAssertions,
};

/** Every file is a test of TAP, what tape prints above assertions is a test in it, and they are of that. A process that ends early prints no plan. */
const PROGRAM = `
const { spawnSync } = require('node:child_process');
const { relative } = require('node:path');

const files = process.argv.slice(2);
let failed = 0;
console.log('TAP version 14');
files.forEach((file, at) => {
  const { status, signal, stdout } = spawnSync(process.execPath, [...node, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 30,
  });
  const path = relative(process.cwd(), file);
  let [open, count, inner, isGood, hasPlan] = [null, 0, 0, true, false];
  const close = () => {
    if (open === null) return;
    if (inner > 0) {
      console.log('        1..' + inner);
      console.log('    ' + (isGood ? 'ok ' : 'not ok ') + ++count + ' - ' + open);
    }
    [open, inner, isGood] = [null, 0, true];
  };
  console.log('# Subtest: ' + path);
  for (const line of stdout.split('\\n')) {
    const [, title] = /^# (.+)$/.exec(line) ?? [];
    const [, verdict, name = ''] = /^((?:not )?ok) \\d+(?: -)? ?(.*)$/.exec(line) ?? [];
    if (/^1\\.\\.\\d+/.test(line)) {
      close();
      hasPlan = true;
    } else if (hasPlan || /^TAP version/.test(line)) continue;
    else if (/^# (?:SKIP|TODO) /i.test(line)) {
      close();
      console.log('    ok ' + ++count + ' - ' + line.slice('# SKIP '.length) + ' # ' + line.slice(2, 6));
    } else if (title !== undefined) {
      close();
      open = title;
      console.log('    # Subtest: ' + open);
    } else if (verdict === undefined) console.log('        ' + line);
    else if (open === null) console.log('    ' + verdict + ' ' + ++count + ' - ' + name);
    else {
      inner += 1;
      if (verdict === 'not ok' && !/# (?:TODO|SKIP)\\b/i.test(name)) isGood = false;
      console.log('        ' + verdict + ' ' + inner + ' - ' + name);
    }
  }
  close();
  console.log('    1..' + count);
  const isWhole = status === 0 && hasPlan;
  if (!isWhole) failed += 1;
  const why = isWhole || status !== 0 ? (signal ?? '') : 'it ended before its tests did, or skips all of them';
  console.log((isWhole ? 'ok ' : 'not ok ') + (at + 1) + ' - ' + path + (why === '' ? '' : '\\n  ---\\n  message: ' + why + '\\n  ...'));
});
console.log('1..' + files.length);
process.exitCode = failed === 0 ? 0 : 1;
`;
