// The key that signs journals: a file in the user's state folder, which the sandbox hides from agents. Without such a folder, journals are
// not signed.

import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import * as crypto from 'node:crypto';
import { join } from 'node:path';
import type { JournalKey } from '@umpire/core/formats/journal.js';
import { stateHome } from './environment.js';
import { sha256 } from './hash.js';
import { makeFolders, syncFolder } from './session-folder.js';

const KEY_BYTES = 32;

/** Null without a home folder. */
export function keyFolder(): string | null {
  const home = stateHome();
  return home === '' ? null : join(home, 'umpire');
}

/** Every command that reads or writes journals asks for it. */
let known: { readonly folder: string; readonly key: JournalKey } | null = null;

/** Null if there is none, or it cannot be read. */
export function readJournalKey(): JournalKey | null {
  const folder = keyFolder();
  if (folder === null) return null;
  if (known?.folder === folder) return known.key;
  try {
    const bytes = readFileSync(keyFile(folder));
    if (bytes.length !== KEY_BYTES) return null;
    known = { folder, key: makeHmacKey(bytes) };
    return known.key;
  } catch {
    return null;
  }
}

/** Makes the key at first need. Null if that is not possible. */
export function requireJournalKey(): JournalKey | null {
  const folder = keyFolder();
  const key = readJournalKey();
  if (key !== null || folder === null) return key;
  try {
    // Complete from its first moment on: two processes may make it at once, and the first one wins.
    makeFolders(folder, 0o700);
    const draft = join(folder, `journal.key-${process.pid}-${crypto.randomUUID()}`);
    const fd = openSync(draft, 'wx', 0o600);
    try {
      writeSync(fd, crypto.randomBytes(KEY_BYTES));
      fsyncSync(fd);
      linkSync(draft, keyFile(folder));
      syncFolder(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      closeSync(fd);
      unlinkSync(draft);
    }
  } catch {
    return null;
  }
  return readJournalKey();
}

function keyFile(folder: string): string {
  return join(folder, 'journal.key');
}

const BLOCK_BYTES = 64;
const DIGEST_CHARACTERS = 64;

/** HMAC-SHA-256 as RFC 2104 defines it: with two one-shot hashes it takes a third of the time of `createHmac`. */
function makeHmacKey(secret: Uint8Array): JournalKey {
  const inner = Buffer.alloc(BLOCK_BYTES + DIGEST_CHARACTERS, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + 32, 0x5c);
  for (const [at, byte] of secret.entries()) {
    inner[at] = 0x36 ^ byte;
    outer[at] = 0x5c ^ byte;
  }
  return {
    id: sha256(secret).slice(0, 8),
    sign: (digest) => {
      inner.write(digest, BLOCK_BYTES, 'latin1');
      outer.write(sha256(inner), BLOCK_BYTES, 'hex');
      return sha256(outer);
    },
  };
}
