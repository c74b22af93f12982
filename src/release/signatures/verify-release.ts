import { type Clock, cutText, errorMessage, formatTimestamp, TransientError, withDeadline } from '../../base/index.ts';
import { type Keyring, verifySignedMessage } from '../../openpgp/index.ts';
import { assertAtomicSignature } from './atomic-signature.ts';
import type { SignatureStore } from './stores.ts';
import type { ReleaseVerifier } from './verifier.ts';

/** A release whose signatures were verified. */
export interface VerifiedRelease {
  readonly digest: string;
  /** In which key ring which key has signed. */
  readonly signers: readonly { readonly keyring: string; readonly fingerprint: string }[];
  /** Each one as it was found; together they satisfy all key rings. */
  readonly signatures: readonly Buffer[];
}

/** What became of a signature or a store that was tried. */
interface Finding {
  readonly atMs: number;
  readonly problem: string;
}

/** No sufficient signature was found. `message` is the text of the reference; `problems` has a text for each signature and store
 *  that was tried. Signatures may be published later, so it is no final error. */
export class UnverifiedReleaseError extends TransientError {
  readonly #findings: readonly Finding[];

  constructor(text: string, findings: readonly Finding[] = []) {
    super('ImageVerificationFailed', text);
    this.#findings = findings;
  }

  /** The same at each attempt that finds the same. */
  get problems(): readonly string[] {
    return this.#findings.map(({ problem }) => problem);
  }

  /** The problems with the times at which they were found. */
  get details(): readonly string[] {
    return this.#findings.map(({ atMs, problem }) => `${formatTimestamp(atMs)}: ${problem}`);
  }

  /** The message with its details, as events show them. */
  get explained(): string {
    if (this.details.length === 0) return this.message;
    return `${this.message} // ${this.details.length === 1 ? this.details[0] : `[${this.details.join(', ')}]`}`;
  }
}

export interface VerificationOptions {
  /** Of the running payload; undefined when it has none: nothing can be verified. */
  readonly verifier: Pick<ReleaseVerifier, 'keyrings'> | undefined;
  readonly store: SignatureStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Half of what may be spent on a payload when absent. */
  readonly deadlineMs?: number;
}

const defaultDeadlineMs = 2 * 60_000;
const maxFindings = 100;
const maxDetailCharacters = 500;
const digestPattern = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$/;
const maxDigestCharacters = 200;

function digestOf(reference: string): string {
  const at = reference.lastIndexOf('@');
  if (at < 0) throw new UnverifiedReleaseError('release images that are not accessed via digest cannot be verified');
  const digest = reference.slice(at + 1);
  if (digest.length <= maxDigestCharacters && digestPattern.test(digest)) return digest;
  const text = `the provided release image digest has an invalid format: "${cutText(digest, maxDigestCharacters)}"`;
  throw new UnverifiedReleaseError(text);
}

/** One search: which key rings still lack a signature, and what was found so far. */
class Search {
  readonly #digest: string;
  readonly #clock: Clock;
  readonly #remaining: Map<string, Keyring>;
  readonly #signers: { keyring: string; fingerprint: string }[] = [];
  readonly #signatures: Buffer[] = [];
  readonly #findings = new Map<string, Finding>();

  constructor(digest: string, keyrings: readonly Keyring[], clock: Clock) {
    this.#digest = digest;
    this.#clock = clock;
    this.#remaining = new Map(keyrings.map((keyring) => [keyring.name, keyring]));
  }

  get isComplete(): boolean {
    return this.#remaining.size === 0;
  }

  get result(): VerifiedRelease {
    return { digest: this.#digest, signers: this.#signers, signatures: this.#signatures };
  }

  get failure(): UnverifiedReleaseError {
    const names = [...this.#remaining.keys()].toSorted().join(', ');
    return new UnverifiedReleaseError(`unable to verify ${this.#digest} against keyrings: ${names}`, [
      ...this.#findings.values(),
    ]);
  }

  note(text: string): void {
    const problem = cutText(text, maxDetailCharacters);
    if (this.#findings.size < maxFindings) this.#findings.set(problem, { atMs: this.#clock.now(), problem });
  }

  async try(signature: Buffer): Promise<void> {
    let isUsed = false;
    for (const [name, keyring] of this.#remaining) {
      try {
        const message = await verifySignedMessage(signature, keyring, new Date(this.#clock.now()));
        assertAtomicSignature(message.content, this.#digest);
        this.#remaining.delete(name);
        this.#signers.push({ keyring: name, fingerprint: message.fingerprint });
        isUsed = true;
      } catch (thrown) {
        this.note(errorMessage(thrown));
      }
    }
    if (isUsed) this.#signatures.push(signature);
  }
}

async function runSearch(search: Search, digest: string, { store, signal }: VerificationOptions): Promise<void> {
  for await (const candidate of store.search(digest, signal)) {
    if ('problem' in candidate) search.note(candidate.problem);
    else await search.try(candidate.bytes);
    if (search.isComplete) return;
    signal.throwIfAborted();
  }
}

/** Searches the store until each key ring of the verifier has signed the digest of a release, which `reference` names behind its last `@`. A signature is
 *  about one digest: that of another release never counts, wherever it was found.
 *  @throws UnverifiedReleaseError ImageVerificationFailed
 *  @see docs/spec/cluster-version.md#release-verification */
export async function verifyRelease(reference: string, options: VerificationOptions): Promise<VerifiedRelease> {
  const { verifier, clock, deadlineMs = defaultDeadlineMs } = options;
  if (verifier === undefined) throw new UnverifiedReleaseError('verification is not possible');
  const digest = digestOf(reference);
  if (verifier.keyrings.length === 0) {
    const text = 'the release verifier is incorrectly configured, unable to verify digests';
    throw new UnverifiedReleaseError(text);
  }
  const search = new Search(digest, verifier.keyrings, clock);
  try {
    await withDeadline('verification', { deadlineMs, signal: options.signal }, (signal) =>
      runSearch(search, digest, { ...options, signal }),
    );
  } catch (thrown) {
    options.signal.throwIfAborted();
    search.note(errorMessage(thrown));
  }
  if (search.isComplete) return search.result;
  throw search.failure;
}

/** What is recorded when an update is forced in spite of its missing signatures. */
export function forcedText(
  release: { readonly version: string; readonly image: string },
  error: { readonly message: string },
): string {
  return `Target release version="${release.version}" image="${release.image}" cannot be verified, but continuing anyway because the update was forced: ${error.message}`;
}
