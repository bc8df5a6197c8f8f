// Measures how the work grows with its input, by the least CPU time of several tries. A limit in seconds would measure how busy the
// machine is.

const TRIES = 3;

/** How many times longer the larger work takes. With quadratic growth, ten times the input takes a hundred times as long. */
export function growth(small: () => void, large: () => void): number {
  const [before, after] = [cpuTime(small), cpuTime(large)];
  return after / before;
}

function cpuTime(work: () => void): number {
  const times = Array.from({ length: TRIES }, () => {
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user;
  });
  // Never 0: the CPU clock may be coarse.
  return Math.max(1000, Math.min(...times));
}
