// Reads a critic's Markdown report: findings under severity headings, tagged bullets, tables, scores by dimension, stated counts.
// report-headings.ts tells sections of praise, advice and history apart.

import type { Severity } from '../model/vocabulary.js';
import {
  isAllDone,
  isBlamed,
  isCleared,
  isDefinition,
  isFailure,
  isNegative,
  isOpen,
  isPositive,
  isPraised,
  isResolved,
} from './line-sentiment.js';
import { hasLetter, hasDigit, marksLength } from './characters.js';
import { parseJson } from './json-text.js';
import { parseMarkdown, plainText } from './markdown-blocks.js';
import type { MarkdownBlock, ListItem, Section } from './markdown-blocks.js';
import { isNoFinding, isPlaceholder, saysNone } from './no-finding.js';
import { findCriticalProse } from './critical-prose.js';
import { parseReference } from './file-reference.js';
import { isNumbered, stripNumber } from './report-draft.js';
import type { ReportDraft } from './report-draft.js';
import { dimensionWord, isOverall, readHeading } from './report-headings.js';
import type { HeadingMeaning } from './report-headings.js';
import { countLine, isLabel, scoreLine, scoreLines, splitKey } from './report-lines.js';
import { takeTable } from './report-tables.js';
import { unknownSeverityNote, worseOf, parseSeverity, leadingEmojiSeverity } from './severity.js';
import { splitTag, stripOrnament } from './severity-tag.js';
import type { SeverityTag } from './severity-tag.js';
import { WordList, leadingWord } from './word-lists.js';

export interface JsonFence {
  readonly line: number;
  readonly text: string;
}

/** The meaning of a line, set by the headings above it. */
interface LineContext {
  readonly mode: 'neutral' | 'severity' | 'findings' | 'dimension' | 'scores' | 'closed';
  readonly severity: Severity | null;
  readonly several: boolean;
  readonly dimension: string;
  /** The name of the section, for a "Score: 5" in it. */
  readonly title: string;
  readonly place: string;
  readonly aside: boolean;
}

const START: LineContext = { mode: 'neutral', severity: null, several: false, dimension: '', title: '', place: '', aside: false };

const JSON_LANGUAGES = new WordList('json jsonc json5');
const YAML_LANGUAGES = new WordList('yaml yml');
const TEXT_LANGUAGES = new WordList('|text|txt|plain|plaintext|log|console|output|markdown|md', '|');
const SIGNAL_KEYS = new WordList('signal audit_signal gc_signal');
const FIGURE_KEYS = new WordList('threshold weight total total_issues total_findings');

/** Reads the report into the draft and returns its JSON fences, which may hold a report too. */
export function walkMarkdown(text: string, draft: ReportDraft): readonly JsonFence[] {
  const root = parseMarkdown(text);
  const walk = new ReportWalk(draft);
  walk.readBlocks(root, START);
  if (root.sections.length === 1 && root.sections[0]?.level === 1) walk.readTitle(root.sections[0]);
  else for (const section of root.sections) walk.readSection(section, START);
  return walk.objects.length === 0 ? walk.fences : [...walk.fences, { line: 1, text: `[${walk.objects.join(',')}]` }];
}

class ReportWalk {
  readonly fences: JsonFence[] = [];
  /** JSON objects on lines of their own. */
  readonly objects: string[] = [];

  constructor(private readonly draft: ReportDraft) {}

  /** A single top heading names the report and says little about its content ("Audit: passed"). */
  readTitle(section: Section): void {
    const role = readHeading(section.title);
    if (role.kind === 'severity') return this.readSection(section, START);
    this.readFact(section.title, START);
    this.readBlocks(section, role.kind === 'findings' ? { ...START, mode: 'dimension' } : START);
    for (const inner of section.sections) this.readSection(inner, START);
  }

  readSection(section: Section, above: LineContext): void {
    const context = this.enterSection(section, above);
    if (context === null) return;
    this.readBlocks(section, context);
    for (const inner of section.sections) this.readSection(inner, context);
  }

  /** The context inside a section. Null if the whole section is one finding. */
  private enterSection(section: Section, above: LineContext): LineContext | null {
    const { title } = section;
    if (above.mode === 'closed') return above;
    const role = readHeading(title, above.mode === 'findings' && !fieldsOf(section.blocks).has('severity'));
    const inside: LineContext = { ...above, title };
    if (role.kind === 'severity') {
      if (role.count !== null) this.draft.stateCount(role.severity, role.count);
      if (role.unknown === true) this.draft.addNote(unknownSeverityNote(title));
      return { ...inside, mode: 'severity', severity: role.severity, several: role.several };
    }
    const scored = scoreLine(title, false);
    if (scored !== null) return this.enterScoredSection(scored, inside, above);
    if (this.isFinding(section, above, role.kind)) return null;
    if (role.kind === 'plain' || role.kind === 'findings') this.checkProse(title);
    if (role.kind === 'plain')
      return { ...inside, dimension: dimensionWord(title) ?? above.dimension, title: section.level > 6 ? above.title : title };
    if (role.kind === 'closed') return { ...inside, mode: 'closed' };
    if (role.kind === 'findings') return { ...inside, mode: above.mode === 'severity' ? 'severity' : 'findings' };
    if (role.kind === 'scores') return { ...inside, mode: 'scores' };
    return { ...inside, mode: 'neutral', severity: null, aside: true };
  }

  private enterScoredSection(scored: NonNullable<ReturnType<typeof scoreLine>>, inside: LineContext, above: LineContext): LineContext {
    if (scored.name === null) {
      this.draft.addScore(scored.score);
      return inside;
    }
    this.draft.addDimension(scored.name, scored.score, scored.threshold);
    return { ...inside, mode: above.mode === 'severity' ? 'severity' : 'dimension', dimension: scored.name, title: scored.name };
  }

  /** A heading may be the finding itself: tagged, numbered, or with `Severity: High` below it. */
  private isFinding(section: Section, above: LineContext, role: HeadingMeaning['kind']): boolean {
    const fields = fieldsOf(section.blocks);
    const lists = section.blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
    const described = lists.every((item) => isLabel(item.text)) || (isNumbered(section.title) && lists.some((item) => isLabel(item.text)));
    const onlyDetails = described && section.sections.length === 0 && section.blocks.every((block) => block.kind !== 'table');
    const tag = splitTag(section.title) ?? drawnTag(section.title, role);
    const said = fields.get('severity');
    if (tag !== null && isResolved(section.title)) {
      this.draft.skipResolved();
      return true;
    }
    const tagged = tag !== null && tag.rest !== '' && (onlyDetails || (tag.mark === 'bracket' && opensWithBracket(section.title)));
    const listed = (above.mode === 'severity' && section.level < 8) || (above.mode === 'findings' && isNumbered(section.title));
    const names = role === 'plain' || role === 'findings';
    const bare = names && listed && onlyDetails && section.blocks.length > 0 && dimensionWord(section.title) === null;
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
    this.addFinding(text, severity ?? tag?.severity ?? above.severity, above, fields);
    return true;
  }

  readBlocks(section: Section, context: LineContext): void {
    const bareProse = section.blocks.every((block) => block.kind === 'text') && section.sections.length === 0;
    for (const block of section.blocks) {
      if (block.kind === 'list') for (const item of block.items) this.readItem(item, context);
      else if (block.kind === 'text') this.readText(block.lines, context, bareProse);
      else if (context.mode === 'closed') continue;
      else if (block.kind === 'table') this.readTable(block, context);
      else if (JSON_LANGUAGES.has(block.language)) this.fences.push(block);
      else this.readFence(block, context);
    }
  }

  /** An unknown table may still hold `| Overall Score | 6/10 |`. */
  private readTable(table: Extract<MarkdownBlock, { kind: 'table' }>, context: LineContext): void {
    if (takeTable(table, { ...context, findings: context.mode === 'findings' }, this.draft)) return;
    for (const { cells } of table.rows) {
      const failed = isBlamed(plainText(cells.at(-1) ?? '')) && this.draft.severityByKind(cells[0] ?? '') === 'critical';
      if (failed) this.addFinding(cells.map(plainText).join(': '), null, context, new Map());
      else if (cells.length !== 2 || !this.readFact(cells.join(': '), context)) this.checkProse(cells.join(' | '));
    }
  }

  /** Code is not a report. But text that an agent copied into a plain fence is, and so is a YAML list of findings. */
  private readFence(fence: Extract<MarkdownBlock, { kind: 'fence' }>, context: LineContext): void {
    const found = YAML_LANGUAGES.has(fence.language) ? yamlFindings(fence.text) : [];
    for (const fields of found)
      this.addFinding(
        messageIn(fields) ?? 'a finding without a message',
        severityOf(fields.get('severity') ?? '', this.draft),
        context,
        fields,
      );
    if (!TEXT_LANGUAGES.has(fence.language)) return;
    for (const line of fence.text.split('\n')) {
      const tag = opensWithTag(line) ? splitTag(line) : null;
      if (tag?.severity === 'critical' && tag.rest !== '' && !isResolved(line)) this.readTagged(tag, context, new Map());
    }
  }

  private readText(lines: readonly string[], context: LineContext, bareProse: boolean): void {
    if (context.mode === 'closed') return this.readReopened(lines, context);
    const fields = fieldsOf([{ kind: 'text', line: 1, lines }]);
    const title = messageIn(fields);
    const said = fields.get('severity');
    if (said !== undefined && title !== undefined) return this.addFinding(title, severityOf(said, this.draft), context, fields);
    const prose = lines.join(' ');
    if (
      (lines.length > 1 && hasLetter(prose.charAt(0)) && saysNone(plainText(prose))) ||
      (context.mode === 'severity' && isAllDone(plainText(prose)))
    )
      return this.stateNone(prose, context);
    const free = lines.filter((line) => !this.readLine(line, context));
    if (free.length === lines.length && bareProse && context.mode === 'severity' && !prose.endsWith(':') && !isFigure(prose)) {
      return this.addFinding(prose, context.severity, context, new Map());
    }
    // A sentence may span several lines.
    if (free.length === lines.length) this.checkProse(prose);
    else for (const line of free) this.checkProse(line);
  }

  /** True if the line is a fact, a finding, or a statement that there are none. */
  private readLine(line: string, context: LineContext): boolean {
    if (this.readInlineJson(line) || this.readFact(line, context)) return true;
    const tag = splitTag(line);
    if (tag !== null && tag.rest !== '') {
      if (isResolved(line)) this.draft.skipResolved();
      else this.readTagged(tag, context, new Map());
      return true;
    }
    if (!saysNone(plainText(line))) return false;
    this.stateNone(line, context);
    return true;
  }

  private stateNone(line: string, context: LineContext): void {
    this.draft.stateNone(context.severity);
    this.checkProse(line);
  }

  /** Last resort: text that nothing else matched may still report something critical. */
  private checkProse(line: string): void {
    const prose = findCriticalProse(line);
    for (const [severity, count] of prose.counts) this.draft.stateCount(severity, count);
    if (prose.critical) this.draft.addCriticalSentence(stripOrnament(plainText(line)));
    else if (prose.denied) this.draft.denySeverity('critical');
  }

  /** `{"severity": "critical", …}` on a line of its own. */
  private readInlineJson(line: string): boolean {
    if (!line.startsWith('{"') || !line.endsWith('}') || !parseJson(line).ok) return false;
    this.objects.push(line);
    return true;
  }

  /** A finding among the resolved ones that is still open. */
  private readReopened(lines: readonly string[], context: LineContext): void {
    for (const line of lines) {
      const tag = isOpen(line) ? splitTag(line) : null;
      if (tag !== null && tag.rest !== '') this.readTagged(tag, { ...context, mode: 'neutral' }, new Map());
    }
  }

  private readItem(item: ListItem, context: LineContext): void {
    const text = plainText(item.text);
    const tag = splitTag(item.text);
    if (isClosed(item, text, tag, context.mode)) {
      if (tag === null ? context.mode === 'severity' && item.checked !== true : !isNoFinding(tag.rest)) this.draft.skipResolved();
      for (const inner of item.items) this.readItem(inner, { ...context, mode: 'closed' });
      return;
    }
    if (context.mode === 'closed') return this.readItem(item, { ...context, mode: 'neutral' });
    if (this.readInlineJson(item.text)) return;
    const inside = this.itemContext(item, text, tag, context);
    if (inside !== null) return this.readNested(item, inside);
    const fields = fieldsOf([
      { kind: 'list', items: item.items },
      { kind: 'text', line: 1, lines: item.details },
    ]);
    const said = fields.get('severity');
    const drawn = drawnSeverity(item.text, text);
    if (tag !== null && tag.rest !== '') this.readTagged(tag, context, fields, item);
    else if (isNoFinding(text)) {
      if (!isPlaceholder(text)) this.stateNone(text, context);
    } else if (said !== undefined) {
      const named = /^(?:finding|issue|problem|challenge|critique)?\s?#?\d{0,3}:?$/.test(text.toLowerCase());
      this.addFinding(
        (named ? (fields.get('title') ?? fields.get('issue') ?? fields.get('description')) : null) ?? text,
        severityOf(said, this.draft),
        context,
        fields,
      );
    } else if (drawn !== null) this.addFinding(withDetails(text, item), worseOf(drawn, context.severity ?? drawn), context, fields);
    else if (this.isClaim(text, context)) this.addFinding(withDetails(text, item), context.severity, context, fields);
    else {
      this.checkProse(text);
      return this.readNested(item, context);
    }
    // Details are not findings, unless they have their own tag.
    for (const inner of item.items) if (isTagged(inner.text)) this.readItem(inner, context);
  }

  /** The context of nested items, if this item is only a heading or a fact. Else null. */
  private itemContext(item: ListItem, text: string, tag: SeverityTag | null, context: LineContext): LineContext | null {
    const scored = scoreLine(text, context.mode === 'scores');
    if (scored !== null && (scored.name !== null || scored.overall || context.mode !== 'severity')) {
      this.readFact(text, context);
      return scored.name === null ? context : { ...context, mode: 'dimension', dimension: scored.name, title: scored.name };
    }
    if (this.readFact(text, context))
      return tag === null ? context : { ...context, mode: 'severity', severity: tag.severity, several: false };
    if (item.items.length === 0 || item.items.every((inner) => isLabel(inner.text))) return null;
    const role = readHeading(text.endsWith(':') ? text.slice(0, -1) : text);
    if (role.kind === 'severity') return { ...context, mode: 'severity', severity: role.severity, several: role.several };
    const heads = text.endsWith(':') || isHeadline(item.text);
    if (!heads || (tag !== null && tag.rest !== '')) return null;
    if (role.kind === 'closed') return { ...context, mode: 'closed' };
    if (role.kind === 'findings') return { ...context, mode: context.mode === 'severity' ? 'severity' : 'findings' };
    if (role.kind !== 'plain') return { ...context, mode: 'neutral', aside: true };
    const name = (text.endsWith(':') ? text.slice(0, -1) : text).replaceAll('`', '');
    return /[./\\]\w/.test(name) ? { ...context, place: name } : { ...context, dimension: dimensionWord(name) ?? context.dimension };
  }

  private readNested(item: ListItem, context: LineContext): void {
    this.readText(item.details, context, false);
    for (const inner of item.items) this.readItem(inner, context);
  }

  /** True if the line is a score, signal, threshold or count. */
  private readFact(line: string, context: LineContext): boolean {
    const pair = splitKey(line);
    if (pair !== null && SIGNAL_KEYS.has(pair.key)) {
      if (!isPlaceholder(pair.value)) this.draft.addSignal(pair.value);
      return true;
    }
    const counts = countLine(line);
    if (counts !== null) {
      for (const [severity, count] of counts) this.draft.stateCount(severity, count);
      return true;
    }
    const scored = scoreLines(line, context.mode === 'scores');
    const section = context.title === '' || isOverall(context.title) ? null : stripNumber(context.title);
    if (scored.length === 0) {
      if (pair === null || !FIGURE_KEYS.has(pair.key) || !/^\W{0,3}\d/.test(pair.value)) return false;
      if (pair.key === 'threshold' && section !== null) this.draft.setThreshold(section, pair.value);
      return true;
    }
    for (const { name, overall, score, threshold } of scored) {
      const named = name ?? (overall ? null : section);
      if (named === null) this.draft.addScore(score);
      else this.draft.addDimension(named, score, threshold);
    }
    return true;
  }

  private readTagged(tag: SeverityTag, context: LineContext, fields: ReadonlyMap<string, string>, item?: ListItem): void {
    const group = context.mode === 'severity' && !context.several ? context.severity : null;
    const severity = group === null ? tag.severity : worseOf(tag.severity, group);
    if (isAllDone(tag.rest)) return this.draft.stateNone(severity);
    if (tag.unknown !== undefined) this.draft.addNote(unknownSeverityNote(tag.unknown));
    if (tag.mark !== 'bracket' && isDefinition(tag.rest)) return;
    const [first = '', ...others] = tag.rest.split('; ');
    if (others.length > 0 && isNoFinding(first)) {
      this.draft.stateNone(severity);
      return this.readText(others, context, false);
    }
    this.addFinding(item === undefined ? tag.rest : withDetails(tag.rest, item), severity, context, fields);
  }

  private isClaim(text: string, context: LineContext): boolean {
    if (isLabel(text) || isFigure(text) || !hasLetter(text)) return false;
    if (context.mode === 'severity') return true;
    if (context.mode === 'findings') return !isPraised(text) && !isCleared(text) && (!isPositive(text) || isNegative(text));
    if (isPraised(text) || isCleared(text)) return false;
    if (context.mode === 'neutral')
      return context.title === '' && !context.aside && isFailure(text) && this.draft.severityByKind(text) === 'critical';
    if (context.mode !== 'dimension') return false;
    return isBlamed(text) || isNegative(text) || parseReference(text).line !== null;
  }

  private addFinding(text: string, severity: Severity | null, context: LineContext, fields: ReadonlyMap<string, string>): void {
    const lines = fields.get('line') ?? fields.get('lines');
    const line = lines === undefined ? undefined : /\d{1,7}/.exec(lines)?.[0];
    const place = ['location', 'file', 'files', 'artifact', 'where', 'path', 'component', 'target', 'reference']
      .map((key) => fields.get(key))
      .find((value) => value !== undefined);
    this.draft.addFinding({
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

/** `[HIGH] …`, also after a mark or two. */
function opensWithBracket(title: string): boolean {
  const at = title.search(/[[(]/);
  return at >= 0 && at <= 8 && !hasLetter(title.slice(0, at));
}

/** `Total: 3`: a number, not a sentence. */
function isFigure(text: string): boolean {
  const pair = splitKey(text);
  return pair !== null && hasDigit(pair.value) && !hasLetter(pair.value);
}

function severityOf(word: string, draft: ReportDraft): Severity | null {
  const severity = parseSeverity(word.endsWith(')') ? word.replace(/\([^()]{0,60}\)$/, '') : word);
  if (severity !== null || isPlaceholder(word)) return severity;
  draft.addNote(unknownSeverityNote(word));
  return 'high';
}

/** `Location: …`, `Severity: …` in the lines of a finding. */
function fieldsOf(blocks: readonly MarkdownBlock[]): ReadonlyMap<string, string> {
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

function firstText(blocks: readonly MarkdownBlock[]): string | undefined {
  const block = blocks.find((each) => each.kind === 'text');
  return block?.kind === 'text' ? block.lines.find((line) => !isLabel(line)) : undefined;
}

/** The headline with its details, without fields such as the location. */
function withDetails(text: string, item: ListItem): string {
  const details = [...item.details, ...item.items.map((inner) => inner.text)]
    .filter((line) => !isLabel(line) && !isTagged(line))
    .map((line) => plainText(line));
  return details.length === 0 ? text : `${text.replace(/[:.]$/, '')} — ${details.join('; ').slice(0, 300)}`;
}

/** The message of a finding written as fields. */
function messageIn(fields: ReadonlyMap<string, string>): string | undefined {
  return fields.get('title') ?? fields.get('issue') ?? fields.get('finding') ?? fields.get('description') ?? fields.get('message');
}

/** Ticked, struck out, in a section of resolved findings, or called resolved. */
function isClosed(item: ListItem, text: string, tag: SeverityTag | null, mode: string): boolean {
  if (item.checked === true || (text.startsWith('~~') && /^~~.{1,2000}~~/s.test(text))) return true;
  if (mode === 'closed') return tag === null || !isOpen(text);
  return isResolved(text) && (tag === null ? mode === 'severity' && !isNoFinding(text) : !isNoFinding(tag.rest));
}

/** `CRITICAL: …` in a fence. Only lines that start with the word count. */
function opensWithTag(line: string): boolean {
  return parseSeverity(leadingWord(line.slice(marksLength(line, '-*[(`#>\u2022', 12)))) === 'critical';
}

/** The severity of the coloured emoji before a bullet. A green one is praise unless the words are negative. */
function drawnSeverity(raw: string, text: string): Severity | null {
  const drawn = leadingEmojiSeverity(raw);
  if (drawn === null || isLabel(text) || isFigure(text) || !hasLetter(text)) return null;
  return drawn === 'low' && (isPositive(text) || !isNegative(text)) ? null : drawn;
}

/** A heading with a red emoji that names neither a part of the report nor a dimension. */
function drawnTag(title: string, role: HeadingMeaning['kind']): SeverityTag | null {
  if (role !== 'plain' || leadingEmojiSeverity(title) !== 'critical' || dimensionWord(title) !== null) return null;
  return { severity: 'critical', mark: 'plain', count: null, rest: stripOrnament(title) };
}

const MOST_LINES = 5000;

/** Findings in a YAML fence: the records of a list that have a severity. Other YAML is ignored. */
function yamlFindings(text: string): readonly ReadonlyMap<string, string>[] {
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
