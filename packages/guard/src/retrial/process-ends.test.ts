// Which new lines of source may set the exit status of a command.

import { expect, it } from 'vitest';
import { findProcessEnds } from './process-ends.js';

it.each([
  ['a.c', '__attribute__((destructor)) static void end(void) {', true],
  ['a.c', '  _exit(0);', true],
  ['a.py', 'os._exit(0)', true],
  ['a.py', 'atexit.register(end)', true],
  ['a.js', 'process.exitCode = 0;', true],
  ['a.js', "process.on('exit', end);", true],
  ['a.go', '\tos.Exit(0)', true],
  ['a.rb', 'at_exit { exit!(0) }', true],
  ['a.php', 'register_shutdown_function($end);', true],
  ['a.rs', 'std::process::exit(0);', true],
  ['a.sh', "trap 'exit 0' EXIT", true],
  ['a.c', '  return exits(x);', false],
  ['a.js', 'const exitCode = await run();', false],
  ['a.test.js', 'process.exit(0);', false],
])('%s: %s', (path, line, isOne) => {
  const files = [{ path, before: 'a\n', after: `a\n${line}\n` }];
  expect(findProcessEnds({ files })).toEqual(isOne ? [`${path}:2`] : []);
  expect(findProcessEnds({ files: [{ path, before: `${line}\n`, after: `a\n${line}\n` }] })).toEqual([]);
});
