import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/cart.mjs';

test('counts every piece', () => {
  assert.equal(total([{ price: 250, count: 3 }]), 750);
});
