// Milliseconds since the process started. Cheaper to reach than `performance`, which loads a module of its own.

export function elapsedMs(): number {
  return process.uptime() * 1000;
}
