// The door to running sessions alone: what a program loads that runs loops and writes none.

export { resolve, resume, run } from './engine/session.js';
export { apply, clean, diff } from './engine/work.js';
