// The tables of each language.

import { JAVASCRIPT } from './javascript-dialect.js';
import { PYTHON } from './python-dialect.js';
import type { Language } from '../syntax/nodes.js';
import type { Dialect } from './dialect.js';

export function dialectOf(language: Language): Dialect {
  return language === 'javascript' ? JAVASCRIPT : PYTHON;
}
