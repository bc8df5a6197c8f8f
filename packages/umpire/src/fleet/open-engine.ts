// Finds the engine that a URL names. Each adapter is loaded only where it is used.

import { UmpireError } from '@umpire/core/errors.js';
import { schemeOf, withoutPassword } from './engine-url.js';
import type { Engine, EngineOptions } from './engine.js';

export async function openEngine(url: string, options: EngineOptions = {}): Promise<Engine> {
  switch (schemeOf(url)) {
    case 'postgres':
    case 'postgresql':
      requireUrl(url);
      return (await import('./postgres-engine.js')).openPostgresEngine(url, options);
    case 'restate':
    case 'restate+https':
      return (await import('./restate-engine.js')).openRestateEngine(url, options);
    default:
      throw unknownEngine(url);
  }
}

/** Prepares the engine, or brings it up to this release. Repeating it changes nothing. */
export async function engineInit(url: string): Promise<void> {
  switch (schemeOf(url)) {
    case 'postgres':
    case 'postgresql':
      requireUrl(url);
      return (await import('./postgres-engine.js')).initPostgres(url);
    case 'restate':
    case 'restate+https':
      return (await import('./restate-engine.js')).initRestate(url);
    default:
      throw unknownEngine(url);
  }
}

function requireUrl(url: string): void {
  if (!URL.canParse(url)) throw unknownEngine(url);
}

function unknownEngine(url: string): UmpireError {
  return new UmpireError('engine-unknown', { engine: withoutPassword(url) });
}
