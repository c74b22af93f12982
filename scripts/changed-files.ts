import { execFileSync } from 'node:child_process';

function git(folder: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Where the branch of a repository left `main`; on `main` itself the commit before. Undefined where there is neither. */
export function mergeBase(folder: string): string | undefined {
  const commitOf = (name: string): string | undefined => git(folder, 'rev-parse', '--verify', '--quiet', name);
  const main = ['origin/main', 'main'].find((name) => commitOf(name) !== undefined);
  const base = main === undefined ? undefined : git(folder, 'merge-base', 'HEAD', main);
  return base !== undefined && base !== commitOf('HEAD') ? base : commitOf('HEAD~1');
}

/** Files that differ from a commit, untracked ones included, as paths from the root of the repository; those that were deleted are left out.
 *  @throws Error where git does not know the commit */
export function changedSince(folder: string, commit: string): readonly string[] {
  const changed = git(folder, 'diff', '--name-only', '--diff-filter=d', commit);
  if (changed === undefined) throw new Error(`git diff ${commit} failed: expected a commit of this repository`);
  const untracked = git(folder, 'ls-files', '--others', '--exclude-standard') ?? '';
  return [...changed.split('\n'), ...untracked.split('\n')].filter((file) => file !== '');
}
