// Objects with fields that others name: two as one new one, and a field set. As a spread makes them, for what is made again and again. Pure.

/**
 * `{ ...one, more }` has in the V8 of Node 20 a hidden class of its own each time, and so has a spread that gets fields later: all
 * code that looks at such objects stays slow, and the classes fill the heap. What this makes shares its shape.
 */
export function merged<T extends object, U extends object>(one: T, other: U): T & U {
  // A field of that name would be taken for the prototype.
  if (Object.hasOwn(one, '__proto__') || Object.hasOwn(other, '__proto__')) return { ...one, ...other };
  return Object.assign({}, one, other);
}

/** A field whose name comes from a file. Plain assignment would set the prototype instead of one that is called so. */
export function setOwn<T>(object: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}
