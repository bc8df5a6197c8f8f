// The address of a git remote: checked, as git gets it, and as people read it, without a password.

import { resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';

export interface RemoteAddress {
  /** For git. May contain a password. */
  readonly url: string;
  /** For names and messages. */
  readonly label: string;
  /** A message of git without the parts of the address that are secret. */
  readonly redact: (text: string) => string;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** `git@host:path`; a path has a slash before any colon. */
const SCP = /^[^/\\]+:/;

export function parseRemote(remote: string): RemoteAddress {
  const scheme = SCHEME.exec(remote)?.[1]?.toLowerCase();
  const detail =
    remote.trim() === ''
      ? 'it is empty'
      : /\p{Cc}/u.test(remote) || remote.startsWith('-')
        ? 'a control character or a leading dash is not allowed'
        : /^[a-z0-9+.-]+::/i.test(remote)
          ? 'an address that runs a command is not allowed'
          : scheme !== undefined && !SCHEMES.has(scheme)
            ? `${scheme}:// is not supported`
            : null;
  if (detail !== null) throw new UmpireError('remote-invalid', { remote: withoutSecrets(remote), detail });
  const url = scheme === undefined && !SCP.test(remote) ? resolve(remote) : remote;
  const secrets = secretsIn(url);
  return {
    url,
    label: withoutSecrets(url),
    redact: (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), withoutSecrets(text)),
  };
}

const SCHEMES = new Set(['ssh', 'https', 'http', 'file', 'git']);

/** A token may stand in the place of the user; over ssh, a name alone is no secret. */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(/\b(https?:\/\/)[^/\s]*@/gi, '$1')
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*):[^/\s]*@/gi, '$1@')
    .replaceAll(/\b(https?:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, '$1');
}

const MIN_SECRET_CHARS = 4;

function secretsIn(url: string): readonly string[] {
  const [, scheme = '', user = '', password = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/:]*)(?::([^/]*))?@/i.exec(url) ?? [];
  const found = [password, ...(/^https?$/i.test(scheme) && password === '' ? [user] : [])];
  return found.flatMap((secret) => [secret, decoded(secret)]).filter((secret) => secret.length >= MIN_SECRET_CHARS);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
