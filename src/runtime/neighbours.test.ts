import { expect, it } from 'vitest';
import { enterProcess } from './neighbours.js';

it('finds who is alone, and who is not', () => {
  const one = enterProcess();
  const alone = one.isAlone();
  const two = enterProcess();
  const together = [one.isAlone(), two.isAlone()];
  one.leave();
  expect({ alone, together, left: two.isAlone() }).toEqual({ alone: true, together: [false, false], left: true });
  two.leave();
});

it('brings the folder of one who is alone up to date whenever it is due; of several, one in a while', () => {
  const one = enterProcess();
  const alone = [one.mayShow(), one.mayShow(), one.mayShow()];
  const two = enterProcess();
  const together = [one.mayShow(), two.mayShow(), one.mayShow()];
  one.leave();
  const left = [two.mayShow(), two.mayShow()];
  two.leave();
  expect({ alone, together, left }).toEqual({ alone: [true, true, true], together: [true, false, false], left: [true, true] });
});
