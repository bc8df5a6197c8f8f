// Does work grow with its input, or faster? Told by the CPU time of this process, the least of several tries, so that what else runs
// on the machine counts little. A clock and a limit of so many seconds would tell how busy the machine is.

const TRIES = 3;

/** How many times longer the larger piece of work takes. Square growth is the square of how much larger it is. */
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
  // Never nothing: the clock of the CPU may be coarse.
  return Math.max(1000, Math.min(...times));
}
