// A thread of `guard-threads.ts`: reads its share of a change and hands over the facts.

import { parentPort, workerData } from 'node:worker_threads';
import { fileReader } from '../workspace/change-reader.js';
import { handShare } from './guard-shard.js';
import type { ShardJob } from './guard-shard.js';

const job = workerData as ShardJob;
parentPort?.postMessage(handShare(job, fileReader(job.folder)), []);
