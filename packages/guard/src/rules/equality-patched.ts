// The source says that it equals everything, so no check of it can fail.

import { eachStatement } from '../syntax/walk.js';
import { print } from '../syntax/print.js';
import type { Statement } from '../syntax/nodes.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';
import { changedSources, sourceSighting } from './source-side.js';

export const equalityPatched: Rule = {
  name: 'equality-patched',
  severity: 'critical',
  message: 'The source says that it equals everything, so no check of it can fail.',
  honest: 'Compare the values.',
  example: { cheat: 'def __eq__(self, other):\n    return True', honest: 'def __eq__(self, other):\n    return self.total == other.total' },
  find: (evidence) =>
    changedSources(evidence, /__(eq|ne|contains|instancecheck|lt|gt|le|ge|bool)__|\bequals\b/).flatMap((changed) => {
      const found: Sighting[] = [];
      eachStatement(changed.source.body, (statement) => {
        if (statement.kind === 'function' && COMPARING.test(statement.name) && isConstant(statement.value.body) && changed.isNew(statement))
          found.push(sourceSighting(changed, statement, 'breach'));
      });
      return found;
    }),
};

const COMPARING = /^(__(eq|contains|instancecheck|subclasscheck)__|equals|isEqual)$/;

function isConstant(body: readonly Statement[]): boolean {
  const [first, ...more] = body;
  return first?.kind === 'return' && more.length === 0 && first.value !== null && print(first.value) === 'true';
}
