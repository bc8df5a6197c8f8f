// What is told of a checkout before a session begins.

import { expect, it } from 'vitest';
import { uncommittedWords } from './settings-notes.js';

it.each([
  [['a.js'], 'One uncommitted file is not part of it (a.js): commit first if the agents should see it.'],
  [['coverage/'], 'One uncommitted folder is not part of it (coverage/): commit first if the agents should see it.'],
  [['a.js', 'b.js'], '2 uncommitted files are not part of it (a.js, b.js): commit first if the agents should see them.'],
  [['a/', 'b/'], '2 uncommitted folders are not part of it (a/, b/): commit first if the agents should see them.'],
  [
    ['a.js', 'b/', 'c', 'd', 'e'],
    '5 uncommitted files and folders are not part of it (a.js, b/, c and 2 more): commit first if the agents should see them.',
  ],
])('calls what is not committed what it is: %j', (files, words) => {
  expect(uncommittedWords(files)).toBe(`Work starts from your last commit. ${words}`);
});
