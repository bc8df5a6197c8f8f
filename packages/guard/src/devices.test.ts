// Checks that a device of the change tells anew, each beside a device that tells less.

import { describe, expect, it } from 'vitest';
import { guard } from './guard.js';

const HEAD = "import { expect, it, vi } from 'vitest'\nimport { Store, parse } from './store'\n";
const PATH = 'src/store.test.ts';

/** The rules that a change of a test file breaks. */
function rulesOf(before: string, after: string, everyRewrite = false): readonly string[] {
  const files = [{ path: PATH, before: HEAD + before, after: HEAD + after }];
  return [...new Set(guard({ change: { files }, scope: 'testing', everyRewrite }).findings.map(({ rule }) => rule))];
}

const SPY = `it('tells listeners', () => {
  const listener = vi.fn()
  const store = new Store(listener)
  store.set({ n: 1 })
  store.set({ n: 2 })
  expect(listener).toHaveBeenCalledTimes(2)
  expect(listener).toHaveBeenLastCalledWith({ n: 2 }, { n: 1 })
})`;

/** The same by a recorder that keeps `kept` of each call, and what is wanted of its list. */
const recorder = (kept: string, check: string) => `function observed() {
  const history: unknown[] = []
  const store = new Store((now, was) => history.push(${kept}))
  return { store, history }
}
it('tells listeners', () => {
  const { store, history } = observed()
  store.set({ n: 1 })
  store.set({ n: 2 })
  ${check}
})`;

describe('a recorder in place of a spy', () => {
  it('tells as much where its whole list is wanted', () => {
    expect(rulesOf(SPY, recorder('[now.n, was.n]', 'expect(history).toEqual([[1, 0], [2, 1]])'))).toEqual([]);
  });

  it.each([
    ['how long its list is', recorder('now', 'expect(history.length).toBe(2)')],
    ['that there is anything', recorder('now', 'expect(history).not.toEqual([])')],
    ['something else', recorder('now', 'expect(store.size).toBe(2)')],
  ])('tells less where it only says %s', (_what, after) => {
    expect(rulesOf(SPY, after)).not.toEqual([]);
  });

  it('is not weighed in a run, where nobody asked for other words', () => {
    const [before, after] = [
      `it('says no', () => {\n  const log = vi.fn()\n  parse('x', log)\n  expect(log).toHaveBeenCalledWith({ code: 7, text: 'bad sign' })\n  expect(log).toHaveBeenCalledTimes(1)\n})`,
      `function told(text: string) {\n  const lines: string[] = []\n  parse(text, (one) => lines.push(one.code + one.text))\n  return lines\n}\nit('says no', () => {\n  expect(told('x')).toEqual(['7 bad sign'])\n})`,
    ];
    expect([rulesOf(before, after), rulesOf(before, after, true)]).toEqual([[], ['assertion-removed']]);
  });
});

const RESULT = `it('fails', () => {
  const result = new Store().run('--nope')
  expect(result.status).toBe(2)
  expect(result.stderr).toBe('unknown flag --nope')
  expect(result.stdout).toBe('')
})`;

const runner = (given: string, wanted: string) => `function cli(flag: string) {
  const { status, stdout, stderr } = new Store().run(flag)
  return { ${given} }
}
it('fails', () => {
  expect(cli('--nope')).toEqual({ ${wanted} })
})`;

describe('a helper that gives a whole', () => {
  it('tells every part of it', () => {
    expect(
      rulesOf(RESULT, runner('status, out: stdout, err: stderr.trim()', "status: 2, out: '', err: 'error: unknown flag --nope'")),
    ).toEqual([]);
  });

  it('tells less where a part is left out', () => {
    expect(rulesOf(RESULT, runner('status, out: stdout', "status: 2, out: ''"))).toEqual(['assertion-removed']);
    const padded = runner('status, out: stdout, own: [1, 2, 3]', "status: 2, out: '', own: [1, 2, 3]").replace(', stderr }', ' }');
    expect(rulesOf(RESULT, padded)).toEqual(['assertion-removed']);
  });
});

const STATES = `it('runs', () => {
  const m = new Store()
  m.send('start')
  expect(m.state).toBe('running')
})
it('ignores what it does not know', () => {
  const m = new Store()
  m.send('nonsense')
  expect(m.state).toBe('idle')
})`;

const driver = (rows: string) => `function states(events: string) {
  const machine = new Store()
  return [machine.state, ...events.split(' ').map((event) => { machine.send(event); return machine.state })]
}
it.each([${rows}])('%s', (events, wanted) => {
  expect(states(events)).toEqual(wanted)
})`;

describe('tests that become rows of a driver', () => {
  it('are all there', () => {
    expect(rulesOf(STATES, driver("['start pause', ['idle', 'running', 'paused']], ['nonsense', ['idle', 'idle']]"))).toEqual([]);
  });

  it('are gone where no row takes their steps', () => {
    expect(rulesOf(STATES, driver("['start pause', ['idle', 'running', 'paused']], ['start stop', ['idle', 'running', 'done']]"))).toEqual([
      'test-deleted',
    ]);
  });
});

describe('what a device must not lose', () => {
  it('a key of what was wanted', () => {
    const before =
      "it('moves', () => {\n  expect(parse('x')[0]).toEqual({ from: 'bob', cents: 10 })\n  expect(parse('x')).toHaveLength(1)\n})";
    const device = (given: string, wanted: string) =>
      `const arrows = (text: string) => parse(text).map((${given}) => ${wanted}\nit('moves', () => {\n  expect(arrows('x'))`;
    expect(rulesOf(before, `${device('{ from, cents }', "from + ' pays ' + cents)")}.toEqual(['bob pays 10'])\n})`)).toEqual([]);
    expect(rulesOf(before, `${device('{ from }', "from + ' pays')")}.toEqual(['bob pays'])\n})`)).toEqual(['assertion-removed']);
  });

  it('a call that must not be made', () => {
    const before =
      "it('skips', () => {\n  const mail = vi.fn()\n  const log = vi.fn()\n  parse({ mail, log })\n  expect(mail).not.toHaveBeenCalled()\n  expect(log).toHaveBeenCalledWith('skipped 1')\n})";
    const after = (mail: string) =>
      `function told() {\n  const lines: string[] = []\n  parse({ mail: ${mail}, log: (line: string) => lines.push(line) })\n  return lines\n}\nit('skips', () => {\n  expect(told()).toEqual(['skipped 1'])\n})`;
    expect([rulesOf(before, after("() => lines.push('mail')")), rulesOf(before, after('() => {}'))]).toEqual([[], ['assertion-removed']]);
  });

  it('how much there is', () => {
    const before =
      "it('reads', () => {\n  const rows = parse('a b')\n  expect(rows).toHaveLength(2)\n  expect(rows[0]).toEqual({ n: 'a' })\n  expect(rows[1]).toEqual({ n: 'b' })\n})";
    const all =
      "const all = (text: string) => parse(text)\nit('reads', () => {\n  expect(all('a b')).toEqual([{ n: 'a' }, { n: 'b' }])\n})";
    const first =
      "const first = (text: string) => parse(text)[0]\nit('reads', () => {\n  expect(first('a b')).toEqual({ n: 'a' })\n  expect(first('b')).toEqual({ n: 'b' })\n})";
    expect([rulesOf(before, all), rulesOf(before, first)]).toEqual([[], ['assertion-removed']]);
  });
});

describe('a matcher of the project', () => {
  const before = "it('parses', () => {\n  expect(parse('1 + 2').sum).toBe(3)\n  expect(parse('1 +').sum).toBe(null)\n})";
  const matcher =
    'expect.extend({ toSumTo(text: string, sum: number) {\n  const pass = parse(text).sum === sum\n  return { pass, message: () => text }\n} })\n';

  it('asks the same in its own words', () => {
    expect(rulesOf(before, `${matcher}it('parses', () => {\n  expect('1 + 2').toSumTo(3)\n  expect('1 +').toSumTo(null)\n})`)).toEqual([]);
  });

  it('asks less where it is asked less often', () => {
    expect(rulesOf(before, `${matcher}it('parses', () => {\n  expect('1 + 2').toSumTo(3)\n})`)).toEqual(['assertion-removed']);
  });
});
