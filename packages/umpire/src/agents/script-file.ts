// Reads the YAML script of the scripted agent: answers by task, and how each goes wrong. Errors name the line. examples/scripts/ explains
// every key.

import { z } from 'zod';
import { UmpireError } from '@umpire/core/model/errors.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';

const words = z.union([z.string(), z.array(z.string()).min(1)]).transform((value) => (typeof value === 'string' ? [value] : value));
const numbers = z
  .union([z.number().int(), z.array(z.number().int()).min(1)])
  .transform((value) => (typeof value === 'number' ? [value] : value));

/** In the task's worktree, or after `session:` in the session folder; never outside. */
const path = z.string().refine(isInnerPath, 'expected a path inside the worktree, or session: and a path inside the session folder');

const content = z.union([
  z.string().transform((text) => ({ text })),
  z.strictObject({ text: z.string() }),
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ from: z.string().refine(isInnerPath, 'expected a path beside the script') }),
]);

const result = z.record(z.string(), z.unknown());

const answer = z
  .strictObject({
    task: words.optional(),
    role: words.optional(),
    round: numbers.optional(),
    attempt: numbers.optional(),
    after: z.number().min(0).default(0),
    print: z.string().default(''),
    write: z.record(path, content).default({}),
    delete: z.union([path.transform((one) => [one]), z.array(path)]).default([]),
    ask: words.optional(),
    result: result.optional(),
    fail: z.enum(['exit', 'silent', 'invalid', 'hang']).optional(),
    lie: z.enum(['nothing', 'stale']).optional(),
    twice: result.optional(),
    usage: z.strictObject({ tokens: z.number().min(0).optional(), cost_usd: z.number().min(0).optional() }).optional(),
  })
  .refine((value) => value.fail === undefined || value.result === undefined, {
    message: 'an answer that fails has no result; remove fail or result',
    path: ['fail'],
  });

const scriptSchema = z.strictObject({ answers: z.array(answer).min(1) });

export type ScriptAnswer = z.output<typeof answer>;

export interface Script {
  readonly file: string;
  readonly answers: readonly ScriptAnswer[];
}

/** Throws `script-invalid` with the line. */
export function parseScript(text: string, file: string): Script {
  const errorAt = (line: number | null, detail: string): UmpireError =>
    new UmpireError('script-invalid', { file, line: line === null ? '' : `:${line}`, detail: detail.replace(/\.$/, '') });
  const yaml = readYaml(text);
  if (!yaml.ok) throw errorAt(yaml.line, yaml.problem);
  const parsed = scriptSchema.safeParse(yaml.value);
  if (parsed.success) return { file, answers: parsed.data.answers };
  const { where, problem } = findFirstIssue(parsed.error.issues);
  throw errorAt(yaml.lineOf(where), where.length === 0 ? problem : `${where.join('.')}: ${problem}`);
}

interface ScriptIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
  readonly issues?: readonly { readonly message: string }[];
}

/** Reports an unknown key before a missing one: it is often the same key, misspelt. */
function findFirstIssue(issues: readonly ScriptIssue[]): { readonly where: readonly (string | number)[]; readonly problem: string } {
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0];
  const where = [...(issue?.path ?? []), ...(issue?.keys ?? []).slice(0, 1)].map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue?.code === 'unrecognized_keys') return { where, problem: 'unknown key' };
  const message = issue?.issues?.[0]?.message ?? issue?.message ?? 'it is not a script';
  const problem = message.replace(/^Invalid (?:input|option): /, '').replace(/^Invalid input$/, 'unknown form');
  return { where, problem };
}

function isInnerPath(given: string): boolean {
  const inner = given.replace(/^session:/, '');
  return inner !== '' && !inner.startsWith('/') && !/[\0\\]/.test(inner) && !inner.split('/').includes('..');
}
