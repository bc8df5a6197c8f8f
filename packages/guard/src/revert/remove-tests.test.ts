import { expect, it } from 'vitest';
import { removeTests } from './remove-tests.js';

it('takes one test out of a JavaScript file and keeps its suite, hooks and other tests', () => {
  const text = `import { it, describe } from 'vitest';
describe('cart', () => {
  beforeEach(() => reset());
  it('adds', () => {
    expect(add(1)).toBe(1);
  });
  it('takes half off', async () => { expect(half(3)).toBe(1); });
});
`;
  expect(removeTests('cart.test.js', text, ['cart > adds'])).toBe(`import { it, describe } from 'vitest';
describe('cart', () => {
  beforeEach(() => reset());
  it('takes half off', async () => { expect(half(3)).toBe(1); });
});
`);
  expect(removeTests('cart.test.js', text, ['cart > adds', 'cart > takes half off'])).toBeNull();
  expect(removeTests('cart.test.js', text, ['cart > unknown'])).toBeNull();
});

it('takes a Python test out with its decorators, and refuses to leave an empty class', () => {
  const text = `import pytest

class TestCart:
    @pytest.mark.parametrize("n", [1, 2])
    def test_adds(self, n):
        assert add(n) == n

def test_half():
    assert half(3) == 1
`;
  expect(removeTests('test_cart.py', text, ['test_half'])).toBe(text.slice(0, text.indexOf('\ndef test_half')));
  expect(removeTests('test_cart.py', text, ['TestCart > test_adds[1]'])).toBeNull();
});

it('takes a test out of a file in another language, with what is written above it for it', () => {
  const go = `func TestAdds(t *testing.T) {
\tif add(1) != 1 {
\t\tt.Fatal("no")
\t}
}

func TestHalf(t *testing.T) {
\tt.Fatal("no")
}
`;
  expect(removeTests('cart_test.go', go, ['TestHalf'])).toBe(go.slice(0, go.indexOf('\nfunc TestHalf')));
  const java = `class CartTest {
    @Test
    @DisplayName("adds")
    void adds() {
        assertEquals(1, add(1));
    }

    @Test
    void halves() {
        fail();
    }
}
`;
  expect(removeTests('CartTest.java', java, ['CartTest > halves'])).toBe(
    `${java.slice(0, java.indexOf('\n    @Test\n    void halves'))}}\n`,
  );
});
