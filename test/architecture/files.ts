import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The tracked and new files of the repository that match these patterns. */
export function filesOf(...patterns: string[]): { readonly path: string; readonly text: string }[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns]).toString();
  return [...new Set(listed.trim().split('\n'))]
    .filter((path) => path !== '' && existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
