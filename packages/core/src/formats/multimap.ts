// A map of lists. Appends in place, because one key may have a hundred thousand values.

export function addToList<K, T>(lists: Map<K, T[]>, key: K, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

export function groupByKey<T>(entries: readonly (readonly [string, T])[]): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const [key, value] of entries) addToList(lists, key, value);
  return lists;
}
