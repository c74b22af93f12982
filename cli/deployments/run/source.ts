import { redactUrl, TerminalError } from '../../../src/base/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { readBundleName } from '../../input/index.ts';
import type { runOptions } from '../options.ts';

type Values = OptionValues<typeof runOptions>;

/** What `spec.source.git.ref` has: one of the three. */
export type GitReference = { readonly branch: string } | { readonly tag: string } | { readonly commit: string };

/** Where `longshore run` gets a bundle from. A `folder`, `tar` or OCI layout of this machine is uploaded; the cluster fetches everything else. */
export type RunSource =
  | { readonly kind: 'local'; readonly name: string }
  | { readonly kind: 'image'; readonly ref: string }
  /** Without `ref`: the default branch of the repository. */
  | {
      readonly kind: 'git';
      readonly repository: string;
      readonly ref: GitReference | undefined;
      readonly directory: string | undefined;
    }
  | { readonly kind: 'http'; readonly url: string };

const gitOptions = ['branch', 'tag', 'commit'] as const;
const gitScheme = /^(?:git\+)?(?:ssh|git):\/\/|^git\+https?:\/\/|^[\w.-]+@(?!sha\d+:)[\w.-]+:/i;
const archive = /\.(?:tgz|tar\.gz)$/i;

function invalid(text: string): TerminalError {
  return new TerminalError('InvalidOption', text);
}

/** @throws TerminalError InvalidOption for more than one of them */
function readReference(values: Values): GitReference | undefined {
  const given = gitOptions.filter((name) => values[name] !== undefined);
  const [first, second] = given;
  if (second !== undefined) throw invalid(`--${first} and --${second}: expected one of them, found both`);
  return first === undefined ? undefined : ({ [first]: values[first] } as unknown as GitReference);
}

function isGit(word: string): boolean {
  if (gitScheme.test(word)) return true;
  if (!/^https?:\/\//i.test(word) || !URL.canParse(word)) return false;
  const { pathname, hash } = new URL(word);
  return !archive.test(pathname) && !hash.startsWith('#chart=');
}

/** A login in an address would be readable in the spec of the BundleDeployment. */
function assertNoLogin(word: string): void {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || (url.username === '' && url.password === '')) return;
  throw invalid(
    `${redactUrl(word)}: the address contains credentials; store them in a Secret of the system namespace and name it with --secret`,
  );
}

function readAddress(word: string, values: Values): RunSource | undefined {
  if (isGit(word)) {
    const repository = word.replace(/^git\+/i, '');
    return { kind: 'git', repository, ref: readReference(values), directory: values.directory };
  }
  return /^https?:\/\//i.test(word) ? { kind: 'http', url: word } : undefined;
}

/** Reads the SOURCE argument: a git URL, the URL of a tar.gz, a path, `-` for a tar on standard input, or the reference of an image.
 *  @throws TerminalError InvalidOption, InvalidName, NotFound */
export function readRunSource(word: string, values: Values): RunSource {
  assertNoLogin(word);
  const address = readAddress(word, values);
  const extra = ([...gitOptions, 'directory'] as const).find((name) => values[name] !== undefined);
  if (extra !== undefined && address?.kind !== 'git') {
    throw invalid(`--${extra}: expected with the URL of a git repository, found "${word}"`);
  }
  if (address !== undefined) return address;
  const place = readBundleName(word);
  if (place.kind !== 'image') return { kind: 'local', name: word };
  if (!place.isGuess) return { kind: 'image', ref: place.ref };
  const text = `${word}: no such file or directory; for an image, include its registry: docker.io/library/${word}`;
  throw new TerminalError('NotFound', word.includes('/') ? text.replace('library/', '') : text);
}
