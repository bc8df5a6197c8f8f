// What the guard found as the object that scripts read.

import type { GuardPage } from './guard-page.js';
import { scopeHint } from './guard-page.js';

export interface GuardObject extends GuardPage {
  readonly base: string;
}

export function guardJson(run: GuardObject): Readonly<Record<string, unknown>> {
  const { findings, allowed, expired, problems, rewritten, base, scope, newAllowances, reverted } = run;
  const hint = scopeHint(run);
  return {
    findings,
    allowed: allowed.map(({ finding, allowance }) => ({ ...finding, allowance: { ...allowance, new: newAllowances.includes(allowance) } })),
    expired,
    problems,
    rewritten,
    base,
    scope,
    ...(hint === null ? {} : { hint }),
    ...(reverted === undefined
      ? {}
      : { reverted: reverted.corrections.map(({ path, how }) => ({ file: path, how })), left: reverted.left, kept: reverted.kept }),
  };
}
