// What programs that Umpire starts take over of the environment around it. A git hook, an alias or a command run by git says there
// which repository is meant, and that is the person's own: agents, tools and checks must find the one they stand in.

const REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX)$/;

export function surroundings(): Readonly<Record<string, string>> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !REPOSITORY.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}
