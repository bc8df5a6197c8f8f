// Makes the paths of reports (`file:` addresses, backslashes, drive letters, `..`) relative to the project. A path never leads out of
// the project, so no report can make anyone open /etc/passwd.

/** Relative, with forward slashes, never leading out of the project; null where nothing is left. */
export function toProjectPath(path: string, root = ''): string | null {
  // NUL characters go first: a part that becomes `..` without them would lead out of the project.
  const plain = slashed(withoutScheme(path.trim()).replaceAll('\0', ''));
  const base = slashed(root);
  const isInside = base !== '' && (plain === base || plain.startsWith(base.endsWith('/') ? base : `${base}/`));
  const inner = isInside ? plain.slice(base.length) : plain;
  const parts: string[] = [];
  for (const part of inner.replace(/^[A-Za-z]:\//, '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  const joined = parts.join('/');
  return joined === '' ? null : joined.slice(0, 1000);
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
