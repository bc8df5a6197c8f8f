// Remembers the result of a function by project.

export function memoizeByProject<T>(find: (project: string) => T): (project: string) => T {
  const found = new Map<string, T>();
  return (project) => {
    const known = found.get(project);
    if (known !== undefined) return known;
    const made = find(project);
    found.set(project, made);
    return made;
  };
}
