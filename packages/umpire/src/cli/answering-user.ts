// The name of the person who answers, for the record of a session.

import { userInfo } from 'node:os';

/** The user's name on this machine. Some containers have none. */
export function answeringUser(): { readonly who?: string } {
  try {
    return { who: userInfo().username.slice(0, 100) };
  } catch {
    return {};
  }
}
