// Runs the guard on a change of one Python test file and returns the rules of its findings.

import { guard } from '@umpire/guard/guard.js';

const SOURCE = `import time
import requests


class Cart:
    def __init__(self, items=()):
        self.items = list(items)

    def total(self):
        return sum(self.items)

    def checkout(self):
        return send(self.total())


class CartError(ValueError):
    pass


class EmptyCart(CartError):
    pass


def total_of(items):
    return sum(items)


def send(amount):
    return requests.post("/", amount)


async def load(value):
    return value
`;

const HEAD = `import asyncio
import json
import time
import unittest
from unittest import mock
from unittest.mock import Mock, patch

import pytest

import shop.cart
from shop.cart import Cart, CartError, EmptyCart, load, total_of


`;

const SAME: ReadonlyMap<string, string> = new Map([
  ['shop/__init__.py', ''],
  ['shop/cart.py', SOURCE],
]);

/** The rules with findings, each once, in alphabetical order. `more`: other files that the change adds. */
export function rulesFor(before: string, after: string, more: Readonly<Record<string, string>> = {}): readonly string[] {
  const others = Object.entries(more).map(([path, text]) => ({ path, before: null, after: text }));
  const own = { path: 'tests/test_cart.py', before: HEAD + before, after: HEAD + after };
  const { findings } = guard({ change: { files: [own, ...others] }, scope: 'testing', same: (path) => SAME.get(path) ?? null });
  return [...new Set(findings.map(({ rule }) => rule))].toSorted();
}

/** The same for a change of any files, before and after. `same`: other files that do not change. */
export function rulesAmong(
  changed: Readonly<Record<string, readonly [before: string, after: string]>>,
  same: Readonly<Record<string, string>> = {},
): readonly string[] {
  const headed = (path: string, text: string) => (path === 'tests/test_cart.py' ? HEAD + text : text);
  const files = Object.entries(changed).map(([path, [before, after]]) => ({
    path,
    before: headed(path, before),
    after: headed(path, after),
  }));
  const lookup = (path: string) => (same[path] === undefined ? (SAME.get(path) ?? null) : headed(path, same[path]));
  const { findings } = guard({ change: { files }, scope: 'testing', same: lookup });
  return [...new Set(findings.map(({ rule }) => rule))].toSorted();
}

/** A test function around these lines. */
export function testOf(body: string, head = 'def test_a():'): string {
  return `${head}\n${indented(body, '    ')}\n`;
}

/** A test of unittest around these lines. */
export function caseOf(body: string): string {
  return `class CartTest(unittest.TestCase):\n    def test_a(self):\n${indented(body, '        ')}\n`;
}

function indented(body: string, by: string): string {
  return body
    .split('\n')
    .map((line) => by + line)
    .join('\n');
}
