// A file as a tree, by its name.

import { readJavaScript } from '../javascript/lower.js';
import { isJavaScript, isPython } from '../project/paths.js';
import { readPython } from '../python/lower.js';
import type { Source } from './nodes.js';

/** Null where it is in neither language. */
export function readSource(path: string, text: string): Source | null {
  return isJavaScript(path) ? readJavaScript(path, text) : isPython(path) ? readPython(path, text) : null;
}
