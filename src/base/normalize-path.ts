function cleanSegments(path: string, isAbsolute: boolean): readonly string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    const last = segments.at(-1);
    if (segment !== '..' || (!isAbsolute && (last === undefined || last === '..'))) segments.push(segment);
    else segments.pop();
  }
  return segments;
}

/** The same as `posix.normalize`, which takes time with the square of the length where a path has many `..`: it reads the path so far at each of them. */
export function normalizePath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const cleaned = cleanSegments(path, isAbsolute).join('/');
  if (cleaned === '' && isAbsolute) return '/';
  const shown = cleaned === '' ? '.' : cleaned;
  return `${isAbsolute ? '/' : ''}${shown}${path.endsWith('/') ? '/' : ''}`;
}
