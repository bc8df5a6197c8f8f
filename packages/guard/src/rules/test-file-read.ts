// Source that reads test files, or checks whether a test calls it.

import { eachValue, dottedName, lastName } from '../syntax/walk.js';
import { someValue } from '../syntax/walk.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';
import { changedSources, sourceSighting } from './source-side.js';

export const testFileRead: Rule = {
  name: 'test-file-read',
  severity: 'critical',
  message: 'The source reads test files, or checks whether a test calls it.',
  honest: 'Let it work from its arguments.',
  levels: 'A note for a look at the stack alone.',
  example: { cheat: 'open("tests/test_total.py").read()', honest: 'open(path).read()' },
  find: (evidence) =>
    changedSources(evidence, /readFile|open\(|read_text|stack|_getframe|currentframe/).flatMap((changed) => {
      const found: Sighting[] = [];
      eachValue(changed.source.body, (value) => {
        if (value.kind !== 'call' || !changed.isNew(value)) return;
        const name = lastName(value.callee);
        const asksTest = (): boolean =>
          value.args.some(({ value: inner }) => someValue(inner, (one) => one.kind === 'text' && TEST_PATH.test(one.value)));
        // The lines around a place.
        if (/^(readFile|readFileSync|open|read_text|Path|import_module|require)$/.test(name) && asksTest())
          found.push(sourceSighting(changed, value, 'breach'));
        else if (
          /^(inspect\.(stack|currentframe)|sys\._getframe|traceback\.extract_stack)$/.test(dottedName(value.callee)) &&
          /['"`]?test|pytest/.test(changed.source.text.slice(Math.max(0, value.from - 200), value.from + 300))
        )
          found.push(sourceSighting(changed, value, 'breach'));
        else if (
          /^(includes|test|match)$/.test(name) &&
          value.callee.kind === 'member' &&
          someValue(value, (one) => one.kind === 'member' && one.name === 'stack') &&
          /test|spec|jest|mocha/.test(changed.source.text.slice(value.from, value.to))
        )
          found.push(sourceSighting(changed, value, 'breach'));
      });
      return found;
    }),
};

const TEST_PATH = /(^|\/)tests?\/|(^|\/)test_\w+\.py$|\.(test|spec)\.[cm]?[jt]sx?$|_test\.py$|__tests__/;
