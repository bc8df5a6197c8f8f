// What was found out about a project is remembered for as long as one look at it takes.

export function once<T>(find: (project: string) => T): (project: string) => T {
  const found = new Map<string, T>();
  return (project) => {
    const known = found.get(project);
    if (known !== undefined) return known;
    const made = find(project);
    found.set(project, made);
    return made;
  };
}
