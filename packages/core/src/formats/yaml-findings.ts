// Findings in a YAML fence: a list of records with a severity each. Only this one shape is understood, line by line;
// everything else in the fence is left alone.

import { splitKey } from './report-lines.js';

const MOST_LINES = 5000;

/** The records that have a severity, each as the fields of a finding. */
export function yamlFindings(text: string): readonly ReadonlyMap<string, string>[] {
  const records: Map<string, string>[] = [];
  let current: Map<string, string> | null = null;
  for (const line of text.split('\n', MOST_LINES)) {
    const body = line.trim();
    if (body.startsWith('- ') || current === null) {
      current = new Map();
      records.push(current);
    }
    const pair = splitKey(unquoted(body.startsWith('- ') ? body.slice(2) : body));
    if (pair !== null && pair.value !== '' && !current.has(pair.key)) current.set(pair.key, unquoted(pair.value));
  }
  return records.filter((record) => record.has('severity') && !isDone(record));
}

function isDone(record: ReadonlyMap<string, string>): boolean {
  return ['resolved', 'fixed', 'closed'].includes(record.get('status')?.toLowerCase() ?? '');
}

function unquoted(text: string): string {
  const mark = text.charAt(0);
  return text.length > 1 && (mark === '"' || mark === "'") && text.endsWith(mark) ? text.slice(1, -1) : text;
}
