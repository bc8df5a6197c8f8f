// sha-256 in hexadecimal: of evidence, roles, rules and journal lines.

import * as crypto from 'node:crypto';

/** In one call where Node has it (20.12): a journal has many short lines. */
export const sha256: (data: string | Uint8Array) => string =
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data)
    : (data) => crypto.createHash('sha256').update(data).digest('hex');
