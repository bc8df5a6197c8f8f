// The source ends the process as if all were well, and tests that run then end with it.

import { dottedName, eachStatement, eachValue, positional } from '../syntax/walk.js';
import { foldScalar } from '../syntax/fold.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';
import { changedSources, sourceSighting } from './source-side.js';

export const processEnded: Rule = {
  name: 'process-ended',
  severity: 'high',
  message: 'The source ends the process as if all were well, and tests that run then end with it.',
  honest: 'Return or throw; end the process only where the program begins.',
  levels: 'A breach for `os._exit(0)`, `process.reallyExit(0)` and `process.exitCode = 0`; else a note, since programs end themselves.',
  example: { cheat: '+ os._exit(0)', honest: '+ if __name__ == "__main__": sys.exit(main())' },
  find: (evidence) =>
    changedSources(evidence, /_exit\(|\bexit\(|reallyExit|exitCode/).flatMap((changed) => {
      const found: Sighting[] = [];
      eachValue(changed.source.body, (value) => {
        if (value.kind !== 'call' || !changed.isNew(value)) return;
        const name = dottedName(value.callee);
        const [first] = positional(value);
        const status = first === undefined ? 0 : foldScalar(first);
        if (status !== 0) return;
        if (name === 'os._exit' || name === 'process.reallyExit') found.push(sourceSighting(changed, value, 'breach'));
        else if (
          (name === 'sys.exit' || name === 'process.exit') &&
          !/(^|\/)(bin|cli|scripts?|main|__main__)[/.]/.test(changed.source.path)
        )
          found.push(sourceSighting(changed, value, 'note'));
      });
      eachStatement(changed.source.body, (statement) => {
        if (statement.kind !== 'assign' || statement.value === null || !changed.isNew(statement)) return;
        if (statement.targets.some((target) => dottedName(target) === 'process.exitCode') && foldScalar(statement.value) === 0)
          found.push(sourceSighting(changed, statement, 'breach'));
      });
      return found;
    }),
};
