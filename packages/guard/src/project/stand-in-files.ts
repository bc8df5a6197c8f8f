// New files that a language finds before what they are called after: the runner of the tests, its checks, or the module under test.

import type { FileChange } from '../change.js';
import { roleOf } from './paths.js';

/** What runs Python tests and what they check with; files that Python runs before everything else. */
const PYTHON_TOOLS =
  /^(pytest|_pytest|py\.test|pluggy|iniconfig|unittest|doctest|nose2?|hypothesis|assertpy|hamcrest|pytest_\w+|coverage|tox|sitecustomize|usercustomize)$/;

/** Where Python looks first: the folder that it is started in, and those that the runner adds. */
const PYTHON_ROOT = /^(?:(?:src|lib|python|tests?)\/)?$/;

const NODE_TOOLS =
  /(?:^|\/)(?:node_modules|__mocks__)\/(?:\.bin\/|@vitest\/|@jest\/|@testing-library\/|(?:vitest|jest|jest-[\w-]+|mocha|chai|chai-[\w-]+|expect|jasmine|jasmine-core|ava|tape|tap|uvu|sinon|c8|nyc|playwright|@playwright\/test|cypress|tsx|ts-node|typescript|eslint)(?:\/|\.[cm]?[jt]s$))/;

/** What the file would stand in for; null: it stands for itself. `isThere`: after the change. What moved stands for itself. */
export function standsFor({ path, before, after, renamedFrom }: FileChange, isThere: (path: string) => boolean): string | null {
  if (after === null || (before !== null && renamedFrom === undefined)) return null;
  const module = /^(.*?)([^/]+)(?:\.pyi?|\/__init__\.py)$/.exec(path);
  if (module === null) {
    if (path.endsWith('.pth')) return 'what Python loads at its start';
    return NODE_TOOLS.test(path) && !/(^|\/)(__)?fixtures?(__)?\//.test(path) ? (path.split('/node_modules/').at(-1) ?? path) : null;
  }
  const [, folder = '', name = ''] = module;
  // A folder of unit tests may bear the name of a tool.
  const isPackage = path.endsWith('/__init__.py');
  if (PYTHON_TOOLS.test(name) && PYTHON_ROOT.test(folder) && !(isPackage && /^tests?\//.test(folder))) return name;
  // A folder of tests that is no package: pytest has Python look there before all others.
  return isPackage || !(/(^|\/)tests?\/$/.test(folder) && !isThere(`${folder}__init__.py`)) ? null : besideTests(name, isThere);
}

function besideTests(name: string, isThere: (path: string) => boolean): string | null {
  const found = [`${name}.py`, `${name}/__init__.py`, `src/${name}.py`, `src/${name}/__init__.py`].find(isThere);
  // pytest reads the conftest.py of every folder, and tests of one name may lie in two.
  return found !== undefined && roleOf(found) === 'source' ? found : null;
}
