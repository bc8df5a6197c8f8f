// Pages that are written from the data: docs/loops.md, docs/errors.md and the JSON Schema. A test fails when they are stale.

import { z } from 'zod';
import { ERRORS } from '@umpire/core/error-catalogue.js';
import { builtinLoops } from '@umpire/core/loops/builtin.js';
import { loopSchema } from '@umpire/core/loops/loop-schema.js';
import { loopPage, table } from './loop-page.js';

const NOTE = '<!-- Written by `npm run docs` from the data. Do not edit. -->';

/** Every generated page by its path in the project. */
export function generatedPages(): Readonly<Record<string, string>> {
  return { 'docs/loops.md': loopsPage(), 'docs/errors.md': errorsPage(), 'schema/loop.schema.json': schemaPage() };
}

function loopsPage(): string {
  const summary = table(
    ['loop', 'generator → critic', 'words', 'a round counts', 'cap', 'at the cap'],
    builtinLoops().map((loop) => {
      const last =
        loop.table.find((row) => row.when?.['round'] === '>=cap') ??
        loop.table.findLast((row) => row.then === 'escalate' || row.then === 'accept');
      const words = [...new Set(loop.table.map((row) => loop.words[row.then]))].join(' · ');
      return [
        `[${loop.loop}](#${loop.loop})`,
        `${loop.roles.generator} → ${loop.roles.critic}`,
        words,
        loop.round.counts,
        String(loop.cap.default),
        last === undefined ? 'none' : `${loop.words[last.then]} (${last.id})`,
      ];
    }),
  );
  return [
    NOTE,
    '',
    '# The loops',
    '',
    'A loop is data: a YAML file in `packages/core/src/loops/`, written as a user would write one. This page says what each built-in loop',
    'judges by. To write your own, copy `examples/docs-review/docs-review.yaml`, point your editor at',
    '`schema/loop.schema.json`, and run `umpire decide ./my-loop.yaml <session>`.',
    '',
    ...summary,
    '',
    'An absent fact fails every comparison. A loop that approves by waiver never does so under `--strict`.',
    '',
    ...builtinLoops().map(loopPage),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, entry]) => [`\`${code}\``, String(entry.exit), entry.message, entry.hint]);
  return [
    NOTE,
    '',
    '# Errors',
    '',
    'An error is printed on stderr; with `--json` also on stdout as `{"error": {"code", "message", "hint"}, "rule"?}`.',
    'It leaves the session folder as it was. `{name}` stands for the particulars.',
    '',
    ...table(['code', 'exit status', 'message', 'what to do'], rows),
    '',
  ].join('\n');
}

function schemaPage(): string {
  const schema = z.toJSONSchema(loopSchema, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ ...schema, title: 'A loop of Umpire' }, null, 2)}\n`;
}
