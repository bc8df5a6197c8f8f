// A check that may never run.

import { textOf } from '../evidence.js';
import { isAboutPlatform } from './platform.js';
import { lossesOf, sightingOf } from './rule.js';
import type { Rule } from './rule.js';

export const assertionUnreached: Rule = {
  name: 'assertion-unreached',
  severity: 'high',
  message: 'The check may never run.',
  honest: 'Put it where every run of the test comes by.',
  levels: 'A note where it runs in a callback or a loop, or under a condition about the platform or one that the test had before.',
  example: {
    cheat: '- expect(user.name).toBe("Ada")\n+ if (user) expect(user.name).toBe("Ada")',
    honest: '- if (user) expect(user.name).toBe("Ada")\n+ expect(user.name).toBe("Ada")',
  },
  find: (evidence) =>
    lossesOf(evidence, ({ obstacle }) => obstacle !== null && KINDS.has(obstacle.kind)).map(({ pair, loss }) => {
      const { obstacle } = loss;
      const condition = obstacle?.condition ?? null;
      const words = condition === null || loss.after === null ? '' : textOf(loss.after, condition);
      const stood = words.length > 5 && pair.before.source.text.includes(words);
      const isSoft =
        obstacle?.kind === 'callback' || obstacle?.kind === 'loop' || obstacle?.kind === 'handler' || isAboutPlatform(condition) || stood;
      return sightingOf(pair, loss, isSoft ? 'note' : 'breach');
    }),
};

const KINDS: ReadonlySet<string> = new Set(['never-run', 'condition', 'callback', 'handler', 'loop']);
