import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReportProblem } from '@umpire/core/model/vocabulary.js';
import { ReportBuilder } from './report-builder.js';
import { readXml, type XmlAttributes } from './xml.js';

interface XmlRead {
  /** One word for every element that opens and closes. */
  readonly seen: readonly string[];
  readonly problems: readonly ReportProblem[];
}

function read(bytes: Uint8Array, step: number): XmlRead {
  const report = new ReportBuilder('some', 'findings', {});
  const seen: string[] = [];
  const reader = readXml(report, ['root', 'other'], {
    open(name: string, { a }: XmlAttributes) {
      seen.push(`+${name}${a === undefined ? '' : ` ${a}`}`);
      return name === 'said';
    },
    close: (name, text) => void seen.push(`-${name}${text === '' ? '' : ` ${text}`}`),
  });
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.slice(at, at + step));
  reader.end();
  return { seen, problems: report.build().problems };
}

/** Read whole and cut into pieces of every small size: the same each time. */
function readInPieces(text: string | Uint8Array): XmlRead {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const whole = read(bytes, bytes.length + 1);
  for (const step of [1, 2, 3, 5, 8]) expect(read(bytes, step)).toEqual(whole);
  return whole;
}

function checkProblem(text: string, message: string, line = 1): void {
  expect(readInPieces(text).problems).toEqual([{ message, line }]);
}

const broken = (what: string, hasRoot = true): string => `the report is not valid XML: ${what}${hasRoot ? ' (after 0 findings)' : ''}`;
const cut = (where: string): string =>
  `the report ends in the middle of ${where}, after 0 findings; it was cut off or is still being written`;

describe('XML', () => {
  it('opens and closes elements, with their attributes', () => {
    expect(readInPieces(`<?xml version="1.0"?>\n<root a='1'><item a = "x > y"/><ns:item b="2" a=""></ns:item><none/></root>\n`)).toEqual({
      seen: ['+root 1', '+item x > y', '-item', '+item ', '-item', '+none', '-none', '-root'],
      problems: [],
    });
  });

  it('gathers text where it is wanted, CDATA as it is, and the start of what is long', () => {
    const text = `<root>skipped<said>a &lt;<!-- no --><![CDATA[&lt;]] ]]]>&#66;<item>in</item></said><said>${'x'.repeat(5000)}</said></root>`;
    expect(readInPieces(text)).toEqual({
      seen: ['+root', '+said', '+item', '-item', '-said a <&lt;]] ]Bin', '+said', `-said ${'x'.repeat(4096)}`, '-root'],
      problems: [],
    });
  });

  it('declares and fetches no entity, and leaves what it does not know as it is', () => {
    const values = '&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&amp;lt;&nbsp;&constructor;&#0;&#xD800;&#99999999; b\r\nc\td&#10;';
    expect(readInPieces(`<root a="${values}"/>`)).toEqual({
      seen: ['+root <>&"\'A\u{1F600}&lt;&nbsp;&constructor;&#0;&#xD800;&#99999999; b c d\n', '-root'],
      problems: [],
    });
    const declared = '<!DOCTYPE root [<!ENTITY lol "lol"><!ENTITY x SYSTEM "file:///etc/passwd">]><root a="&lol;&x;"/>';
    expect(readInPieces(declared)).toEqual({ seen: ['+root &lol;&x;', '-root'], problems: [] });
  });

  it('never lets an open reference hide elements', () => {
    for (const open of ['&', '&#', '&#x', 'a & b'])
      expect(readInPieces(`<root>${open}<item/>&#27;<item/>;</root>`).problems).toMatchObject([{ message: /not valid XML/ }]);
  });

  it('passes over comments, instructions, a DOCTYPE, control characters and a blank line before the declaration', () => {
    const text = `\n<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE root SYSTEM "http://example.org/a>b.dtd" [<!ELEMENT root ANY><!-- it's ]> fine -->]>
      <!-- <item/> -->\n<?go > ??><root a="\u0007">\u001b[31m]]><!----></root><!-- end -->`;
    expect(readInPieces(text)).toEqual({ seen: ['+root \u0007', '-root'], problems: [] });
  });

  it('decodes what is declared, and refuses what it cannot decode', () => {
    const latin = (encoding: string) =>
      Buffer.from(`<?xml version='1.0' encoding='${encoding}'?><root a="é"><said>é</said></root>`, 'latin1');
    expect(readInPieces(latin('ISO-8859-1')).seen).toEqual(['+root é', '+said', '-said é', '-root']);
    expect(readInPieces(latin('Windows-1252')).seen).toEqual(['+root é', '+said', '-said é', '-root']);
    expect(readInPieces('<?xml version="1.0" encoding="UTF-16"?><root a="é"/>').seen).toEqual(['+root é', '-root']);
    checkProblem('<?xml encoding="Shift_JIS"?>\n<root/>', 'the encoding Shift_JIS is not supported; write the report as UTF-8');
  });

  it.each([
    ['<root>\n<item></root>', 'unexpected close tag', 2],
    ['<root></rooty>', 'unexpected close tag', 1],
    ['<root>a < b</root>', 'disallowed character in tag name', 1],
    ['<root>\n\n<item a=1/></root>', 'unquoted attribute value', 3],
    ['<root a></root>', 'attribute without value', 1],
    ['<root a="1"b="2">', 'no whitespace between attributes', 1],
    ['<root a="1" a="2"/>', 'duplicate attribute: a', 1],
    ['<root a="1><item b="2"/>', 'disallowed character', 1],
    ['<root/>\n more', 'text data outside of root node', 0],
    ['<root/><root/>', 'documents may contain only one root', 1],
    ['<root><!DOCTYPE x></root>', 'inappropriately located doctype declaration', 1],
  ])('says what is wrong with %j, and where', (text, what, line) => {
    const { problems } = readInPieces(text);
    expect(problems).toMatchObject([{ message: expect.stringContaining(what) as string, ...(line === 0 ? {} : { line }) }]);
  });

  it('refuses what is no report of the format', () => {
    checkProblem('<html><body/></html>', broken('the root element is <html>; expected <root> or <other>', false));
    expect(readInPieces('{"a": 1}').problems).toEqual([{ message: broken('text data outside of root node', false) }]);
    for (const text of ['', ' \n<?xml version="1.0"?><!-- nothing -->', '<root a="', '<!DOCTYPE root'])
      expect(readInPieces(text).problems).toEqual([{ message: 'the report has no element; expected <root> or <other>' }]);
  });

  it.each([
    ['<root>\n<item>', '<item>', 2],
    ['<root></ro', '<root>', 1],
    ['<root><!-- ', '<root>', 1],
    ['<root><said><![CDATA[ ]', '<said>', 1],
  ])('says that %j is cut off, and inside of what', (text, inside, line) => checkProblem(text, cut(inside), line));

  it('bounds the depth', () => {
    expect(read(Buffer.from('<root>'.repeat(100_000)), 1000).problems).toEqual([
      { message: broken('elements are nested more than 512 deep'), line: 1 },
    ]);
  });

  it('says the same of any bytes, however they are cut', () => {
    const piece = fc.constantFrom(
      '<root',
      '<item',
      ' a="1"',
      '>',
      '/>',
      '</root>',
      '</item>',
      '<said>',
      '</said>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
    );
    const odd = fc.constantFrom('&lt;', 'é', '\n', '"', "'", '<', '?>', '<?xml ', '<!DOCTYPE root', '[', ']', ' ', '=', '&', ';', '-');
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: piece }, odd), { maxLength: 30 }), (parts) => {
        readInPieces(`<root>${parts.join('')}`);
        readInPieces(parts.join(''));
      }),
      { numRuns: 500 },
    );
  });
});
