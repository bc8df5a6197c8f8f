// What every row of the registry keeps to.

import { expect, it } from 'vitest';
import { isBuildFile } from '@umpire/guard/project/build-files.js';
import { roleOf } from '@umpire/guard/project/paths.js';
import { isJudge } from '@umpire/guard/retrial/judges.js';
import { expandBraces } from './project-files.js';
import { ALL_RUNNERS } from './registry.js';

it.each(ALL_RUNNERS.map(({ name, judges }) => [name, judges] as const))('the guard knows what decides the outcome of %s', (_, judges) => {
  const writeExample = (pattern: string): string =>
    pattern
      .replace(/\*\*$/, 'a.rb')
      .replaceAll('**/', '')
      .replace(/(?<!\.)\*$/, '')
      .replace(/\.\*$/, '.ts')
      .replaceAll('*', 'a');
  const examples = judges.flatMap(expandBraces).map(writeExample);
  const unknown = examples.filter((path) => !isJudge(path) && !isBuildFile(path) && !['config', 'support'].includes(roleOf(path)));
  expect(unknown).toEqual([]);
});

it('no two rows are called by the same words', () => {
  const programs = ALL_RUNNERS.flatMap((runner) => runner.programs);
  expect(new Set(programs).size).toBe(programs.length);
});
