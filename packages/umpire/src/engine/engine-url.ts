// Addresses of engines, without their passwords: they reach terminals, logs and errors.

/** The scheme in lower case, such as `postgres`; null where the text is no URL. */
export function schemeOf(url: string): string | null {
  return /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? null;
}

/** The address as it may be shown. Parameters are left out: they can hold passwords too. */
export function withoutPassword(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
  } catch {
    return `${schemeOf(url) ?? 'unknown'}:…`;
  }
}
