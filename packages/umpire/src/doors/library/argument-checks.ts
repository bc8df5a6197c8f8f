// Checks the arguments of library functions, since JavaScript callers have no types. Unknown names are refused: a misspelt limit would
// be no limit.

import { describeOption, fitsOption } from '@umpire/core/model/options.js';
import type { Option, Options } from '@umpire/core/model/options.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { resolve } from 'node:path';
import { findLoop } from '../../engine/session.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { rememberedPipeline } from '@umpire/core/loops/pipeline.js';
import type { Pipeline, PipelinesInput } from '@umpire/core/loops/pipeline.js';
import { defineLoop, definePipelines } from '@umpire/core/loops/define-loop.js';
import type { Loop } from '@umpire/core/loops/loop.js';

/** What only a program can pass. */
export const CALL = only('function');
export const SIGNAL = only('signal');
export const DATE = only('date');
export const OBJECT = only('object');

function only(type: 'function' | 'signal' | 'date' | 'object'): Option {
  return { takes: { type }, help: '', value: '' };
}

/** An undefined argument counts as left out. */
export function checkRequest<Request extends object>(
  call: string,
  request: Request,
  takes: { readonly [Name in keyof Required<Request>]: Option },
): void {
  const given: unknown = request;
  const rows: Options = takes;
  const needs = Object.keys(rows).filter((name) => rows[name]?.isNeeded === true);
  if (!isObject(given)) throw argumentError(call, `pass an object: ${call}({ ${needs.length === 0 ? '...' : needs.join(', ')} })`);
  for (const [name, value] of Object.entries(given)) {
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (row === undefined) {
      const known = Object.keys(rows);
      throw argumentError(call, `there is no argument "${name.slice(0, 40)}".${didYouMean(name, known)} Arguments: ${known.join(', ')}`);
    }
    if (value !== undefined) checkValue(call, name, value, row);
  }
  for (const [name, row] of Object.entries(rows))
    if (row.isNeeded === true && given[name] === undefined)
      throw argumentError(call, `${name} is missing; it must be ${describeOption(row)}`);
}

export function checkValue(call: string, name: string, value: unknown, row: Option): void {
  if (!fitsOption(row, value)) throw argumentError(call, `${name} must be ${describeOption(row)}, not ${describeValue(value)}`);
}

export function argumentError(call: string, detail: string): UmpireError {
  return new UmpireError('argument', { door: call, detail });
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export async function validateLoop(loop: string | Loop): Promise<string | Loop> {
  if (typeof loop === 'string') return !BUILTIN_NAMES.includes(loop) && /[./\\]/.test(loop) ? resolve(loop) : loop;
  if (rememberedPipeline(loop) !== undefined) return loop;
  return defineLoop(loop);
}

export async function validatePipeline(given: PipelinesInput, named: string | Loop): Promise<Pipeline> {
  const { loop } = await findLoop(named);
  return definePipelines(given, loop);
}
