import { TerminalError } from '../../base/index.ts';
import type { GitSourceSpec } from '../source.ts';

const commitPattern = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
/** What git itself refuses in names of branches and tags.
 *  @see git-check-ref-format(1) */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const forbiddenInName = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|[/.]$|(^|\/)\.|\.lock(\/|$)|^$/;

/** What to ask a git server for. */
export type RequestedRef =
  | { readonly kind: 'commit'; readonly commit: string }
  /** `refs/heads/…` or `refs/tags/…`. */
  | { readonly kind: 'name'; readonly fullName: string };

function named(kind: 'branch' | 'tag', name: string): RequestedRef {
  if (forbiddenInName.test(name)) {
    throw new TerminalError('InvalidSource', `${kind} ${JSON.stringify(name)} is not a name that git accepts`);
  }
  return { kind: 'name', fullName: `refs/${kind === 'branch' ? 'heads' : 'tags'}/${name}` };
}

/** Reads `spec.source.git.ref`.
 *  @throws TerminalError InvalidSource */
export function requestedRef({ ref }: GitSourceSpec): RequestedRef {
  const { branch, tag, commit } = ref;
  if (branch !== undefined) return named('branch', branch);
  if (tag !== undefined) return named('tag', tag);
  if (commit !== undefined && commitPattern.test(commit)) return { kind: 'commit', commit };
  throw new TerminalError(
    'InvalidSource',
    `checkout commit "${commit ?? ''}": expected the full hash of 40 hexadecimal digits`,
  );
}
