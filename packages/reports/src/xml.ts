// Reports in XML, read by saxes: elements that open and close, and the text of those that want it. No entity is ever declared or
// fetched. What real tools get wrong without hiding anything (control characters, a blank line before the declaration) is let pass.

import { SaxesParser } from 'saxes';
import type { FormatReader } from './format.js';
import type { ReportBuilder } from './report-builder.js';

export type XmlAttributes = Readonly<Record<string, string>>;

export interface XmlHandler {
  /** An element, without its prefix. True: its text is wanted. */
  open(name: string, attributes: XmlAttributes, line: number): boolean;
  /** `text`: the start of what was wanted; empty otherwise. */
  close(name: string, text: string): void;
  /** Nothing follows. */
  end?(): void;
}

const DEEPEST = 512;
/** As much text of an element as anybody reads. */
const MOST_TEXT = 4096;
const LONGEST_DECLARATION = 1024;
const LONGEST_REFERENCE = 16;

const HARMLESS = /^(?:disallowed character\.|undefined entity|the string "\]\]>"|an XML declaration|XML declaration|the XML declaration)/;
const DECLARED = /^\s*<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z][A-Za-z0-9._:-]{0,39})["']/;

/** What ends the reading. */
class XmlFault extends Error {}

/** `roots`: the elements that a report of the format begins with. */
export function readXml(report: ReportBuilder, roots: readonly string[], handler: XmlHandler): FormatReader {
  const expected = roots.map((root) => `<${root}>`).join(' or ');
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  /** Until its encoding is known. */
  let opening = '';
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let fault: XmlFault | null = null;
  let hasRoot = false;
  let depth = 0;
  /** Of the element whose text is gathered; 0 where none is. */
  let textDepth = 0;
  let text = '';
  /** A reference that the last chunk cut. */
  let cutReference = '';

  const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
  const addText = (piece: string): void => {
    if (textDepth > 0 && text.length < MOST_TEXT) text += piece.slice(0, MOST_TEXT - text.length);
  };
  parser.on('error', ({ message }) => {
    if (!HARMLESS.test(message)) throw new XmlFault(message.replace(/\.$/, ''));
  });
  parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
    const local = localName(name);
    if (!hasRoot && !roots.includes(local)) throw new XmlFault(`the root element is <${name}>; expected ${expected}`);
    hasRoot = true;
    depth += 1;
    if (depth > DEEPEST) throw new XmlFault(`elements are nested more than ${DEEPEST} deep`);
    const isWanted = handler.open(local, attributes, parser.line);
    if (!isWanted || textDepth > 0 || isSelfClosing) return;
    textDepth = depth;
    text = '';
  });
  parser.on('closetag', ({ name }) => {
    handler.close(localName(name), textDepth === depth ? text : '');
    if (textDepth === depth) textDepth = 0;
    depth -= 1;
  });
  parser.on('text', addText);
  parser.on('cdata', addText);

  const stopReading = (error: unknown): void => {
    if (!(error instanceof XmlFault)) throw error;
    fault = error;
    const what = `the report is not valid XML: ${error.message}${hasRoot ? ` (after ${report.progress()})` : ''}`;
    // saxes finds it at the end of the text.
    report.fail(what, error.message.startsWith('text data') ? {} : { line: parser.line });
  };
  const feed = (piece: string, isLast = false): void => {
    const whole = cutReference + piece;
    const reference = whole.indexOf('&', Math.max(0, whole.length - LONGEST_REFERENCE));
    const end = isLast || reference < 0 ? whole.length : reference;
    cutReference = whole.slice(end);
    try {
      parser.write(escapeNoCharacters(whole.slice(0, end)));
    } catch (error) {
      stopReading(error);
    }
  };
  const begin = (): void => {
    const name = DECLARED.exec(opening)?.[1] ?? 'utf-8';
    const encoding = encodingNamed(name);
    if (encoding === null) {
      fault = new XmlFault(`the encoding ${name} is not supported; write the report as UTF-8`);
      return report.fail(fault.message, { line: 1 });
    }
    decoder = new TextDecoder(encoding);
    feed(decoder.decode(Buffer.from(opening, 'latin1'), { stream: true }));
  };
  return {
    write(chunk) {
      if (fault !== null) return;
      if (decoder !== null) return feed(decoder.decode(chunk, { stream: true }));
      opening += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
      if (opening.includes('>') || opening.length > LONGEST_DECLARATION) begin();
    },
    end() {
      if (decoder === null && fault === null) begin();
      if (fault === null) feed(decoder?.decode() ?? '', true);
      if (fault === null) {
        try {
          parser.close();
        } catch (error) {
          if (!(error instanceof XmlFault)) throw error;
          const open = /^unclosed tag: (.{1,100})/.exec(error.message)?.[1];
          if (!hasRoot) report.fail(`the report has no element; expected ${expected}`);
          else report.failCutOff(open === undefined ? 'in the middle of a tag' : `in the middle of <${open}>`, { line: parser.line });
        }
      }
      handler.end?.();
    },
  };
}

/** `&#27;` is no reference in XML 1.0, and tools write it nevertheless: it becomes `&amp;#27;`. */
function escapeNoCharacters(text: string): string {
  if (!text.includes('&#')) return text;
  return text.replace(/&(#(?:x[0-9a-f]{1,12}|[0-9]{1,12});)/gi, (whole, reference: string) => {
    const code = /x/i.test(reference) ? Number.parseInt(reference.slice(2), 16) : Number.parseInt(reference.slice(1), 10);
    const isCharacter =
      code >= 0x20 ? (code < 0xd800 || code > 0xdfff) && code <= 0x10ffff && (code & 0xfffe) !== 0xfffe : [0x09, 0x0a, 0x0d].includes(code);
    return isCharacter ? whole : `&amp;${reference}`;
  });
}

/** How bytes become characters: `utf-8`, or the one-byte alphabet of Western Europe. Null: not an encoding that is read. */
function encodingNamed(name: string): 'utf-8' | 'windows-1252' | null {
  const plain = name.toLowerCase().replaceAll('_', '-');
  // UTF-16 was turned into UTF-8 before it came here; only the declaration still says otherwise.
  if (['utf-8', 'utf8', 'us-ascii', 'ascii', 'utf-16', 'utf-16le', 'utf-16be'].includes(plain)) return 'utf-8';
  return ['iso-8859-1', 'latin1', 'latin-1', 'windows-1252', 'cp1252'].includes(plain) ? 'windows-1252' : null;
}

/** A whole number from 0; -1 where there is none. What is too large to be one is the largest. */
export function readCount(attributes: XmlAttributes, name: string): number {
  const text = attributes[name]?.trim() ?? '';
  const value = text === '' ? NaN : Number(text);
  return value >= 0 ? Math.min(Math.floor(value), 0x7fffffff) : -1;
}
