// The modes of the built-in loops as a table: the tasks that each begins with, and when it is chosen.

import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { unrollMode, wavesOf } from '@umpire/core/loops/pipeline.js';
import type { Mode, ModeTest, Pipeline } from '@umpire/core/loops/pipeline.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';

export const MODE_COLUMNS = ['loop', 'mode', 'tasks', 'chosen if'] as const;

export function modeRows(): readonly (readonly string[])[] {
  return BUILTIN_NAMES.flatMap((loop) => {
    const pipeline = builtinPipeline(loop);
    if (pipeline === null) return [];
    return Object.entries(pipeline.modes).map(([name, mode]) => [`\`${loop}\``, `\`${name}\``, graphOf(mode), chosenIf(pipeline, name)]);
  });
}

/** What adds to the points of a goal, by loop. */
export function pointLines(): readonly string[] {
  return BUILTIN_NAMES.flatMap((loop) => {
    const points = builtinPipeline(loop)?.choose.points ?? [];
    if (points.length === 0) return [];
    return [`- \`${loop}\`: ${points.map((point) => `${point.add} if ${describeTest(point)}`).join('; ')}.`];
  });
}

/** `A → [B ∥ C]`: the waves of a mode, each task by the first part of its id. */
function graphOf(mode: Mode): string {
  const tasks = unrollMode(mode, 1);
  const waves = wavesOf(tasks);
  const steps = [...new Set(waves)].map((wave) => {
    const names = tasks
      .filter((_, index) => waves[index] === wave)
      .map(({ task }) => (task.id.split('-')[0] ?? '') + (task.approve ? ' → *you approve*' : ''));
    return names.length === 1 ? (names[0] ?? '') : `[${names.join(' ∥ ')}]`;
  });
  return steps.join(' → ') + (mode.turns > 1 ? `, ${mode.turns} times` : '') + (mode.judged ? '' : ', not judged');
}

function chosenIf({ choose, default: standard }: Pipeline, name: string): string {
  const rules = choose.rules.filter((rule) => rule.mode === name);
  const tests = rules.map((rule) =>
    [
      ...(rule.points ?? []).map((test) => `it has ${inWords(test, 'points')}`),
      ...([rule.words, rule.files, rule.modules, rule.items].some((test) => test !== undefined) ? [describeTest(rule)] : []),
    ].join(' and '),
  );
  return [...tests, ...(name === standard ? ['no other applies'] : [])].join(', or ') || 'you name it';
}

function describeTest({ words, files, modules, items }: ModeTest): string {
  return [
    ...(words === undefined ? [] : [`the goal says ${words.join(', ')}`]),
    ...(files ?? []).map((test) => `${inWords(test, 'files')} changed`),
    ...(modules ?? []).map((test) => `${inWords(test, 'modules')} changed`),
    ...(items === undefined ? [] : ['the goal names items (`TD-07`, `src/zone.ts`)']),
  ].join(' and ');
}

/** `>=3` files: at least 3 files. */
function inWords(test: string, what: string): string {
  const [, sign = '', count = ''] = /^([<>]=?)(\d+)$/.exec(test) ?? [];
  const words: Readonly<Record<string, string>> = { '>=': 'at least', '<=': 'at most', '>': 'more than', '<': 'fewer than' };
  return `${words[sign] ?? test} ${count} ${what}`;
}
