// What clients and workers say to conductors, as JSON. Everything that comes in is checked here, before it is believed.

import { z } from 'zod';
import { ANSWER_NAMES, ANSWER_WAYS } from '@umpire/core/model/questions.js';
import { EVENTS } from '@umpire/core/decider/events.js';
import type { Event, SessionStarted } from '@umpire/core/decider/events.js';
import type { AnswerGiven } from '@umpire/core/decider/answers.js';
import type { RulingGiven } from '@umpire/core/decider/rulings.js';
import { UmpireError } from '@umpire/core/model/errors.js';

export type ClientMessage =
  | { readonly type: 'start'; readonly started: SessionStarted }
  /** `seen`: the key of the question that the person saw. */
  | { readonly type: 'answer'; readonly given: AnswerGiven; readonly seen?: string | null }
  /** Failed tasks run again, and those whose agents had no plan left. */
  | { readonly type: 'retry' }
  | { readonly type: 'dismiss'; readonly given: RulingGiven };

/** The reply to a client. */
export type Told =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string; readonly hint: string } };

/** The end of an attempt, as a worker hands it in. */
export interface HandedIn {
  readonly events: readonly Event[];
  readonly folder: { readonly files: Readonly<Record<string, string | null>>; readonly board: string | null };
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const path = z
  .string()
  .max(1000)
  .refine((one) => !one.startsWith('/') && !one.split(/[/\\]/).includes('..') && !/[\0\n\r]/.test(one));
const amount = z.number().nonnegative();
const text = (most: number) => z.string().max(most);

const given = z.strictObject({
  answer: z.enum(ANSWER_NAMES),
  reason: text(20_000),
  rounds: amount,
  costUsd: amount,
  minutes: amount,
  tokens: amount,
  by: z.literal('resolve'),
  who: text(100).optional(),
  via: z.enum(ANSWER_WAYS).optional(),
  goal: text(100_000).optional(),
});

const ruling = z.strictObject({
  finding: text(2000),
  reason: text(20_000),
  by: z.literal('dismiss'),
  who: text(100).optional(),
  via: z.enum(ANSWER_WAYS).optional(),
});

const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    started: z.custom<SessionStarted>((value) => EVENTS.SessionStarted.fits(value)),
  }),
  z.strictObject({ type: z.literal('answer'), given, seen: z.string().nullable().optional() }),
  z.strictObject({ type: z.literal('retry') }),
  z.strictObject({ type: z.literal('dismiss'), given: ruling }),
]);

const handedIn = z.strictObject({
  events: z.array(z.strictObject({ type: z.string(), data: z.record(z.string(), z.unknown()) })).length(1),
  folder: z.strictObject({ files: z.record(path, hash.nullable()), board: hash.nullable() }),
});

/** Throws `engine-message`. */
export function readClientMessage(message: unknown): ClientMessage {
  const read = clientMessage.safeParse(message);
  if (read.success) return read.data as ClientMessage;
  throw new UmpireError('engine-message', { detail: describeFirstIssue(read.error) });
}

/** What is wrong with it, as a text, if anything is. The data of the events is not checked here. */
export function readHandedIn(result: unknown): HandedIn | string {
  const read = handedIn.safeParse(result);
  return read.success ? (read.data as unknown as HandedIn) : describeFirstIssue(read.error);
}

function describeFirstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.slice(0, 300);
}
