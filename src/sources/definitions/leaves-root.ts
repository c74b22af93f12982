import { normalizePath } from '../../base/index.ts';

/** Whether `relative` leads out of the directory it is resolved in, or could on some system: absolute, `..` in any spelling,
 *  backslashes read as separators, NUL. The empty path stays inside. */
export function leavesRoot(relative: string): boolean {
  const unified = relative.replaceAll('\\', '/');
  if (unified.startsWith('/') || /^[a-zA-Z]:/.test(unified) || unified.includes('\0')) return true;
  const cleaned = normalizePath(unified);
  return cleaned === '..' || cleaned === '../' || cleaned.startsWith('../');
}
