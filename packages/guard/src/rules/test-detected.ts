// The source asks whether it is being tested.

import { eachValue, dottedName } from '../syntax/walk.js';
import type { Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';
import { changedSources, sourceSighting } from './source-side.js';

export const testDetected: Rule = {
  name: 'test-detected',
  severity: 'critical',
  message: 'The source asks whether it is being tested.',
  honest: 'Let it do the same in a test as everywhere else.',
  levels: 'A note for `NODE_ENV`, which programs read for other reasons too.',
  example: { cheat: 'if os.environ.get("PYTEST_CURRENT_TEST"): return 3', honest: 'if (process.env.NODE_ENV !== "production") warn()' },
  find: (evidence) =>
    changedSources(evidence, /PYTEST|pytest|unittest|JEST|VITEST|jest|vitest|mocha|NODE_ENV|\bTESTING\b|NODE_TEST/).flatMap((changed) => {
      const found: Sighting[] = [];
      eachValue(changed.source.body, (value) => {
        const level = asksForTest(value);
        if (level === null || !changed.isNew(value)) return undefined;
        found.push(sourceSighting(changed, value, level));
        return false;
      });
      return found;
    }),
};

const CERTAIN =
  /^(PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST_WORKER|JEST_WORKER_ID|VITEST(_WORKER_ID|_POOL_ID|_MODE)?|NODE_TEST_CONTEXT|MOCHA_WORKER_ID|AVA_PATH)$/;
const MODULES = /^_?(pytest|unittest|jest|vitest|mocha|nose)$/;

function asksForTest(value: Value): 'breach' | 'note' | null {
  if (value.kind === 'text' && CERTAIN.test(value.value)) return 'breach';
  if (value.kind === 'member' && CERTAIN.test(value.name)) return 'breach';
  if (
    value.kind === 'binary' &&
    /^(not )?in$/.test(value.op) &&
    value.left.kind === 'text' &&
    MODULES.test(value.left.value) &&
    dottedName(value.right) === 'sys.modules'
  )
    return 'breach';
  if (
    value.kind === 'call' &&
    dottedName(value.callee) === 'sys.modules.get' &&
    value.args[0]?.value.kind === 'text' &&
    MODULES.test(value.args[0].value.value)
  )
    return 'breach';
  if (value.kind === 'unary' && value.op === 'typeof' && /^(jest|vi|vitest|describe|it)$/.test(dottedName(value.operand))) return 'breach';
  if (value.kind === 'binary' && /NODE_ENV/.test(print(value)) && /"test"/.test(print(value))) return 'note';
  return null;
}
