import { type Clock, TransientError } from '../src/base/index.ts';

/** Each may take as much disk as one upload may have. */
const maxUploads = 8;
/** An upload that is slower than this, on average, makes room for another after a while. */
const patienceMs = 10_000;
const leastBytesPerSecond = 64 * 1024;

/** One upload that wants to begin. */
export interface UploadRequest {
  readonly user: string;
  readonly bundleName: string;
  /** Bytes that have arrived so far. */
  readonly receivedBytes: () => number;
}

interface Slot extends UploadRequest {
  readonly startedMs: number;
  readonly stop: AbortController;
}

/** An upload that was admitted. */
export interface AdmittedUpload extends Disposable {
  /** Fires when it has to make room for another. */
  readonly signal: AbortSignal;
}

/** How many uploads run at a time. Where there is no room, one that is too slow makes some, or else one of the user who has the most: no user keeps
 *  others from uploading. */
export class UploadSlots {
  readonly #clock: Clock;
  readonly #open = new Set<Slot>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined when there is no room. */
  admit(request: UploadRequest): AdmittedUpload | undefined {
    const chosen = this.#open.size < maxUploads ? undefined : (this.#slowest() ?? this.#newestOfLargest(request.user));
    if (chosen !== undefined) this.#end(chosen);
    if (this.#open.size >= maxUploads) return undefined;
    const slot = { ...request, startedMs: this.#clock.now(), stop: new AbortController() };
    this.#open.add(slot);
    return { signal: slot.stop.signal, [Symbol.dispose]: () => void this.#open.delete(slot) };
  }

  #slowest(): Slot | undefined {
    const paces = [...this.#open].map((slot) => ({ slot, bytesPerSecond: this.#paceOf(slot) }));
    const slow = paces.filter(({ bytesPerSecond }) => bytesPerSecond < leastBytesPerSecond);
    return slow.toSorted((one, other) => one.bytesPerSecond - other.bytesPerSecond)[0]?.slot;
  }

  /** Unless `user` would then have as many. */
  #newestOfLargest(user: string): Slot | undefined {
    const byUser = Map.groupBy(this.#open, (slot) => slot.user);
    const [largest = []] = [...byUser.values()].toSorted((one, other) => other.length - one.length);
    return largest.length > (byUser.get(user)?.length ?? 0) + 1 ? largest.at(-1) : undefined;
  }

  #end(slot: Slot): void {
    this.#open.delete(slot);
    const text = `the upload for bundle "${slot.bundleName}" has made room for one of others: upload again`;
    slot.stop.abort(new TransientError('UploadSuperseded', text));
  }

  /** On average since it began; a new one is never slow. */
  #paceOf({ startedMs, receivedBytes }: Slot): number {
    const ageMs = Math.abs(this.#clock.now() - startedMs);
    return ageMs < patienceMs ? Number.POSITIVE_INFINITY : (receivedBytes() * 1000) / ageMs;
  }
}
