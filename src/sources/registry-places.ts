import { errorMessage, TerminalError, TransientError } from '../base/index.ts';
import type { RegistryClient } from './registry-client.ts';

/** A repository that can be asked for an image. */
export interface OpenPlace {
  /** For messages: `mirror registry/repository`, or without the word for the repository itself. */
  readonly name: string;
  readonly client: RegistryClient;
}

interface Failure {
  readonly place: string;
  readonly thrown: TerminalError | TransientError;
}

/** The shortest wait that was asked for, unless one place may be asked again sooner. */
function retryAfterOf(failures: readonly Failure[]): { retryAfterMs?: number } {
  const waits = failures.map(({ thrown }) =>
    thrown instanceof TransientError ? (thrown.retryAfterMs ?? 0) : Infinity,
  );
  const retryAfterMs = Math.min(...waits);
  return retryAfterMs > 0 && Number.isFinite(retryAfterMs) ? { retryAfterMs } : {};
}

export interface RegistryPlacesOptions {
  /** What the user calls the image. */
  readonly name: string;
  /** In the order in which to ask. */
  readonly places: readonly OpenPlace[];
  /** Whether the image's own registry is not among them because it must not be contacted. */
  readonly isSourceBarred: boolean;
  readonly signal: AbortSignal;
}

/** One error with the failure of every location. Terminal only when every failure is. */
function combined({ name, isSourceBarred }: RegistryPlacesOptions, failures: readonly Failure[]): Error {
  const [only] = failures;
  if (only === undefined) {
    return new TerminalError('SourceBarred', `${name}: its registry must not be contacted, and it has no mirrors`);
  }
  if (failures.length === 1 && !isSourceBarred) return only.thrown;
  const problems = failures.map(({ place, thrown }) => `${place}: ${errorMessage(thrown)}`);
  if (isSourceBarred) problems.push(`${name} itself must not be contacted (NeverContactSource)`);
  const text = `${name}: could not be pulled from any location: ${problems.join('; ')}`;
  const reasons = new Set(failures.map(({ thrown }) => thrown.reason));
  const reason = reasons.size === 1 ? only.thrown.reason : 'NoPlaceGaveIt';
  if (failures.every(({ thrown }) => thrown instanceof TerminalError)) return new TerminalError(reason, text);
  return new TransientError(reason, text, retryAfterOf(failures));
}

/** The places of one image, in the order in which to ask them; the one that gave something after others failed comes first from then on. */
export class RegistryPlaces {
  readonly #options: RegistryPlacesOptions;
  #places: readonly OpenPlace[];

  constructor(options: RegistryPlacesOptions) {
    this.#options = options;
    this.#places = options.places;
  }

  /** What the first place gives that can.
   *  @throws the error of the only location, or one with the failure of every location */
  async ask<T>(work: (place: OpenPlace) => Promise<T>): Promise<T> {
    const failures: Failure[] = [];
    for (const place of this.#places) {
      try {
        const result = await work(place);
        if (failures.length > 0) this.#places = [place, ...this.#places.filter((other) => other !== place)];
        return result;
      } catch (thrown) {
        this.#options.signal.throwIfAborted();
        if (!(thrown instanceof TerminalError || thrown instanceof TransientError)) throw thrown;
        failures.push({ place: place.name, thrown });
      }
    }
    throw combined(this.#options, failures);
  }
}
