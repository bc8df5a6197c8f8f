// The tables of each language.

import { JAVASCRIPT } from '../javascript/tables.js';
import { PYTHON } from '../python/tables.js';
import type { Language } from '../syntax/nodes.js';
import type { Dialect } from './dialect.js';

export function dialectOf(language: Language): Dialect {
  return language === 'javascript' ? JAVASCRIPT : PYTHON;
}
