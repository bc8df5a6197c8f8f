// Walks a critic's Markdown report and drafts what it says: findings under severity headings, tagged bullets, tables,
// scores by dimension, stated counts. Sections of praise, advice and history are told apart by report-headings.ts.

import type { Severity } from '../model.js';
import { isAllDone, isBlamed, isCleared, isNegative, isPositive, isPraised } from './claim-words.js';
import { hasDigit, hasLetter } from './letters.js';
import { parseMarkdown, plainText, type Block, type ListItem, type Section } from './markdown-blocks.js';
import { isNoFinding, isPlaceholder, saysNone } from './no-finding.js';
import { parseReference } from './reference.js';
import { isNumbered, stripNumber, type Draft } from './report-draft.js';
import { dimensionWord, isOverall, roleOf } from './report-headings.js';
import { countLine, isLabel, scoreLine, scoreLines, splitKey } from './report-lines.js';
import { takeTable } from './report-tables.js';
import { parseSeverity, unknownSeverityNote, worseOf } from './severity.js';
import { splitTag, type Tagged } from './severity-tag.js';
import { WordList } from './wording.js';

export interface JsonFence {
  readonly line: number;
  readonly text: string;
}

/** What the headings above a line make of it. */
interface Context {
  readonly mode: 'neutral' | 'severity' | 'findings' | 'dimension' | 'scores' | 'closed';
  readonly severity: Severity | null;
  readonly several: boolean;
  readonly dimension: string;
  /** The section's own name, for a "Score: 5" in it. */
  readonly title: string;
  readonly place: string;
  readonly aside: boolean;
}

const START: Context = { mode: 'neutral', severity: null, several: false, dimension: '', title: '', place: '', aside: false };

const JSON_LANGUAGES = new WordList('json jsonc json5');
const SIGNAL_KEYS = new WordList('signal audit_signal gc_signal');
const FIGURE_KEYS = new WordList('threshold weight total total_issues total_findings');

/** Drafts the report and gives back its JSON fences, which may hold a report of their own. */
export function walkMarkdown(text: string, draft: Draft): readonly JsonFence[] {
  const root = parseMarkdown(text);
  const walk = new Walk(draft);
  walk.blocks(root, START);
  if (root.sections.length === 1 && root.sections[0]?.level === 1) walk.title(root.sections[0]);
  else for (const section of root.sections) walk.section(section, START);
  return walk.fences;
}

class Walk {
  readonly fences: JsonFence[] = [];

  constructor(private readonly draft: Draft) {}

  /** The one heading above all others names the report; it says little of what is below ("Audit: passed"). */
  title(section: Section): void {
    const role = roleOf(section.title);
    if (role.kind === 'severity') return this.section(section, START);
    this.fact(section.title, START);
    this.blocks(section, role.kind === 'findings' ? { ...START, mode: 'dimension' } : START);
    for (const inner of section.sections) this.section(inner, START);
  }

  section(section: Section, above: Context): void {
    const context = this.enter(section, above);
    if (context === null) return;
    this.blocks(section, context);
    for (const inner of section.sections) this.section(inner, context);
  }

  /** The context inside a section, or null where the section as a whole was one finding. */
  private enter(section: Section, above: Context): Context | null {
    const { title } = section;
    if (above.mode === 'closed') return above;
    const role = roleOf(title);
    const inside: Context = { ...above, title };
    if (role.kind === 'severity') {
      if (role.count !== null) this.draft.state(role.severity, role.count);
      return { ...inside, mode: 'severity', severity: role.severity, several: role.several };
    }
    const scored = scoreLine(title, false);
    if (scored !== null) return this.enterScore(scored, inside, above);
    if (this.isFinding(section, above)) return null;
    if (role.kind === 'plain')
      return { ...inside, dimension: dimensionWord(title) ?? above.dimension, title: section.level > 6 ? above.title : title };
    if (role.kind === 'closed') return { ...inside, mode: 'closed' };
    if (role.kind === 'findings') return { ...inside, mode: above.mode === 'severity' ? 'severity' : 'findings' };
    if (role.kind === 'scores') return { ...inside, mode: 'scores' };
    return { ...inside, mode: 'neutral', severity: null, aside: true };
  }

  private enterScore(scored: NonNullable<ReturnType<typeof scoreLine>>, inside: Context, above: Context): Context {
    if (scored.name === null) {
      this.draft.score(scored.score);
      return inside;
    }
    this.draft.dimension(scored.name, scored.score, scored.threshold);
    return { ...inside, mode: above.mode === 'severity' ? 'severity' : 'dimension', dimension: scored.name, title: scored.name };
  }

  /** A heading may be the finding itself: tagged, numbered, or with `Severity: High` below it. */
  private isFinding(section: Section, above: Context): boolean {
    const fields = fieldsOf(section.blocks);
    const lists = section.blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
    const described = lists.every((item) => isLabel(item.text)) || (isNumbered(section.title) && lists.some((item) => isLabel(item.text)));
    const onlyDetails = described && section.sections.length === 0 && section.blocks.every((block) => block.kind !== 'table');
    const tag = splitTag(section.title);
    const said = fields.get('severity');
    const tagged = tag !== null && tag.rest !== '' && (onlyDetails || (tag.mark === 'bracket' && opensWithBracket(section.title)));
    const listed = (above.mode === 'severity' && section.level < 8) || (above.mode === 'findings' && isNumbered(section.title));
    const bare = listed && onlyDetails && section.blocks.length > 0 && dimensionWord(section.title) === null;
    if (!tagged && said === undefined && !bare) return false;
    const severity = said === undefined ? null : severityOf(said, this.draft);
    const headline = tag !== null && tag.rest !== '' ? tag.rest : stripNumber(section.title);
    const named = /^(?:finding|issue|problem|challenge|critique)\s?#?\d{0,3}$/.test(headline.trim().toLowerCase());
    const text = named
      ? (fields.get('title') ??
        fields.get('issue') ??
        fields.get('finding') ??
        fields.get('description') ??
        firstText(section.blocks) ??
        headline)
      : headline;
    this.claim(text, severity ?? tag?.severity ?? above.severity, above, fields);
    return true;
  }

  blocks(section: Section, context: Context): void {
    const bareProse = section.blocks.every((block) => block.kind === 'text') && section.sections.length === 0;
    for (const block of section.blocks) {
      if (block.kind === 'list') for (const item of block.items) this.item(item, context);
      else if (block.kind === 'text') this.text(block.lines, context, bareProse);
      else if (context.mode === 'closed') continue;
      else if (block.kind === 'table') this.table(block, context);
      else if (JSON_LANGUAGES.has(block.language)) this.fences.push(block);
    }
  }

  /** A table that is none of the known ones may still say `| Overall Score | 6/10 |`. */
  private table(table: Extract<Block, { kind: 'table' }>, context: Context): void {
    if (takeTable(table, { ...context, findings: context.mode === 'findings' }, this.draft)) return;
    for (const { cells } of table.rows) if (cells.length === 2) this.fact(cells.join(': '), context);
  }

  private text(lines: readonly string[], context: Context, bareProse: boolean): void {
    if (context.mode === 'closed') return;
    const fields = fieldsOf([{ kind: 'text', line: 1, lines }]);
    const title = fields.get('title') ?? fields.get('issue') ?? fields.get('finding') ?? fields.get('description') ?? fields.get('message');
    const said = fields.get('severity');
    if (said !== undefined && title !== undefined) return this.claim(title, severityOf(said, this.draft), context, fields);
    let taken = false;
    for (const line of lines) {
      const tag = splitTag(line);
      if (this.fact(line, context)) taken = true;
      else if (tag !== null && tag.rest !== '') {
        this.tagged(tag, context, new Map());
        taken = true;
      } else if (saysNone(plainText(line))) {
        this.draft.sayNone(context.severity);
        taken = true;
      }
    }
    const prose = lines.join(' ');
    if (!taken && bareProse && context.mode === 'severity' && !prose.endsWith(':') && !isFigure(prose) && !isAllDone(prose)) {
      this.claim(prose, context.severity, context, new Map());
    }
  }

  private item(item: ListItem, context: Context): void {
    const text = plainText(item.text);
    const tag = splitTag(item.text);
    if (context.mode === 'closed' || item.checked === true || (text.startsWith('~~') && /^~~.{1,2000}~~/s.test(text))) {
      if (tag !== null && !isNoFinding(tag.rest)) this.draft.skipClosed();
      for (const inner of item.items) this.item(inner, { ...context, mode: 'closed' });
      return;
    }
    const inside = this.itemContext(item, text, tag, context);
    if (inside !== null) return this.inner(item, inside);
    const fields = fieldsOf([
      { kind: 'list', items: item.items },
      { kind: 'text', line: 1, lines: item.details },
    ]);
    const said = fields.get('severity');
    if (tag !== null && tag.rest !== '') this.tagged(tag, context, fields, item);
    else if (isNoFinding(text)) {
      if (!isPlaceholder(text)) this.draft.sayNone(context.severity);
    } else if (said !== undefined) {
      const named = /^(?:finding|issue|problem|challenge|critique)?\s?#?\d{0,3}:?$/.test(text.toLowerCase());
      this.claim(
        (named ? (fields.get('title') ?? fields.get('issue') ?? fields.get('description')) : null) ?? text,
        severityOf(said, this.draft),
        context,
        fields,
      );
    } else if (this.isClaim(text, context)) this.claim(withDetails(text, item), context.severity, context, fields);
    else return this.inner(item, context);
    // Details are no findings, but a detail with a tag of its own is one.
    for (const inner of item.items) if (isTagged(inner.text)) this.item(inner, context);
  }

  /** Where the item only heads what is nested in it, or states a fact: the context of what is nested. */
  private itemContext(item: ListItem, text: string, tag: Tagged | null, context: Context): Context | null {
    const scored = scoreLine(text, context.mode === 'scores');
    if (scored !== null && (scored.name !== null || scored.overall || context.mode !== 'severity')) {
      this.fact(text, context);
      return scored.name === null ? context : { ...context, mode: 'dimension', dimension: scored.name, title: scored.name };
    }
    if (this.fact(text, context)) return tag === null ? context : { ...context, mode: 'severity', severity: tag.severity, several: false };
    if (item.items.length === 0 || item.items.every((inner) => isLabel(inner.text))) return null;
    const role = roleOf(text.endsWith(':') ? text.slice(0, -1) : text);
    if (role.kind === 'severity') return { ...context, mode: 'severity', severity: role.severity, several: role.several };
    const heads = text.endsWith(':') || isHeadline(item.text);
    if (!heads || (tag !== null && tag.rest !== '')) return null;
    if (role.kind === 'closed') return { ...context, mode: 'closed' };
    if (role.kind === 'findings') return { ...context, mode: context.mode === 'severity' ? 'severity' : 'findings' };
    if (role.kind !== 'plain') return { ...context, mode: 'neutral', aside: true };
    const name = (text.endsWith(':') ? text.slice(0, -1) : text).replaceAll('`', '');
    return /[./\\]\w/.test(name) ? { ...context, place: name } : { ...context, dimension: dimensionWord(name) ?? context.dimension };
  }

  private inner(item: ListItem, context: Context): void {
    this.text(item.details, context, false);
    for (const inner of item.items) this.item(inner, context);
  }

  /** A score, a signal, a threshold, a count: true where the line was one of these. */
  private fact(line: string, context: Context): boolean {
    const pair = splitKey(line);
    if (pair !== null && SIGNAL_KEYS.has(pair.key)) {
      if (!isPlaceholder(pair.value)) this.draft.signal(pair.value);
      return true;
    }
    const counts = countLine(line);
    if (counts !== null) {
      for (const [severity, count] of counts) this.draft.state(severity, count);
      return true;
    }
    const scored = scoreLines(line, context.mode === 'scores');
    const section = context.title === '' || isOverall(context.title) ? null : stripNumber(context.title);
    if (scored.length === 0) {
      if (pair === null || !FIGURE_KEYS.has(pair.key) || !/^\W{0,3}\d/.test(pair.value)) return false;
      if (pair.key === 'threshold' && section !== null) this.draft.threshold(section, pair.value);
      return true;
    }
    for (const { name, overall, score, threshold } of scored) {
      const named = name ?? (overall ? null : section);
      if (named === null) this.draft.score(score);
      else this.draft.dimension(named, score, threshold);
    }
    return true;
  }

  private tagged(tag: Tagged, context: Context, fields: ReadonlyMap<string, string>, item?: ListItem): void {
    const group = context.mode === 'severity' && !context.several ? context.severity : null;
    const severity = group === null ? tag.severity : worseOf(tag.severity, group);
    this.claim(item === undefined ? tag.rest : withDetails(tag.rest, item), severity, context, fields);
  }

  private isClaim(text: string, context: Context): boolean {
    if (isLabel(text) || isFigure(text) || !hasLetter(text)) return false;
    if (context.mode === 'severity') return true;
    if (context.mode === 'findings') return !isPraised(text) && !isCleared(text) && (!isPositive(text) || isNegative(text));
    if (context.mode !== 'dimension' || isPraised(text) || isCleared(text)) return false;
    return isBlamed(text) || isNegative(text) || parseReference(text).line !== null;
  }

  private claim(text: string, severity: Severity | null, context: Context, fields: ReadonlyMap<string, string>): void {
    const lines = fields.get('line') ?? fields.get('lines');
    const line = lines === undefined ? undefined : /\d{1,7}/.exec(lines)?.[0];
    const place = ['location', 'file', 'files', 'artifact', 'where', 'path', 'component', 'target', 'reference']
      .map((key) => fields.get(key))
      .find((value) => value !== undefined);
    this.draft.claim({
      text,
      severity,
      place: place ?? context.place,
      line: line === undefined ? null : Number(line),
      dimension: fields.get('dimension') ?? fields.get('category') ?? context.dimension,
      rule: fields.get('rule') ?? fields.get('rule_id') ?? '',
      category: fields.get('category') ?? fields.get('type') ?? '',
      aside: context.aside,
    });
  }
}

function isTagged(text: string): boolean {
  return !isLabel(text) && splitTag(text)?.mark === 'bracket';
}

/** `**Buttons**:` or `` `button.md`: `` */
function isHeadline(text: string): boolean {
  if (text.startsWith('**')) return /^\*\*[^*]{1,60}\*\*:?$/.test(text);
  return text.startsWith('`') && /^`[^`]{1,100}`:?$/.test(text);
}

/** `[HIGH] …`, also behind a mark or two. */
function opensWithBracket(title: string): boolean {
  const at = title.search(/[[(]/);
  return at >= 0 && at <= 8 && !hasLetter(title.slice(0, at));
}

/** `Total: 3`: a figure, not a sentence. */
function isFigure(text: string): boolean {
  const pair = splitKey(text);
  return pair !== null && hasDigit(pair.value) && !hasLetter(pair.value);
}

function severityOf(word: string, draft: Draft): Severity | null {
  const severity = parseSeverity(word.endsWith(')') ? word.replace(/\([^()]{0,60}\)$/, '') : word);
  if (severity !== null || isPlaceholder(word)) return severity;
  draft.note(unknownSeverityNote(word));
  return 'high';
}

/** `Location: …`, `Severity: …` in the lines that belong to a finding. */
function fieldsOf(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const add = (text: string): void => {
    const pair = splitKey(text);
    if (pair !== null && pair.value !== '' && !fields.has(pair.key)) fields.set(pair.key, pair.value);
  };
  for (const block of blocks) {
    if (block.kind === 'text') block.lines.forEach(add);
    if (block.kind !== 'list') continue;
    for (const item of block.items) [item.text, ...item.details].forEach(add);
  }
  return fields;
}

function firstText(blocks: readonly Block[]): string | undefined {
  const block = blocks.find((each) => each.kind === 'text');
  return block?.kind === 'text' ? block.lines.find((line) => !isLabel(line)) : undefined;
}

/** The headline with what is said below it, save for fields such as the location. */
function withDetails(text: string, item: ListItem): string {
  const details = [...item.details, ...item.items.map((inner) => inner.text)]
    .filter((line) => !isLabel(line) && !isTagged(line))
    .map((line) => plainText(line));
  return details.length === 0 ? text : `${text.replace(/[:.]$/, '')} — ${details.join('; ').slice(0, 300)}`;
}
