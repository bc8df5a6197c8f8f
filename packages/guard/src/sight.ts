// Where runners look for tests, when nobody tells them: by names, folders, and which runner the file speaks to.

import { TEST_FILE, isJavaScript, isPython, roleOf } from './paths.js';

/** Folders that nobody runs. */
const ATTIC =
  /(^|\/)(archived?|attic|old|disabled|skipped|deprecated|backup|trash|unused|quarantined?|wip|broken|flaky|parked|ignored|node_modules|dist|_(?!_)[\w-]+|__(wip|old|disabled|skipped|broken|flaky|parked|ignored|archived?|attic|unused)__|\.[\w-]+)\//i;

/** Those that pytest goes past, beside the others. */
const PAST_PYTEST = /(^|\/)(build|venv|CVS|_darcs|[^/]+\.egg)\//;

/** A test file moved from `before` to `after` leaves the runner's sight. `text`: what it holds then. */
export function leavesSight(before: string, after: string, text = ''): boolean {
  if (roleOf(before) !== 'test') return false;
  if (roleOf(after) !== 'test' && roleOf(after) !== 'support') return true;
  if (TEST_FILE.test(before) && !TEST_FILE.test(after)) return true;
  if (ATTIC.test(after) && !ATTIC.test(before)) return true;
  if (isJavaScript(before) && isJavaScript(after)) return losesName(before, after, text);
  if (!isPython(before) || !isPython(after)) return false;
  return (PAST_PYTEST.test(after) && !PAST_PYTEST.test(before)) || (PYTEST.test(before) && !PYTEST.test(after) && !UNITTEST.test(text));
}

/** Vitest and Jest; Angular and Playwright look for no others. */
const DOTTED = /\.(test|spec)\.[cm]?[jt]sx?$/;

const NODE = /([._-]test|(^|\/)test(-[^/]*)?)\.[cm]?[jt]s$|(^|\/)test\/.*\.[cm]?[jt]s$/;

const SPEAKS_NODE = /['"](node:test|bun:test|tap|tape)['"]/;
const SPEAKS_DOTTED = /['"](vitest|@jest\/globals)['"]/;

/** Files of types, of browsers and of whole systems: other runners, or none, take them up. */
const OTHERS = /\.(test-d|spec-d|e2e|cy)\.[cm]?[jt]sx?$/;

/** Checks of types alone do nothing at run time: a compiler takes them up, under either name. */
const ASKS_TYPES = /\b(?:expectTypeOf|assertType|expectType)\b/;

function losesName(before: string, after: string, text: string): boolean {
  if (SPEAKS_NODE.test(text)) return NODE.test(before) && !NODE.test(after);
  if (!DOTTED.test(before) || DOTTED.test(after) || /['"]@playwright\//.test(text)) return false;
  if (/\.(test|spec)-d\./.test(after) && ASKS_TYPES.test(text) && !/\bexpect\(/.test(text)) return false;
  if (SPEAKS_DOTTED.test(text) || OTHERS.test(after)) return true;
  // Mocha takes whatever lies in `test`, Jest what lies in `__tests__`.
  return !/(^|\/)(tests?|__tests__)\//.test(after);
}

/** Django and unittest also take `tests.py`. */
const PYTEST = /(^|\/)test_[^/]*\.py$|_test\.py$/;
const UNITTEST = /\b(TestCase|unittest|django)\b/;
