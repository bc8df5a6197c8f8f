// Which of the seven classes the message of a failed test belongs to.

import { WordList, wordsOf } from './wording.js';

export const FAILURE_CLASSES = ['assertion mismatch', 'missing import', 'null reference', 'async', 'mock', 'type error', 'other'] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

interface Signs {
  readonly class: FailureClass;
  /** Found anywhere in the message, in lower case, parted by `|`. */
  readonly pieces: string;
  /** Found as whole words. */
  readonly words?: WordList;
  /** Found where a word begins. */
  readonly starts?: readonly string[];
  /** What no list can say. It is handed the message in lower case. */
  readonly further?: (text: string, words: readonly string[]) => boolean;
}

/** In this order: "expected mock to be called" is a mock's matter before it is an assertion's. */
const SIGNS: readonly Signs[] = [
  {
    class: 'missing import',
    pieces:
      'cannot find module|cannot find package|module not found|modulenotfounderror|importerror|failed to resolve import|cannot resolve|' +
      'unable to resolve|is not exported|does not provide an export|no module named|unresolved import',
  },
  {
    class: 'type error',
    pieces: "is not assignable|does not exist on type|has no exported member|implicitly has a 'any'|implicitly has an 'any'|type mismatch",
    further: (text, words) =>
      words.some((word) => word.startsWith('ts') && /^ts\d{4,5}$/.test(word)) ||
      (text.includes('incompatible') && /incompatible types?\b/.test(text)),
  },
  {
    class: 'null reference',
    pieces:
      'cannot read propert|cannot set propert|nonetype|nullpointer|null pointer|nullreference|nil pointer|undefined is not an object|null is not an object',
    further: isOfNothing,
  },
  {
    class: 'mock',
    pieces: 'tohavebeencalled|not called|been called|called with|number of calls',
    words: new WordList('spy spies'),
    starts: ['mock', 'stub'],
    further: (text) => text.includes('.fn') && /\b(?:jest|vi)\.fn/.test(text),
  },
  { class: 'assertion mismatch', pieces: '', further: isAssertion },
  {
    class: 'async',
    pieces:
      'timeout|time out|time-out|timedout|timed out|timed-out|not resolved|unresolved promise|unhandled rejection|unhandled promise rejection|' +
      'done()|deadlock|never settled',
    words: new WordList('promise async await'),
  },
  {
    class: 'assertion mismatch',
    pieces: 'not equal|!=|mismatch',
    words: new WordList('expected received'),
    starts: ['assert'],
    further: (_, words) => words.some((word) => ['tobe', 'toequal', 'tomatch', 'tocontain'].some((matcher) => word.endsWith(matcher))),
  },
  { class: 'type error', pieces: 'is not a function|is not iterable|is not a constructor', words: new WordList('typeerror') },
];

export function classifyFailure(message: string): FailureClass {
  const text = message.slice(0, 4000).toLowerCase();
  const words = wordsOf(text);
  return SIGNS.find((signs) => shows(signs, text, words))?.class ?? 'other';
}

function shows(signs: Signs, text: string, words: readonly string[]): boolean {
  if (signs.pieces !== '' && signs.pieces.split('|').some((piece) => text.includes(piece))) return true;
  if (signs.words?.hasAny(words)) return true;
  if (signs.starts?.some((start) => words.some((word) => word.startsWith(start)))) return true;
  return signs.further?.(text, words) ?? false;
}

/** "properties of null", "x is not defined", but not "expected what is undefined to be 1". */
function isOfNothing(text: string): boolean {
  if (!text.includes('null') && !text.includes('defined')) return false;
  return /of (?:null|undefined)\b|is (?:null|undefined|not defined)\b(?! to )/.test(text);
}

function isAssertion(text: string): boolean {
  if (text.includes('assertionerror') && /^\s{0,5}(?:\w{1,40}\.)?assertionerror/.test(text)) return true;
  if (text.includes('expect(') && /expect\(.{0,200}\)\./.test(text)) return true;
  return (
    text.includes('expected ') &&
    /expected .{0,400}\b(?:received|but got|to (?:be|equal|have|match|contain|include|deep|strictly))\b/.test(text)
  );
}
