import { type RoomShare, SharedRoom, TransientError } from '../../src/base/index.ts';
import type { UnpackerSettings } from './settings.ts';

/** One bundle takes up to three times its size at a time: as it is fetched, unpacked, and packed again. */
const bundles = 6;

/** Room on the disk for the temporary files of all that a thread works on: servers choose how long that takes, and how much it is. */
export class TemporaryRoom {
  readonly #room: SharedRoom;

  constructor({ limits }: Pick<UnpackerSettings, 'limits'>) {
    const maxBytes = bundles * Math.max(limits.unpackedBytes, limits.compressedLayerBytes);
    const endedError = (heldBytes: number): TransientError => {
      const text = `bundles that are fetched at the same time take more than the limit of ${maxBytes} bytes on disk together: this one, which had ${heldBytes} bytes for the longest time, makes room for others`;
      return new TransientError('StoreFull', text);
    };
    this.#room = new SharedRoom({ maxBytes, endedError });
  }

  /** Does work with a share of the room; its signal is aborted when others need it.
   *  @throws TransientError StoreFull */
  async use<Result>(
    { signal }: { readonly signal: AbortSignal },
    work: (share: RoomShare, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController();
    using share = this.#room.share((error) => stop.abort(error));
    return await work(share, AbortSignal.any([signal, stop.signal]));
  }
}
