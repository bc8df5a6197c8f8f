// Reads a critic's Markdown report: findings under severity headings, tagged lines and bullets, tables, scores by dimension, counts.
// Any other line that carries a severity as a tag is kept as unread (rule A7).

import type { Severity } from '../model/vocabulary.js';
import { hasDigit, hasLetter, marksLength } from './characters.js';
import { parseJson } from './json-text.js';
import { parseMarkdown } from './markdown-blocks.js';
import type { ListItem, MarkdownBlock, Section } from './markdown-blocks.js';
import { denialIn, isNoFinding, isPlaceholder } from './no-finding.js';
import { isNumbered, stripNumber } from './report-draft.js';
import type { ReportDraft } from './report-draft.js';
import { countLine, isLabel, plainText, scoreLine, scoreLines, splitKey } from './report-lines.js';
import { takeTable } from './report-tables.js';
import {
  certaintyOf,
  leadingEmojiSeverity,
  parseSeverity,
  parseSeverityField,
  parseSeverityTag,
  unknownSeverityNote,
  worseOf,
} from './severity.js';
import { splitTag, stripOrnament } from './severity-tag.js';
import type { SeverityTag } from './severity-tag.js';
import { lowerCase, WordList, wordsOf } from './word-lists.js';

export interface JsonFence {
  readonly line: number;
  readonly text: string;
}

/** The meaning of a line, set by the headings above it. */
interface LineContext {
  readonly mode: 'plain' | 'findings' | 'scores' | 'closed';
  /** Of the heading above: what stands below is a finding. */
  readonly severity: Severity | null;
  /** "Medium/Low": a tag below may say which. */
  readonly several: boolean;
  readonly dimension: string;
  /** The name of the section, for a "Score: 5" in it. */
  readonly title: string;
  readonly place: string;
  /** A summary or advice, which repeats findings. */
  readonly aside: boolean;
}

const START: LineContext = { mode: 'plain', severity: null, several: false, dimension: '', title: '', place: '', aside: false };

const JSON_LANGUAGES = new WordList('json jsonc json5');
const TEXT_LANGUAGES = new WordList('|text|txt|plain|plaintext|log|console|output|yaml|yml|', '|');
const SIGNAL_KEYS = new WordList('signal audit_signal gc_signal');
const FIGURE_KEYS = new WordList('threshold weight total total_issues total_findings');

/** Sections of what is no longer open. Narrow on purpose: "Type Scale" or "Fixed header" would hide its findings. */
const CLOSED =
  /\b(?:resolved|addressed|strengths?|positives?|what works|(?:went|works?) well|what[' ]?i?s good|good practices|history|changes since|previous(?:ly)? (?:findings|issues|audit|round|iteration|review)|prior (?:findings|issues|audit|round|iteration|review)|(?:issues|findings|items|problems) (?:fixed|closed)|behoben|st\u00e4rken|points forts|fortalezas)\b|^(?:fixed|closed|pass(?:ed|es|ing)?|legend|definitions|method(?:ology)?|changelog)(?:$| (?:since|in|from|issues|findings|items|checks|criteria|areas|tests)\b)|^(?:severity|rating|scoring) (?:scale|levels?|classification|guide|criteria|definitions|key|legend|rubric)\b|\u5df2\u89e3\u51b3|\u5df2\u4fee\u590d|\u4f18\u70b9|\u89e3\u6c7a\u6e08\u307f/;
const OPEN =
  /\b(?:not|remain\w*|open|outstanding|still|must|should|needs?|pending|to be|un(?:resolved|fixed|addressed|closed)|reopened|regressed)\b/;
const ASIDE =
  /\b(?:summary|overview|tl;?dr|highlights|conclusion|takeaways?|at a glance|next (?:steps?|actions?)|actions?|rationale|decision|remediation|to-?do|priorities|roadmap|reasoning|recommend\w*|suggest\w*|required (?:fixes|changes)|fix plan)\b/;
const SCORES = /\b(?:scores?|scorecard|scoring|ratings?)\b/;
const FINDINGS =
  /\b(?:findings?|issues?|problems?|violations?|defects?|concerns?|bugs|failures?|gaps|unresolved|challenges?|critiques?|weaknesses|befunde?|probleme|constats?|hallazgos?|problemas?)\b|m\u00e4ngel|probl\u00e8mes?|\u95ee\u9898|\u53d1\u73b0|\u554f\u984c|\u6307\u6458/;
const DIMENSION =
  /^(?:\d{1,3}[.)]\s+)?((?:accessibility|a11y|consistency|completeness|quality|compliance|usability|performance|responsiveness|responsive|visual|tokens?|states?|interaction|naming|documentation|typography|colou?rs?|spacing|layout|industry|brand|content|motion|design tokens)\b[^:(\u2014\u2013]{0,30}?)\s*(?:$|[:(\u2014\u2013]|- )/;
const OVERALL =
  /\b(?:summary|overview|overall|audit|report|results?|verdict|conclusion|scores?|decision|status|final|gc|signal|assessment|scorecard|critique|review)\b/;
/** Finished: `✅ …`, `[RESOLVED] …`, `… — fixed`. `position: fixed` is a style, so only a dash before the word marks it as a status. */
const DONE =
  /^[\u2705\u2713\u2714\u2611]|^\[\s*(?:resolved|fixed|closed|done|addressed|verified)\s*\]|(?:[\u2014\u2013\u2192-]\s*(?:resolved|fixed|addressed|done)|\((?:resolved|addressed|done))[.)]?$/;
const STRUCK = /^~~.{1,2000}~~/s;
/** A heading or bullet that only numbers what its fields say. */
const NUMBERED_THING = /^(?:finding|issue|problem|challenge|critique)?\s?#?\d{0,3}:?$/;

type Heading =
  | { readonly kind: 'severity'; readonly severity: Severity; readonly several: boolean; readonly count: number | null }
  | { readonly kind: 'findings' | 'closed' | 'aside' | 'scores' | 'plain' };

/** The meaning of a heading, or of a label above a list. `isListed`: "Notes" below a heading of findings are findings. */
export function readHeading(title: string, isListed = false): Heading {
  const unnumbered = title.slice(0, 200).replace(/^\W{0,3}\d{1,3}(?:\.\d{1,3}){0,3}[.):]?\s{1,4}/, '');
  const drawn = leadingEmojiSeverity(unnumbered) ?? leadingEmojiSeverity(title);
  const text = stripOrnament(unnumbered)
    .replace(/^\d{1,3}(?:\.\d{1,3}){0,3}[.):]?\s{1,4}/, '')
    .replace(/[\s:*]+$/, '');
  const lower = text.toLowerCase();
  if (CLOSED.test(lower) && !OPEN.test(lower)) return { kind: 'closed' };
  const counted = /\s?(?:[:\u2014\u2013-]\s?|\()\s?(\d{1,6})(?:\s(?:issues?|findings?|found|total)){0,2}\s?\)?$/i.exec(text);
  const count = counted === null ? null : Number(counted[1]);
  const name = (counted === null ? text.replace(/\s*\([^()]*\)$/, '') : text.slice(0, counted.index)).trim();
  const named = name.length <= 60 && hasLetter(name) ? parseSeverityTag(name) : null;
  const isRemark = /^(?:(?:additional|other|further|general|side|extra|misc\w*) )*notes?$/i.test(name);
  const mustFix = /^must[ -]fix\b/i.test(name) ? 'high' : null;
  const severity = drawn !== null && (isRemark || mustFix !== null) ? drawn : isRemark && isListed ? 'low' : (named ?? mustFix);
  if (severity !== null && (certaintyOf(name) !== 'column' || isListed || drawn !== null))
    return { kind: 'severity', severity, several: isSeveral(name) || isRemark, count };
  // "Critical accessibility issues"
  const [first = ''] = name.split(' ');
  const led = FINDINGS.test(name.toLowerCase()) && certaintyOf(first) === 'plain' ? parseSeverity(first) : null;
  if (led !== null && !ASIDE.test(lower)) return { kind: 'severity', severity: led, several: true, count };
  if (ASIDE.test(lower)) return { kind: 'aside' };
  if (SCORES.test(lower)) return { kind: 'scores' };
  if (FINDINGS.test(lower)) return { kind: 'findings' };
  return { kind: /\bdimensions?\b/.test(lower) ? 'scores' : 'plain' };
}

/** `medium/low`, `high and critical` */
function isSeveral(text: string): boolean {
  return text.split(/[/,&+]|\s(?:and|or|und|et|y)\s/).filter((part) => parseSeverity(part) !== null).length > 1;
}

/** A heading that names a dimension: "Accessibility", "3. Token Consistency". */
export function dimensionWord(title: string): string | null {
  const name = stripOrnament(title);
  const found = DIMENSION.exec(lowerCase(name));
  return found === null
    ? null
    : name.slice(found[0].indexOf(found[1] ?? ''), found[0].indexOf(found[1] ?? '') + (found[1]?.length ?? 0)).trim();
}

/** Reads the report into the draft and returns its JSON fences, which may hold a report too. */
export function readCriticReport(text: string, draft: ReportDraft): readonly JsonFence[] {
  const root = parseMarkdown(text);
  const walk = new ReportWalk(draft);
  walk.readBlocks(root, START);
  const [title] = root.sections;
  // A single top heading names the report and says little about its content ("Audit: passed").
  if (root.sections.length === 1 && title?.level === 1 && readHeading(title.title).kind !== 'severity') {
    walk.readFact(title.title, START);
    walk.readBlocks(title, START);
    for (const inner of title.sections) walk.readSection(inner, START);
  } else for (const section of root.sections) walk.readSection(section, START);
  return walk.objects.length === 0 ? walk.fences : [...walk.fences, { line: 1, text: `[${walk.objects.join(',')}]` }];
}

class ReportWalk {
  readonly fences: JsonFence[] = [];
  /** JSON objects on lines of their own. */
  readonly objects: string[] = [];

  constructor(private readonly draft: ReportDraft) {}

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
    const fields = fieldsOf(section.blocks);
    const role = readHeading(title, above.mode === 'findings' && !fields.has('severity'));
    const inside: LineContext = { ...above, title };
    if (role.kind === 'severity') {
      if (role.count !== null) this.draft.stateCount(role.severity, role.count);
      return { ...inside, mode: 'plain', severity: role.severity, several: role.several };
    }
    const scored = scoreLine(title, false);
    if (scored !== null && scored.name === null) {
      this.draft.addScore(scored.score);
      return inside;
    }
    if (scored !== null && scored.name !== null) {
      this.draft.addDimension(scored.name, scored.score, scored.threshold);
      return { ...inside, mode: 'plain', dimension: scored.name, title: scored.name };
    }
    const tag = role.kind === 'closed' ? null : splitTag(stripNumber(title));
    if (tag !== null && DONE.test(lowerCase(title))) {
      this.draft.skipResolved();
      return null;
    }
    if (role.kind !== 'closed' && this.isFinding(section, above, role.kind, tag, fields)) return null;
    if (tag !== null) return { ...inside, mode: 'plain', severity: tag.severity, several: true };
    if (role.kind === 'plain')
      return { ...inside, dimension: dimensionWord(title) ?? above.dimension, title: section.level > 6 ? above.title : title };
    if (role.kind === 'aside') return { ...inside, mode: 'plain', severity: null, aside: true };
    return { ...inside, mode: role.kind };
  }

  /** A heading may be the finding itself: tagged, numbered, or with `Severity: High` below it. */
  private isFinding(
    section: Section,
    above: LineContext,
    role: Heading['kind'],
    tag: SeverityTag | null,
    fields: ReadonlyMap<string, string>,
  ): boolean {
    const { title, blocks } = section;
    const bullets = blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
    const described = bullets.every((item) => isLabel(item.text)) || (isNumbered(title) && bullets.some((item) => isLabel(item.text)));
    const onlyDetails = described && section.sections.length === 0 && blocks.every((block) => block.kind !== 'table');
    const said = fields.get('severity');
    const tagged = tag !== null && tag.rest !== '' && (onlyDetails || /^\W{0,8}\[/.test(title));
    const listed = (above.severity !== null && section.level < 8) || (above.mode === 'findings' && isNumbered(title));
    const bare = (role === 'plain' || role === 'findings') && listed && onlyDetails && blocks.length > 0 && dimensionWord(title) === null;
    if (!tagged && said === undefined && !bare) return false;
    const headline = tag !== null && tag.rest !== '' ? tag.rest : stripNumber(title);
    const firstText = blocks.flatMap((block) => (block.kind === 'text' ? block.lines : [])).find((line) => !isLabel(line));
    const text = NUMBERED_THING.test(headline.trim().toLowerCase()) ? (messageIn(fields) ?? firstText ?? headline) : headline;
    this.addFinding(text, (said === undefined ? null : this.parseField(said)) ?? tag?.severity ?? above.severity, above, fields);
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
      else if (block.language === 'markdown' || block.language === 'md') {
        const inner = parseMarkdown(block.text);
        this.readBlocks(inner, context);
        for (const one of inner.sections) this.readSection(one, context);
      } else if (TEXT_LANGUAGES.has(block.language)) {
        // Code is not a report. But text that an agent copied into a plain fence is, where a line leads with a severity.
        for (const line of block.text.split('\n')) if (isLed(line)) this.draft.leave(line);
      }
    }
  }

  /** An unknown table may still hold `| Overall Score | 6/10 |`. */
  private readTable(table: Extract<MarkdownBlock, { kind: 'table' }>, context: LineContext): void {
    if (takeTable(table, { ...context, findings: context.mode === 'findings' }, this.draft)) return;
    for (const cells of table.rows) {
      if (cells.length === 2 && this.readFact(cells.join(': '), context)) continue;
      const faulty = cells.map(leadingEmojiSeverity).find((severity) => severity !== null);
      const text = cells.map(plainText).join(' | ');
      if (faulty === undefined || DONE.test(lowerCase(cells.at(-1) ?? ''))) this.draft.leave(cells.join(' | '));
      else this.addFinding(text, this.worseOfKind(text, faulty, context), context, new Map());
    }
  }

  private readText(lines: readonly string[], context: LineContext, bareProse: boolean): void {
    if (context.mode === 'closed') {
      for (const line of lines) if (OPEN.test(line.toLowerCase())) this.readLine(line, { ...context, mode: 'plain' });
      return;
    }
    const fields = fieldsOf([{ kind: 'text', lines }]);
    const title = messageIn(fields);
    const said = fields.get('severity');
    if (said !== undefined && title !== undefined) return this.addFinding(title, this.parseField(said), context, fields);
    const prose = plainText(lines.join(' '));
    if (this.readDenial(prose, context)) return;
    const free = lines.filter((line) => !this.readLine(line, context));
    const isClaim = free.length === lines.length && bareProse && context.severity !== null && !prose.endsWith(':') && !isFigure(prose);
    if (isClaim) this.addFinding(prose, context.severity, context, new Map());
    else for (const line of free) this.draft.leave(line);
  }

  /** True if the line is a fact, a finding, or a statement that there are none. */
  private readLine(line: string, context: LineContext): boolean {
    if (this.readInlineJson(line) || this.readFact(line, context)) return true;
    const tag = splitTag(line);
    if (tag === null || tag.rest === '') return this.readDenial(plainText(line), context);
    if (DONE.test(lowerCase(line))) this.draft.skipResolved();
    else this.readTagged(tag, context, new Map());
    return true;
  }

  /** "None. However, …" under a severity heading is neither a denial nor a finding that can be trusted. */
  private readDenial(text: string, context: LineContext): boolean {
    const denial = isPlaceholder(text) ? null : denialIn(text);
    if (denial === null || (denial === 'partly' && context.severity === null && splitTag(text) !== null)) return false;
    if (denial === 'partly' && context.severity !== null) this.draft.leaveUnclear(context.severity, text);
    this.draft.stateNone(context.severity);
    return true;
  }

  /** `{"severity": "critical", …}` on a line of its own. */
  private readInlineJson(line: string): boolean {
    if (!line.startsWith('{"') || !line.endsWith('}') || !parseJson(line).ok) return false;
    this.objects.push(line);
    return true;
  }

  private readItem(item: ListItem, context: LineContext): void {
    const text = plainText(item.text);
    const tag = splitTag(item.text);
    const isDone = DONE.test(lowerCase(text)) && (tag === null ? context.severity !== null && !isNoFinding(text) : !isNoFinding(tag.rest));
    if (
      item.checked === true ||
      STRUCK.test(text) ||
      isDone ||
      (context.mode === 'closed' && (tag === null || !OPEN.test(text.toLowerCase())))
    ) {
      if (tag === null ? context.severity !== null && item.checked !== true : !isNoFinding(tag.rest)) this.draft.skipResolved();
      for (const inner of item.items) this.readItem(inner, { ...context, mode: 'closed' });
      return;
    }
    if (context.mode === 'closed') return this.readItem(item, { ...context, mode: 'plain' });
    if (this.readInlineJson(item.text)) return;
    const inside = this.itemContext(item, text, tag, context);
    if (inside !== null) return this.readNested(item, inside);
    const fields = fieldsOf([
      { kind: 'list', items: item.items },
      { kind: 'text', lines: item.details },
    ]);
    const said = fields.get('severity');
    if (tag !== null && tag.rest !== '') this.readTagged(tag, context, fields, item);
    else if (said !== undefined)
      this.addFinding(NUMBERED_THING.test(text.toLowerCase()) ? (messageIn(fields) ?? text) : text, this.parseField(said), context, fields);
    else if (!this.readDenial(text, context)) {
      if (!this.isClaim(text, context)) {
        this.draft.leave(text);
        return this.readNested(item, context);
      }
      this.addFinding(withDetails(text, item), context.severity, context, fields);
    }
    // Details are not findings, unless they have their own tag.
    for (const inner of item.items) if (isTagged(inner.text)) this.readItem(inner, context);
  }

  /** The context of nested items, if this item is only a heading or a fact. Else null. */
  private itemContext(item: ListItem, text: string, tag: SeverityTag | null, context: LineContext): LineContext | null {
    const scored = scoreLine(text, context.mode === 'scores');
    if (scored !== null && (scored.name !== null || scored.overall || context.severity === null)) {
      this.readFact(text, context);
      return scored.name === null ? context : { ...context, dimension: scored.name, title: scored.name };
    }
    if (this.readFact(text, context)) return tag === null ? context : { ...context, severity: tag.severity, several: false };
    if (item.items.length === 0 || item.items.every((inner) => isLabel(inner.text))) return null;
    const role = readHeading(text);
    if (role.kind === 'severity') return { ...context, severity: role.severity, several: role.several };
    const heads = text.endsWith(':') || /^(?:\*\*[^*]{1,60}\*\*|`[^`]{1,100}`):?$/.test(item.text);
    if (!heads || (tag !== null && tag.rest !== '')) return null;
    if (role.kind === 'aside') return { ...context, mode: 'plain', severity: null, aside: true };
    if (role.kind !== 'plain') return { ...context, mode: role.kind };
    const name = text.replace(/:$/, '').replaceAll('`', '');
    return /[./\\]\w/.test(name) ? { ...context, place: name } : { ...context, dimension: dimensionWord(name) ?? context.dimension };
  }

  private readNested(item: ListItem, context: LineContext): void {
    if (item.details.length > 0) this.readText(item.details, context, false);
    for (const inner of item.items) this.readItem(inner, context);
  }

  /** True if the line is a score, signal, threshold or count, or names severities without saying anything about them. */
  readFact(line: string, context: LineContext): boolean {
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
    if (isSeverityLegend(line)) return true;
    const scored = scoreLines(line, context.mode === 'scores');
    const section = context.title === '' || OVERALL.test(context.title.toLowerCase()) ? null : stripNumber(context.title);
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
    const severity = context.severity === null || context.several ? tag.severity : worseOf(tag.severity, context.severity);
    const [first = '', ...others] = tag.rest.split('; ');
    if (others.length > 0 && isNoFinding(first)) {
      this.draft.stateNone(severity);
      return this.readText(others, context, false);
    }
    if (this.readDenial(tag.rest, { ...context, severity })) return;
    const isDrawn = leadingEmojiSeverity(item?.text ?? '') !== null && severity !== 'critical';
    const text = item === undefined ? tag.rest : withDetails(tag.rest, item);
    this.addFinding(text, isDrawn ? this.worseOfKind(text, severity, context) : severity, context, fields);
  }

  /** A cross or warning sign says that something fails; what it is says how bad that is. */
  private worseOfKind(text: string, severity: Severity, { dimension }: LineContext): Severity {
    return worseOf(severity, this.draft.severityByKind(text, dimension) ?? severity);
  }

  private isClaim(text: string, context: LineContext): boolean {
    if (isLabel(text) || isFigure(text) || !hasLetter(text)) return false;
    return context.severity !== null || (context.mode === 'findings' && !DONE.test(lowerCase(text)));
  }

  private parseField(word: string): Severity | null {
    const severity = parseSeverityField(word.replace(/\([^()]{0,60}\)$/, ''));
    if (severity !== null || isPlaceholder(word)) return severity;
    this.draft.addNote(unknownSeverityNote(word));
    return 'high';
  }

  private addFinding(text: string, severity: Severity | null, context: LineContext, fields: ReadonlyMap<string, string>): void {
    const line = /\d{1,7}/.exec(fields.get('line') ?? fields.get('lines') ?? '')?.[0];
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
  return !isLabel(text) && (splitTag(text)?.rest ?? '') !== '';
}

/** `CRITICAL: …` or `severity: critical` in a fence: the line leads with the severity. */
function isLed(line: string): boolean {
  const body = stripOrnament(line.slice(marksLength(line, '-*[(`#>\u2022"', 12)));
  if (leadingEmojiSeverity(line) !== null) return true;
  const word = /^(?:severity["']?\s{0,2}[:=]\s{0,2}["']?)?([A-Za-z]{1,12}\d?)/i.exec(body)?.[1] ?? '';
  return parseSeverity(word) !== null && certaintyOf(word) === 'plain';
}

/** `🔴 Critical | 🟠 High | 🟡 Medium`: only names of severities. */
function isSeverityLegend(line: string): boolean {
  if (line.length > 160 || hasDigit(line)) return false;
  const words = wordsOf(line.replace(/^\W{0,4}(?:legend|severity(?: levels?)?|key)\b/i, '')).filter((word) => word !== '' && word !== '|');
  return new Set(words.map((word) => parseSeverity(word))).size > 1 && words.every((word) => parseSeverity(word) !== null);
}

/** `Total: 3`: a number, not a sentence. */
function isFigure(text: string): boolean {
  const pair = splitKey(text);
  return pair !== null && hasDigit(pair.value) && !hasLetter(pair.value);
}

/** `Location: …`, `Severity: …` in the lines of a finding. */
function fieldsOf(blocks: readonly MarkdownBlock[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const block of blocks) {
    const lines =
      block.kind === 'text' ? block.lines : block.kind === 'list' ? block.items.flatMap((item) => [item.text, ...item.details]) : [];
    for (const line of lines) {
      const pair = splitKey(line);
      if (pair !== null && pair.value !== '' && !fields.has(pair.key)) fields.set(pair.key, pair.value);
    }
  }
  return fields;
}

/** The headline with its details, without fields such as the location. */
function withDetails(text: string, item: ListItem): string {
  const details = [...item.details, ...item.items.map((inner) => inner.text)]
    .filter((line) => !isLabel(line) && !isTagged(line))
    .map((line) => plainText(line));
  return details.length === 0 ? text : `${text.replace(/[:.]$/, '')} \u2014 ${details.join('; ').slice(0, 300)}`;
}

/** The message of a finding written as fields. */
function messageIn(fields: ReadonlyMap<string, string>): string | undefined {
  return ['title', 'issue', 'finding', 'description', 'message'].map((key) => fields.get(key)).find((value) => value !== undefined);
}
