// sha-256 in hexadecimal: of evidence, roles, rules and journal lines.

import * as crypto from 'node:crypto';

/** `crypto.hash` (from Node 20.12) is faster for the many short lines of a journal. */
export const sha256: (data: string | Uint8Array) => string =
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data)
    : (data) => crypto.createHash('sha256').update(data).digest('hex');
