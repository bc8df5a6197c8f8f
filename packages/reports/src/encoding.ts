// The bytes of a report as UTF-8 without a byte order mark, piece by piece. UTF-16 with a mark is converted (PowerShell's `>` writes
// it); bytes that are not text are refused with their offset. XML readers handle the encoding that an XML file declares.

export interface NotText {
  /** A sentence without a full stop. */
  readonly problem: string;
  /** Offset in the file, from 0. */
  readonly byte: number;
}

const MARKS: readonly { readonly bytes: readonly number[]; readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32' }[] = [
  // The mark of UTF-32 begins like that of UTF-16, so it comes first.
  { bytes: [0xff, 0xfe, 0, 0], encoding: 'utf-32' },
  { bytes: [0, 0, 0xfe, 0xff], encoding: 'utf-32' },
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

const PACKED: readonly { readonly bytes: readonly number[]; readonly name: string }[] = [
  { bytes: [0x1f, 0x8b], name: 'a gzip file' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], name: 'a zip file' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'a zstd file' },
  { bytes: [0x42, 0x5a, 0x68], name: 'a bzip2 file' },
];

const LONGEST_MARK = 4;

export class ReportBytes {
  refused: NotText | null = null;
  private opening: Uint8Array | null = new Uint8Array(0);
  private decoder: InstanceType<typeof TextDecoder> | null = null;
  private readonly encoder = new TextEncoder();
  /** Bytes of the file passed on so far. */
  private passed = 0;

  constructor(private readonly take: (bytes: Uint8Array) => void) {}

  write(chunk: Uint8Array): void {
    if (this.refused !== null) return;
    if (this.opening === null) {
      this.pass(chunk);
      return;
    }
    const opening = Buffer.concat([this.opening, chunk]);
    this.opening = opening.length < LONGEST_MARK ? opening : null;
    if (this.opening === null) this.begin(opening);
  }

  end(): void {
    const opening = this.opening;
    this.opening = null;
    if (opening !== null && opening.length > 0) this.begin(opening);
    if (this.decoder === null || this.refused !== null) return;
    const rest = this.decoder.decode();
    if (rest !== '') this.take(this.encoder.encode(rest));
  }

  private begin(bytes: Uint8Array): void {
    const mark = MARKS.find((each) => startsWith(bytes, each.bytes));
    const packed = PACKED.find((each) => startsWith(bytes, each.bytes));
    if (mark?.encoding === 'utf-32') this.refused = { problem: 'the report is UTF-32 text; save it as UTF-8', byte: 0 };
    else if (packed !== undefined) this.refused = { problem: `the report is ${packed.name}; unpack it first`, byte: 0 };
    if (this.refused !== null) return;
    if (mark !== undefined && mark.encoding !== 'utf-8') this.decoder = new TextDecoder(mark.encoding, { ignoreBOM: true });
    this.passed = mark?.bytes.length ?? 0;
    if (bytes.length > this.passed) this.pass(bytes.subarray(this.passed));
  }

  private pass(bytes: Uint8Array): void {
    const text = this.decoder === null ? bytes : this.encoder.encode(this.decoder.decode(bytes, { stream: true }));
    // Buffer's search is many times faster than that of a plain array.
    const nul = Buffer.from(text.buffer, text.byteOffset, text.byteLength).indexOf(0);
    if (nul < 0) {
      if (text.length > 0) this.take(text);
    } else {
      if (nul > 0) this.take(text.subarray(0, nul));
      const problem = 'the report contains a NUL byte; expected UTF-8, or UTF-16 with a byte order mark';
      this.refused = { problem, byte: this.passed + (this.decoder === null ? nul : 0) };
    }
    this.passed += bytes.length;
  }
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return bytes.length >= mark.length && mark.every((byte, at) => bytes[at] === byte);
}
