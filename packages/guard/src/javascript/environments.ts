// Comments of a test file that choose what its tests run in: a file of the project there decides which tests run, and how they end.

import type { HookFact } from '../facts.js';
import { spanOf } from './tree.js';
import type { Tree } from './tree.js';

const DOCBLOCK = /@(jest|vitest)-environment\s+(\.{0,2}\/[^\s*]+)/;

export function environmentsOf(tree: Tree): readonly HookFact[] {
  if (!tree.text.includes('-environment')) return [];
  return tree.comments.flatMap((comment): readonly HookFact[] => {
    const [words, runner, path] = DOCBLOCK.exec(comment.value) ?? [];
    if (words === undefined) return [];
    return [
      {
        name: `an environment of the project (${path ?? ''})`,
        span: spanOf(tree, comment.start, comment.end),
        key: `${runner ?? ''} ${path ?? ''}`,
      },
    ];
  });
}
