// Hooks of the runner that are new in the change: they are settings of the tests, written as code.

import type { Evidence } from './evidence.js';
import type { Sighting } from './finding.js';

export function hooksRule(evidence: Evidence): readonly Sighting[] {
  const sightings: Sighting[] = [];
  for (const { change, before, after } of evidence.files) {
    const known = new Set((before?.hooks ?? []).map(({ key }) => key));
    for (const hook of after?.hooks ?? []) {
      if (known.has(hook.key)) continue;
      const was = before?.hooks?.find(({ name }) => name === hook.name)?.span ?? null;
      sightings.push({
        rule: 'config-changed',
        file: change.path,
        before: was,
        after: hook.span,
        why: `${hook.name} decides which tests run, or how they end`,
      });
    }
  }
  return sightings;
}
