// Turns the simple HTML that agents write into reports (headings, lists, tables) into lines of Markdown. Only lines that
// begin with a tag are touched: a tag inside a sentence is what the sentence speaks of.

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9-]*)([^<>]*)>/g;

export function withoutHtml(lines: readonly string[]): readonly string[] {
  if (!lines.some(startsWithTag)) return lines;
  const plain: string[] = [];
  let fenced = false;
  const lastEnd = lines.findLastIndex(closesTable);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const start = line.trimStart();
    if (start.startsWith('```') || start.startsWith('~~~')) fenced = !fenced;
    if (fenced || !startsWithTag(line)) {
      plain.push(line);
      continue;
    }
    const end = start.toLowerCase().startsWith('<table') ? tableEnd(lines, at, lastEnd) : at;
    plain.push(...convert(lines.slice(at, end + 1).join(' ')));
    at = end;
  }
  return plain;
}

function startsWithTag(line: string): boolean {
  const start = line.trimStart();
  return start.startsWith('<') && /^<\/?[A-Za-z]/.test(start);
}

function closesTable(line: string): boolean {
  return line.includes('</') && line.toLowerCase().includes('</table');
}

/** The line on which the table that begins here is closed; the same line where it never is. */
function tableEnd(lines: readonly string[], start: number, lastEnd: number): number {
  for (let at = start; at <= lastEnd; at += 1) if (closesTable(lines[at] ?? '')) return at;
  return start;
}

function convert(line: string): readonly string[] {
  let heads = 0;
  const marked = line.replace(TAG, (whole: string, closing: string, tagName: string) => {
    const name = tagName.toLowerCase();
    if (name === 'th' && closing === '') heads += 1;
    const row = name === 'tr' && closing !== '' && heads > 0 ? `\n|${'---|'.repeat(Math.min(heads, 50))}` : null;
    if (row !== null) heads = 0;
    return row ?? blockTag(name, closing !== '') ?? inlineTag(whole);
  });
  return marked.includes('\n') ? marked.split('\n').map((each) => each.trim()) : [marked];
}

function blockTag(name: string, closing: boolean): string | null {
  if (name.length === 2 && name.startsWith('h') && name >= 'h1' && name <= 'h6')
    return closing ? '\n' : `\n${'#'.repeat(Number(name.charAt(1)))} `;
  if (name === 'li') return closing ? '' : '\n- ';
  if (name === 'tr') return closing ? '' : '\n|';
  if (name === 'td' || name === 'th') return closing ? ' |' : ' ';
  return name === 'table' || name === 'ul' || name === 'ol' || name === 'p' || name === 'br' ? '\n' : null;
}

/** A tag that says nothing is dropped; a severity in one is kept as a tag of our own. */
function inlineTag(tag: string): string {
  const severity = tag.includes('severity') ? /severity\s?=\s?["']?([A-Za-z]{1,20})/.exec(tag)?.[1] : undefined;
  return severity === undefined ? '' : `[${severity}] `;
}
