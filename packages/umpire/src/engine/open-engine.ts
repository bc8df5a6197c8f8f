// Finds the engine that a URL names. An adapter loads its driver when its first door is opened.

import { UmpireError } from '@umpire/core/model/errors.js';
import type { Engine, EngineOptions } from './engine.js';
import { initPostgres, openPostgresEngine } from './postgres-engine.js';
import { initRestate, openRestateEngine } from './restate-engine.js';
import { schemeOf } from './engine.js';

/** An adapter of an engine. Its schemes are the keys of ADAPTERS. */
interface Adapter {
  readonly open: (url: string, options: EngineOptions) => Engine;
  readonly init: (url: string) => Promise<void>;
}

const POSTGRES: Adapter = { open: openPostgresEngine, init: initPostgres };

const RESTATE: Adapter = { open: openRestateEngine, init: initRestate };

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  postgres: POSTGRES,
  postgresql: POSTGRES,
  restate: RESTATE,
  'restate+https': RESTATE,
};

export function openEngine(url: string, options: EngineOptions = {}): Engine {
  return adapterOf(url).open(url, options);
}

/** Prepares the engine, or brings it up to this release. Repeating it changes nothing. */
export async function engineInit(url: string): Promise<void> {
  await adapterOf(url).init(url);
}

function adapterOf(url: string): Adapter {
  const scheme = schemeOf(url);
  const adapter = scheme !== null && Object.hasOwn(ADAPTERS, scheme) ? ADAPTERS[scheme] : undefined;
  // Only a plain word is shown whole: anything else could hold a password.
  if (adapter === undefined || !URL.canParse(url))
    throw new UmpireError('engine-unknown', { engine: /^\w+$/.test(url) ? url : `${scheme ?? 'unknown'}:…` });
  return adapter;
}
