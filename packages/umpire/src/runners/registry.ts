// The test runners that Umpire knows, in the order in which their signs are looked for.

import type { Runner, RunnerName } from './runner.js';
import { jest } from './jest.js';
import { mocha } from './mocha.js';
import { nodeTest } from './node-test.js';
import { pytest } from './pytest.js';
import { vitest } from './vitest.js';

export const RUNNERS: Readonly<Record<RunnerName, Runner>> = { vitest, jest, mocha, node: nodeTest, pytest };

export const ALL_RUNNERS: readonly Runner[] = Object.values(RUNNERS);
