import { attributeName, type XmlEnd, type XmlHandler, XmlStream, type XmlTag } from './xml-stream.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const A = attributeName('a');
const KINDS = { root: 1, item: 2, said: 3 };

/** What a reader would see: one word for every element that opens and closes. */
class Log implements XmlHandler {
  readonly seen: string[] = [];

  open(kind: number, tag: XmlTag): number {
    const value = tag.text(A);
    this.seen.push(`+${kind}${value === null ? '' : ` ${value}`}`);
    return kind === 3 ? 20 : 0;
  }

  close(kind: number, text: string): void {
    this.seen.push(`-${kind}${text === '' ? '' : ` ${text}`}`);
  }
}

function read(bytes: Uint8Array, pieces: number): { seen: readonly string[]; end: XmlEnd } {
  const log = new Log();
  const stream = new XmlStream(log, KINDS, ['root', 'other']);
  for (let at = 0; at < bytes.length; at += pieces) stream.write(bytes.slice(at, at + pieces));
  return { seen: log.seen, end: stream.end() };
}

/** Read whole and cut into pieces of every small size: the same each time. */
function xml(text: string | Uint8Array) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const whole = read(bytes, bytes.length + 1);
  for (const pieces of [1, 2, 3, 5, 8]) expect(read(bytes, pieces)).toEqual(whole);
  return whole;
}

const broken = (message: string, line: number, byte: number) => ({ kind: 'broken', message, line, byte });

describe('XmlStream', () => {
  it('opens and closes elements, with the attributes that are asked for', () => {
    expect(xml(`<?xml version="1.0"?>\n<root a='1'><item a = "x > y"/><ns:item b="2" a=""></ns:item><none/></root>\n`)).toEqual({
      seen: ['+1 1', '+2 x > y', '-2', '+2 ', '-2', '+0', '-0', '-1'],
      end: { kind: 'whole' },
    });
  });

  it('gathers text where it is wanted, CDATA as it is, and no more than is wanted', () => {
    const text =
      '<root>skipped<said>a &lt;<!-- no --><![CDATA[&lt;]] ]]]>&#66;<item>in</item></said><said>0123456789012345678é</said></root>';
    expect(xml(text)).toEqual({
      seen: ['+1', '+3', '+2', '-2', '-3 a <&lt;]] ]Bi', '+3', '-3 0123456789012345678', '-1'],
      end: { kind: 'whole' },
    });
  });

  it('knows the five entities and numbered characters, and leaves others as they are', () => {
    expect(
      xml('<root a="&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&amp;lt;&nbsp;&#0;&#xD800;&#99999999;&;&#;&#x;& b\r\nc\td&#10;"/>').seen,
    ).toEqual(['+1 <>&"\'A\u{1F600}&lt;&nbsp;&#0;&#xD800;&#99999999;&;&#;&#x;& b c d\n', '-1']);
  });

  it('passes over comments, instructions and a plain DOCTYPE', () => {
    const text = `<!DOCTYPE root SYSTEM "http://example.org/a>b.dtd" [<!ELEMENT root ANY><!-- it's ]> fine -->]>
      <!-- <item/> -- --->\n<?go > ??><root><!----></root><!-- end -->`;
    expect(xml(text)).toEqual({ seen: ['+1', '-1'], end: { kind: 'whole' } });
  });

  it('refuses declared entities', () => {
    const message = 'there is a DOCTYPE that declares entities, which is not allowed';
    expect(xml('<!DOCTYPE root [\n<!ENTITY lol "lol">]><root a="&lol;"/>')).toEqual({ seen: [], end: broken(message, 2, 24) });
    expect(xml('<!DOCTYPE root [<!ENTITY % x SYSTEM "file:///etc/passwd">%x;]><root/>').end).toMatchObject({ kind: 'broken', message });
    expect(xml(`<!DOCTYPE root "${'x'.repeat(70_000)}"><root/>`).end).toMatchObject({
      message: 'there is a DOCTYPE of more than 64 KiB; expected a short one',
    });
  });

  it('decodes what is declared, and refuses what it cannot decode', () => {
    const latin = (encoding: string) =>
      Buffer.from(`<?xml version='1.0' encoding='${encoding}'?><root a="é"><said>é</said></root>`, 'latin1');
    expect(xml(latin('ISO-8859-1')).seen).toEqual(['+1 é', '+3', '-3 é', '-1']);
    expect(xml(latin('Windows-1252')).seen).toEqual(['+1 é', '+3', '-3 é', '-1']);
    expect(xml('<?xml encoding="UTF-16"?><root a="é"/>').seen).toEqual(['+1 é', '-1']);
    expect(xml('<?xml encoding="Shift_JIS"?>\n<root/>')).toEqual({
      seen: [],
      end: broken('the encoding Shift_JIS is not supported; write the report as UTF-8', 1, 0),
    });
  });

  it.each([
    ['<root>\n<item></root>', '</root> ends an element that is not open; expected </item>', 2, 13],
    ['<root></root\n></item>', '</item> ends an element that is not open; expected no end tag here', 2, 14],
    ['<root></rooty>', '</rooty> ends an element that is not open; expected </root>', 1, 6],
    [`<root></rooty${'o'.repeat(80)}`, `</rooty${'o'.repeat(55)}> ends an element that is not open; expected </root>`, 1, 6],
    ['<root></ro<item>', '</ro> ends an element that is not open; expected </root>', 1, 6],
    ['<root>a < b</root>', 'there is a stray "<"; expected a tag, or &lt; in text', 1, 8],
    ['<root>\n\n<item a=1/></root>', 'there is an attribute without quotes; expected name="value"', 3, 14],
    ['<root a></root>', 'there is an attribute without a value; expected name="value"', 1, 6],
    ['<root ="1">', 'there is an attribute without a value; expected name="value"', 1, 6],
    ['<root a="1"b="2">', 'there is something directly after a name or value; expected a space, ">" or "/>"', 1, 11],
    ['<root a="1><item b="2"/>', 'there is a "<" in the value of an attribute; expected its closing quote, or &lt;', 1, 11],
    ['<root / >', 'there is a "/" inside a tag; expected "/>"', 1, 6],
    ['<root><!ELEMENT x></root>', 'there is a stray "<!"; expected a comment, CDATA or a DOCTYPE', 1, 6],
    ['<root><!DOCTYPE x></root>', 'there is a DOCTYPE inside the document', 1, 6],
    ['<![CDATA[x]]><root/>', 'there is CDATA outside the root element', 1, 0],
    ['<root/>\n more', 'there is text after the end of the root element', 2, 9],
    ['\n{"a": 1}', 'there is text before the root element', 2, 1],
    ['<root/><root/>', '<root> follows the end of the root element', 1, 7],
    ['<html><body/></html>', 'the root element is <html>; expected <root> or <other>', 1, 0],
    [`<root ${'n'.repeat(300)}="1"/>`, 'there is a name of more than 256 bytes; expected the name of an attribute', 1, 6],
    [`<${'n'.repeat(300)}/>`, 'there is a name of more than 256 bytes; expected the name of an element', 1, 0],
  ])('says what is wrong with %j, and where', (text, message, line, byte) => {
    expect(xml(text).end).toEqual(broken(message, line, byte));
  });

  it('bounds depth, attributes and kinds of elements', () => {
    expect(xml('<root>'.repeat(513)).end).toEqual(broken('elements are nested more than 512 deep', 1, 512 * 6));
    const attributes = Array.from({ length: 257 }, (_, index) => ` a${index}=""`).join('');
    expect(xml(`<root${attributes}/>`).end).toMatchObject({ message: 'there is a tag with more than 256 attributes' });
    const kinds = Array.from({ length: 5000 }, (_, index) => `<e${index}/>`).join('');
    expect(read(new TextEncoder().encode(`<root>${kinds}`), 1e9).end).toMatchObject({
      message: 'the report has more than 4096 names of elements',
    });
  });

  it('bounds a tag, and reads one that is long', () => {
    const long = new TextEncoder().encode(`<root b="${'x'.repeat(300_000)}" a="1"/>`);
    expect(read(long, 65_536)).toEqual({ seen: ['+1 1', '-1'], end: { kind: 'whole' } });
    const endless = new XmlStream(new Log(), KINDS, ['root']);
    endless.write(new TextEncoder().encode('<root a="'));
    for (let piece = 0; piece < 17; piece += 1) endless.write(new Uint8Array(1024 * 1024).fill(0x78));
    expect(endless.end()).toEqual(broken('there is a tag of more than 16 MiB; expected a shorter one', 1, 0));
  });

  it.each([
    ['<root>\n<item>', '<item>', 2, 13],
    ['<root><item a="', 'a tag', 1, 15],
    ['<root></ro', 'a tag', 1, 10],
    ['<root><', 'a tag', 1, 7],
    ['<root><!-', 'a tag', 1, 9],
    ['<root><!-- ', 'a comment', 1, 11],
    ['<root><said><![CDATA[ ]', 'the text of <said>', 1, 23],
    ['<root><?x ', 'an instruction', 1, 10],
    ['<!DOCTYPE root', 'the DOCTYPE', 1, 14],
  ])('says that %j is cut off, and inside of what', (text, inside, line, byte) => {
    expect(xml(text).end).toEqual({ kind: 'cut', inside, line, byte });
  });

  it('finds nothing in an empty document', () => {
    expect(xml('').end).toEqual({ kind: 'empty' });
    expect(xml(' \n<?xml version="1.0"?><!-- nothing -->').end).toEqual({ kind: 'empty' });
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
    const odd = fc.constantFrom('&lt;', 'é', '\n', '"', "'", '<', '?>', '<?xml ', '<!DOCTYPE root', '[', ']', ' ', '=', ']', '-');
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: piece }, odd), { maxLength: 30 }), (parts) => {
        xml(`<root>${parts.join('')}`);
        xml(parts.join(''));
      }),
      { numRuns: 3000 },
    );
  });
});
