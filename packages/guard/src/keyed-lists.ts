// Lists by a key. The guard imports no other package, so it has its own copy of these four lines.

/** Adds a value to the list of its key. */
export function put<K, T>(lists: Map<K, T[]>, key: K, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
