// sha-256 in hexadecimal: of evidence, roles, rules and journal lines.

import { createHash } from 'node:crypto';

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
