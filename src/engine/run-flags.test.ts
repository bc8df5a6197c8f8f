// What a program may hand in as flags of a run.

import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../runtime/default-settings.js';
import { takeFlags } from './run-flags.js';
import type { RunFlags } from './run-flags.js';

it.each(['stopWhenStalled', 'strict', 'sandbox', 'yes'] as const)('%s is true or false, and nothing else', (name) => {
  expect(takeFlags({ [name]: true }, DEFAULT_SETTINGS, null)[name]).toBe(true);
  for (const value of [1, 'no']) {
    const flags = { [name]: value } as unknown as RunFlags;
    expect(() => takeFlags(flags, DEFAULT_SETTINGS, null)).toThrow(`${name} is true or false.`);
  }
});
