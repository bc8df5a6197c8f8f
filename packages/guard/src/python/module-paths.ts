// Where modules of Python lie: the file that an import leads to.

export class ModulePaths {
  private readonly found = new Map<string, string | null>();
  private readonly files = new Map<string, string | null>();
  private readonly roots = new Map<string, readonly string[]>();

  constructor(private readonly isThere: (file: string) => boolean) {}

  /** The file of a module as seen from another; null where it is a package from elsewhere. */
  resolve(from: string, module: string, level: number): string | null {
    const folder = from.slice(0, Math.max(0, from.lastIndexOf('/')));
    const key = `${folder}\0${module}\0${level}`;
    const known = this.found.get(key);
    if (known !== undefined) return known;
    const path = this.search(folder, module, level);
    this.found.set(key, path);
    return path;
  }

  private search(folder: string, module: string, level: number): string | null {
    const path = module.replaceAll('.', '/');
    for (const root of level > 0 ? [rootAbove(folder, level)] : this.rootsOf(folder)) {
      const stem = root === '' || path === '' ? `${root}${path}` : `${root}/${path}`;
      const file = this.fileOf(stem);
      if (file !== null) return file;
    }
    return null;
  }

  /** Many files look for the same modules in the same places. */
  private fileOf(stem: string): string | null {
    const known = this.files.get(stem);
    if (known !== undefined) return known;
    const found = this.isThere(`${stem}.py`) ? `${stem}.py` : this.isThere(`${stem}/__init__.py`) ? `${stem}/__init__.py` : null;
    this.files.set(stem, found);
    return found;
  }

  /** Where a module may lie that a file of this folder imports by its full name. */
  private rootsOf(folder: string): readonly string[] {
    const known = this.roots.get(folder);
    if (known !== undefined) return known;
    const roots = [folder];
    for (let root = folder; root !== '';) roots.push((root = rootAbove(root, 2)));
    roots.push('src', 'lib', 'app', folder === '' ? 'src' : `${folder.split('/', 1)[0] as string}/src`);
    this.roots.set(folder, roots);
    return roots;
  }
}

/** As dots in front of an import say: one is the folder itself. */
function rootAbove(folder: string, level: number): string {
  const parts = folder === '' ? [] : folder.split('/');
  return parts.slice(0, Math.max(0, parts.length - level + 1)).join('/');
}
