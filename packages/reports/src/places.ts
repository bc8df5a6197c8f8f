// Paths as reports write them, made relative to the project and kept inside it: `file:` addresses, backslashes, drive letters,
// `..`. A path that leads elsewhere is cut so that it cannot: nobody opens /etc/passwd because a report says so.

/** Relative, with forward slashes, never leading out of the project; null where nothing is left. */
export function placeInProject(path: string, root = ''): string | null {
  // Before anything is cut: a part that is only made `..` by what is taken out of it would lead elsewhere.
  const plain = slashed(withoutScheme(path.trim()).replaceAll('\0', ''));
  const base = slashed(root);
  const inner = base !== '' && isUnder(plain, base) ? plain.slice(base.length) : plain;
  const parts: string[] = [];
  for (const part of inner.replace(/^[A-Za-z]:\//, '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  const joined = parts.join('/');
  return joined === '' ? null : joined.slice(0, 1000);
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** `file:///a%20b` → `/a b` */
function withoutScheme(path: string): string {
  if (!path.toLowerCase().startsWith('file:')) return path;
  const rest = path.slice('file:'.length).replace(/^\/\/(?:localhost)?(?=\/)/, '');
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}
