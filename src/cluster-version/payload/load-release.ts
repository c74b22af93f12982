import type { ClusterVersion } from '../../api/index.ts';
import { type Clock, errorMessage, TransientError } from '../../base/index.ts';
import type { ObjectEvent } from '../../kube/index.ts';
import type { ReleasePayload } from '../../release/index.ts';
import { forcedText, UnverifiedReleaseError } from '../../release/signatures/index.ts';
import type { Preconditions } from '../facts.ts';
import { acceptedRisksText } from '../preconditions/accepted-risks.ts';
import { summarizePreconditions } from '../preconditions/preconditions.ts';
import type { DesiredRelease } from '../spec/desired-release.ts';
import { explainedFailure } from '../verification/explained-failure.ts';
import type { VerificationRequest, VerifyRelease } from '../verification/verification.ts';
import { type Retrieval, retrieveRelease } from './retrieve.ts';

/** What a release is loaded with. */
export interface LoadTerms {
  readonly retrieval: Retrieval;
  readonly clock: Clock;
  /** Undefined: releases need no signature. */
  readonly verify: VerifyRelease | undefined;
  readonly preconditions: Preconditions;
  readonly onEvent: (event: ObjectEvent) => void;
  /** Within which a release is verified, for at most half of that, and retrieved. Default: four minutes. */
  readonly retrievalMs?: number | undefined;
}

/** A request to load a release. */
export interface LoadRequest {
  readonly target: DesiredRelease;
  readonly clusterVersion: ClusterVersion;
  /** Neither verified nor checked: the cluster runs it already, or is installed with it. */
  readonly isLocal: boolean;
  /** Not verified, but checked: who has started the process has named it. */
  readonly isTrusted: boolean;
  /** What the image is verified with. */
  readonly verification: Omit<VerificationRequest, 'image'>;
}

/** A release that may be applied. */
export interface LoadedRelease {
  readonly image: string;
  readonly payload: ReleasePayload;
  readonly isVerified: boolean;
  readonly isLocal: boolean;
  readonly acceptedRisks: string;
}

/** The step at which a release was rejected, which is the reason of `ReleaseAccepted`. */
export type RejectionReason = 'LoadPayload' | 'PreconditionChecks' | 'RetrievePayload' | 'VerifyPayloadVersion';

/** A release that may not be applied. */
export class ReleaseRejected extends Error {
  readonly reason: RejectionReason;
  constructor(reason: RejectionReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const defaultTotalMs = 4 * 60_000;

function describe({ version, image }: DesiredRelease): string {
  return `version="${version}" image="${image}"`;
}

interface Limit {
  readonly what: string;
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs `work` with a signal that ends after so long on the clock of the engine, or with that of the limit.
 *  @throws TransientError DeadlineExceeded */
async function within<T>({ what, ms, clock, signal }: Limit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const [late, ended] = [new AbortController(), new AbortController()];
  const over = clock.sleep(Math.max(0, ms), { signal: ended.signal }).then(
    () => late.abort(new TransientError('DeadlineExceeded', `${what}: not done within ${ms / 1000} s`)),
    () => undefined,
  );
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (thrown) {
    signal.throwIfAborted();
    late.signal.throwIfAborted();
    throw thrown;
  } finally {
    ended.abort();
    await over;
  }
}

/** As the reference has Events about what was rejected. */
function oneLine(text: string): string {
  return text.replaceAll('\n', ' // ');
}

class Loading {
  readonly #request: LoadRequest;
  readonly #terms: LoadTerms;
  readonly #risks: string[] = [];
  readonly #totalMs: number;

  constructor(request: LoadRequest, terms: LoadTerms) {
    this.#request = request;
    this.#terms = terms;
    this.#totalMs = terms.retrievalMs ?? defaultTotalMs;
  }

  #event(type: ObjectEvent['type'], reason: string, message: string): void {
    this.#terms.onEvent({ type, reason, message });
  }

  #reject(reason: RejectionReason, event: string, message: string): never {
    this.#event('Warning', event, reason === 'PreconditionChecks' ? message : oneLine(message));
    throw new ReleaseRejected(reason, message);
  }

  /** Whether the signature was verified. */
  async #verify(signal: AbortSignal): Promise<boolean> {
    const { target, isLocal, isTrusted, verification } = this.#request;
    const { verify, clock } = this.#terms;
    if (isLocal || isTrusted || verify === undefined) return false;
    try {
      const limit = { what: 'verification of the signature', ms: this.#totalMs / 2, clock, signal };
      return await within(limit, (deadline) => verify({ image: target.image, ...verification }, deadline));
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      if (!target.isForced) this.#failVerification(thrown);
      const text = forcedText(target, { message: errorMessage(thrown) });
      this.#event('Warning', 'RetrievePayload', text);
      this.#risks.push(text);
      return false;
    }
  }

  /** The event has the times of what was tried; the condition has not, so that it stays the same at each attempt. */
  #failVerification(thrown: unknown): never {
    const isExplained = thrown instanceof UnverifiedReleaseError;
    const lead = `Retrieving payload failed ${describe(this.#request.target)} failure=The update cannot be verified: `;
    const event = isExplained ? thrown.explained : errorMessage(thrown);
    const condition = isExplained ? explainedFailure(thrown.message, thrown.problems) : event;
    this.#event('Warning', 'RetrievePayloadFailed', oneLine(`${lead}${event}`));
    throw new ReleaseRejected('RetrievePayload', `${lead}${condition}`);
  }

  #failRetrieval(failure: string): never {
    const text = `Retrieving payload failed ${describe(this.#request.target)} failure=${failure}`;
    return this.#reject('RetrievePayload', 'RetrievePayloadFailed', text);
  }

  async #retrieve(ms: number, signal: AbortSignal): ReturnType<typeof retrieveRelease> {
    const { target } = this.#request;
    const { clock, retrieval } = this.#terms;
    try {
      return await within({ what: 'retrieval of the release', ms, clock, signal }, (deadline) =>
        retrieveRelease(target, retrieval, deadline),
      );
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      return this.#failRetrieval(`Unable to download and prepare the update: ${errorMessage(thrown)}`);
    }
  }

  async #read(ms: number, signal: AbortSignal): Promise<ReleasePayload> {
    await using staged = await this.#retrieve(ms, signal);
    const { target } = this.#request;
    this.#event('Normal', 'LoadPayload', `Loading payload ${describe(target)}`);
    try {
      return await staged.read(signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const text = `Loading payload failed ${describe(target)} failure=${errorMessage(thrown)}`;
      return this.#reject('LoadPayload', 'LoadPayloadFailed', text);
    }
  }

  #compareVersions({ metadata }: ReleasePayload): void {
    const { target } = this.#request;
    if (target.version === '' || target.version === metadata.version) return;
    const failure = `release image version ${metadata.version} does not match the expected upstream version ${target.version}`;
    const text = `Verifying payload failed ${describe(target)} failure=${failure}`;
    this.#reject('VerifyPayloadVersion', 'VerifyPayloadVersionFailed', text);
  }

  async #check({ metadata: { version } }: ReleasePayload, signal: AbortSignal): Promise<void> {
    const { target: requested, clusterVersion, isLocal } = this.#request;
    if (isLocal) return;
    const target = { ...requested, version };
    const facts = { clusterVersion, target: { version, image: target.image } };
    const accepted = acceptedRisksText(clusterVersion, facts.target);
    if (accepted !== '') this.#risks.push(accepted);
    const findings = await this.#terms.preconditions(facts, signal);
    const { isBlocking, message: summary } = summarizePreconditions(findings, target.isForced);
    if (isBlocking) {
      const text = `Preconditions failed for payload loaded ${describe(target)}: ${summary}`;
      this.#reject('PreconditionChecks', 'PreconditionBlock', text);
    }
    if (findings.length > 0) {
      const text = `precondition warning for payload loaded ${describe(target)}: ${summary}`;
      this.#event('Warning', 'PreconditionWarn', text);
      this.#risks.push(summary);
    }
    this.#event('Normal', 'PreconditionsPassed', `preconditions passed for payload loaded ${describe(target)}`);
  }

  async run(signal: AbortSignal): Promise<LoadedRelease> {
    const { target, isLocal } = this.#request;
    this.#event('Normal', 'RetrievePayload', `Retrieving and verifying payload ${describe(target)}`);
    const startedMs = this.#terms.clock.now();
    const isVerified = await this.#verify(signal);
    const payload = await this.#read(this.#totalMs - (this.#terms.clock.now() - startedMs), signal);
    this.#compareVersions(payload);
    await this.#check(payload, signal);
    const { version, architecture } = payload.metadata;
    const loaded = `Payload loaded ${describe({ ...target, version })} architecture="${architecture === 'multi' ? 'Multi' : architectureName()}"`;
    this.#event('Normal', 'PayloadLoaded', loaded);
    return { image: target.image, payload, isVerified, isLocal, acceptedRisks: this.#risks.join('\n') };
  }
}

/** As releases name the architecture of this machine. */
export function architectureName(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

/** Verifies, retrieves and reads a release, and evaluates whether it may be applied.
 *  @throws ReleaseRejected
 *  @see docs/spec/cluster-version.md#retrieving-a-payload */
export async function loadRelease(request: LoadRequest, terms: LoadTerms, signal: AbortSignal): Promise<LoadedRelease> {
  return await new Loading(request, terms).run(signal);
}
