// Which of a project's files a command runs.

import { expect, it } from 'vitest';
import { filesRun } from './command-files.js';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"scripts":{"verify":"node -r ./pre.js tools/verify.js --all && ./bin/more.sh","test":"vitest run"}}',
  Makefile: 'test: all\n\t@sh scripts/run.sh $(TESTS)\nall: a.c\n\tcc -o all a.c\n',
};

it.each([
  ['node verify.js', ['verify.js']],
  ['npm run verify', ['pre.js', 'tools/verify.js', 'bin/more.sh']],
  ['make test', ['scripts/run.sh']],
  ['npm test', []],
  ['pytest tests/test_a.py', []],
  ['bash -e ./check.sh fast', ['check.sh']],
  ['cd app && python3 check.py', ['check.py']],
  ['go test ./...', []],
] as const)('%s', (command, expected) => {
  expect(filesRun(command, (path) => FILES[path] ?? null)).toEqual(expected);
});
