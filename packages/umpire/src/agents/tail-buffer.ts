// Keeps the end of a stream in bounded memory.

export class TailBuffer {
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(private readonly most: number) {}

  add(chunk: Uint8Array): void {
    const piece = chunk.length > this.most ? chunk.subarray(chunk.length - this.most) : chunk;
    if (this.length + piece.length > this.buffer.length) {
      // Holds up to twice the limit, so that old bytes are dropped rarely and all at once.
      const kept = this.bytes();
      const size = Math.min(Math.max(this.buffer.length * 2, kept.length + piece.length, 1024), this.most * 2);
      const buffer = size > this.buffer.length ? Buffer.allocUnsafe(size) : this.buffer;
      buffer.set(kept, 0);
      this.buffer = buffer;
      this.length = kept.length;
    }
    this.buffer.set(piece, this.length);
    this.length += piece.length;
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(Math.max(0, this.length - this.most), this.length);
  }
}
