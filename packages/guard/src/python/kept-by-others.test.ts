// Checks of Python tests that other checks of the change stand for, each beside one that looks alike and loses something.

import { expect, test } from 'vitest';
import { guard } from '../guard.js';
import { rulesFor } from '../../../../test/support/python-change.js';

const LINKS = `def test_links():
    links = extract('<a rel="nofollow" href="/secret">x</a><a href="/ok">ok</a>')
    assert "/site/ok" in links
    assert "/site/secret" not in links
`;

const STATES = `def test_ship():
    order = Order(7)
    with pytest.raises(Illegal, match="new -> shipped"):
        order.move_to("shipped")
    assert order.state == "new"
`;

/** What is done, the test before, the test after, and what the guard says. */
const ROWS: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    'a whole list without what must not be in it',
    LINKS,
    `def anchor(href, rel=""):
    return tag("a", href=href, rel=rel)


def test_links():
    assert extract(page(anchor("/secret", rel="nofollow"), anchor("/ok"))) == ["/site/ok"]
`,
    [],
  ],
  [
    'a whole list of something else',
    LINKS,
    `def anchor(href, rel=""):
    return tag("a", href=href, rel=rel)


def test_links():
    assert extract(page(anchor("/ok"))) == ["/site/ok"]
`,
    ['assertion-removed'],
  ],
  [
    'a failing call leaves everything as it was',
    STATES,
    `@pytest.mark.parametrize("target", ["shipped", "delivered"])
def test_illegal(target):
    order = Order(7)
    before = order.state
    with pytest.raises(Illegal, match=f"new -> {target}"):
        order.move_to(target)
    assert order.state == before
`,
    [],
  ],
  [
    'a value is compared with itself, a call later',
    `def test_ship():
    order = Order(7)
    order.move_to("paid")
    assert order.state == "paid"
`,
    `def test_ship():
    order = Order(7)
    order.move_to("paid")
    before = order.state
    order.refresh()
    assert order.state == before
`,
    ['assertion-tautological'],
  ],
  [
    'two that differ, made from a sample',
    `def test_differs_by_amount():
    a = {"day": "1", "amount": "-3.20"}
    b = {"day": "1", "amount": "-3.30"}
    assert fingerprint(a) != fingerprint(b)
`,
    `def booking(**changes):
    return {"day": "1", "amount": "-3.20"} | changes


@pytest.mark.parametrize("change", [{"amount": "-3.30"}, {"day": "2"}])
def test_every_field_counts(change):
    assert fingerprint(booking()) != fingerprint(booking(**change))
`,
    [],
  ],
  [
    'one that is something at all',
    `def test_differs_by_amount():
    a = {"day": "1", "amount": "-3.20"}
    b = {"day": "1", "amount": "-3.30"}
    assert fingerprint(a) != fingerprint(b)
`,
    `def booking(**changes):
    return {"day": "1", "amount": "-3.20"} | changes


@pytest.mark.parametrize("change", [{"amount": "-3.30"}, {"day": "2"}])
def test_every_field_counts(change):
    assert fingerprint(booking(**change)) is not None
`,
    ['test-deleted'],
  ],
  [
    'what is wanted is read off what came out',
    `def test_mean():
    assert summarize([1, 4])["mean"] == 2.5


def test_count():
    assert summarize([1, 4])["count"] == 2
`,
    `def test_summary():
    result = summarize([1, 4])
    assert result == {"count": 2, "mean": result["mean"]}
`,
    ['test-deleted'],
  ],
  [
    'a set of codes among pairs',
    `def test_codes():
    found = lint("a ")
    assert [f.line for f in found] == [1, 3]
    assert {f.code for f in found} == {"L200"}
`,
    `def test_codes():
    assert [(f.line, f.code) for f in lint("a ")] == [(1, "L200"), (3, "L200")]
`,
    [],
  ],
  [
    'a record that is near another, entry by entry',
    `def test_summary():
    result = summary([1, 4])
    assert result["mean"] == 2.5
    assert abs(result["std"] - 1.118) < 1e-9
`,
    `def test_summary():
    assert summary([1, 4]) == pytest.approx({"mean": 2.5, "std": 1.118}, abs=1e-9)
`,
    [],
  ],
  [
    'a record that may be far from another',
    `def test_summary():
    result = summary([1, 4])
    assert result["mean"] == 2.5
    assert abs(result["std"] - 1.118) < 1e-9
`,
    `def test_summary():
    assert summary([1, 4]) == pytest.approx({"mean": 2.5, "std": 1.118}, abs=0.5)
`,
    ['assertion-weakened'],
  ],
  [
    'a device whose methods check by themselves',
    `def test_create():
    status, reply = App({}).handle("POST", "/surveys")
    assert status == 201
    assert reply == {"id": "1"}
`,
    `class Browser:
    def __init__(self, store):
        self.app = App(store)

    def __getattr__(self, method):
        def send(path, status):
            got, reply = self.app.handle(method.upper(), path)
            assert got == status
            return reply

        return send


def test_create():
    assert Browser({}).post("/surveys", 201) == {"id": "1"}
`,
    [],
  ],
  [
    'a device whose methods take a status and forget it',
    `def test_create():
    status, reply = App({}).handle("POST", "/surveys")
    assert status == 201
    assert reply == {"id": "1"}
`,
    `class Browser:
    def __init__(self, store):
        self.app = App(store)

    def __getattr__(self, method):
        def send(path, status):
            got, reply = self.app.handle(method.upper(), path)
            return reply

        return send


def test_create():
    assert Browser({}).post("/surveys", 201) == {"id": "1"}
`,
    ['assertion-removed'],
  ],
];

test.each(ROWS)('%s', (_name, before, after, rules) => {
  expect(rulesFor(before, after)).toEqual(rules);
});

/** A class that gets another name in source, and its tests with it, in files that are called after it. */
function renamedFrom(before: string, after: string): readonly string[] {
  const files = [
    { path: 'pdf/watermark.py', before: 'class Watermark:\n    def __init__(self, text, opacity=1): ...\n', after: null },
    { path: 'pdf/stamp.py', before: null, after: 'class Stamp:\n    def __init__(self, text, alpha=1): ...\n' },
    { path: 'tests/test_watermark.py', before: `import pytest\nfrom pdf.watermark import Watermark\n\n\n${before}`, after: null },
    { path: 'tests/test_stamp.py', before: null, after: `import pytest\nfrom pdf.stamp import Stamp\n\n\n${after}` },
  ];
  const { findings } = guard({ change: { files }, scope: 'any', same: () => null });
  return [...new Set(findings.map(({ rule }) => rule))].toSorted();
}

const OPACITY = `@pytest.mark.parametrize("opacity", [0, 2])
def test_bad_opacity(opacity):
    with pytest.raises(ValueError, match="opacity .* is not in"):
        Watermark("DRAFT", opacity=opacity)
`;

test('a name that went from source and tests alike', () => {
  const after = `@pytest.mark.parametrize("alpha", [0, 2])
def test_bad_alpha(alpha):
    with pytest.raises(ValueError, match="alpha .* is not in"):
        Stamp("DRAFT", alpha=alpha)
`;
  expect(renamedFrom(OPACITY, after)).toEqual([]);
});

test('a name that went, and a value with it', () => {
  const after = `@pytest.mark.parametrize("alpha", [0])
def test_bad_alpha(alpha):
    with pytest.raises(ValueError, match="alpha .* is not in"):
        Stamp("DRAFT", alpha=alpha)
`;
  expect(renamedFrom(OPACITY, after)).toEqual(['test-deleted']);
});
