// A DOCTYPE, byte by byte: where it ends, and whether it declares entities. Nothing it names is ever fetched.

const LONGEST = 65_536;
const ENTITY = '<!ENTITY';

export class XmlDoctype {
  private length = 0;
  private quote = 0;
  private isInSubset = false;
  private isInComment = false;
  /** The last eight bytes, as text. */
  private tail = '';

  /** `more`, `ended`, or what is wrong with it. */
  next(byte: number): string {
    this.length += 1;
    if (this.length > LONGEST) return 'a DOCTYPE of more than 64 KiB; expected a short one';
    this.tail = (this.tail + String.fromCharCode(byte)).slice(-ENTITY.length);
    if (this.isInComment) {
      if (this.tail.endsWith('-->')) this.isInComment = false;
      return 'more';
    }
    if (this.quote !== 0) {
      if (byte === this.quote) this.quote = 0;
      return 'more';
    }
    if (this.tail === ENTITY) return 'a DOCTYPE that declares entities; such reports are refused, write it without';
    if (this.isInSubset && this.tail.endsWith('<!--')) this.isInComment = true;
    else if (byte === 0x22 || byte === 0x27) this.quote = byte;
    else if (byte === 0x5b) this.isInSubset = true;
    else if (byte === 0x5d) this.isInSubset = false;
    else if (byte === 0x3e && !this.isInSubset) return 'ended';
    return 'more';
  }
}
