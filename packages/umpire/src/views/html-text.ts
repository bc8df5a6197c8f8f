// Text in an HTML page: escaped, and without hidden characters. Everything that the page shows goes through `markup` or `escapeHtml`.

import { showHidden } from './safe-text.js';

/** Markup that is complete: its foreign text is escaped. */
export interface Html {
  readonly source: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return showHidden(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

type MarkupPart = string | number | Html | readonly Html[];

/** Strings are text and are escaped; `Html` stays as it is. */
export function markup(pieces: TemplateStringsArray, ...parts: readonly MarkupPart[]): Html {
  let source = pieces[0] ?? '';
  parts.forEach((part, index) => {
    source += `${markupOf(part)}${pieces[index + 1] ?? ''}`;
  });
  return { source };
}

function markupOf(part: MarkupPart): string {
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'source' in part ? part.source : part.map(({ source }) => source).join('');
}

export const NO_HTML: Html = { source: '' };
