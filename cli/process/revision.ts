/** What a program was built from. */
export interface Revision {
  /** Full hash of the commit, or `unknown`. */
  readonly revision: string;
  /** When the commit was made: `2026-05-04T03:02:01Z`, or `unknown`. */
  readonly date: string;
  /** Whether there were changes beside the commit. */
  readonly state: 'clean' | 'dirty' | 'unknown';
}

/** Asks git; `git` runs it with arguments and gives what it prints, or throws. */
export function readRevision(git: (args: readonly string[]) => string): Revision {
  try {
    const [revision = '', seconds = ''] = git(['log', '-1', '--format=%H %ct']).trim().split(' ');
    const date = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
    const state = git(['status', '--porcelain', '--untracked-files=no']).trim() === '' ? 'clean' : 'dirty';
    return { revision, date, state };
  } catch {
    return { revision: 'unknown', date: 'unknown', state: 'unknown' };
  }
}
