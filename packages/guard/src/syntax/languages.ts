// The languages that the guard reads, by the name of a file.

export function isJavaScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

export function isPython(path: string): boolean {
  return /\.pyi?$/.test(path);
}

/** Languages that the guard reads as code. */
export function isCode(path: string): boolean {
  return isJavaScript(path) || isPython(path);
}
