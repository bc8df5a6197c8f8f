// A seeded random generator. Every concern of a simulation has its own, so that leaving one concern out does not change the others.

export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = mix(seed | 0);
  }

  /** From 0, below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A whole number from `low` to `high`, both included. */
  within(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  hits(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** By weight. */
  weigh<T extends string>(weights: Readonly<Record<T, number>>): T {
    const names = Object.keys(weights) as T[];
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names[0] as T;
  }

  /** An independent generator with a seed from this one. */
  apart(name: string): SeededRandom {
    let seed = this.state;
    for (let i = 0; i < name.length; i++) seed = mix(seed ^ name.charCodeAt(i));
    return new SeededRandom(seed);
  }
}

function mix(value: number): number {
  let out = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  out = Math.imul(out ^ (out >>> 16), 0x45d9f3b);
  return (out ^ (out >>> 16)) | 0;
}
