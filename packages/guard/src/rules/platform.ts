// Conditions about the machine that a test runs on: the platform, a version, what is installed.

import type { Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';

const PLATFORM =
  /platform|version|\bos\.name\b|pypy|win32|windows|darwin|linux|macos|implementation|importorskip|skipOn|affected|find_spec|hasattr|\bHAS_|\bhas_|supports?|is_installed|available|node_?major|isNode|isBrowser|\bsys\.|is None$|typeof /i;

export function isAboutPlatform(condition: Value | null): boolean {
  return condition !== null && PLATFORM.test(print(condition));
}
