import { SharedRoom, TransientError } from '../../src/base/index.ts';
import type { StagingRoom } from '../../src/content/index.ts';
import type { UnpackerSettings } from './settings.ts';

/** One bundle takes up to three times its size at a time: as it is fetched, unpacked, and packed again. */
const bundles = 6;
/** A little more than what the names of one bundle take at most. */
const maxNameBytes = 96 * 1024 * 1024;

function namesEnded(heldBytes: number): TransientError {
  const text = `the names of files of bundles that are fetched at the same time take more than the limit of ${maxNameBytes} bytes of memory together: this one, which had ${heldBytes} bytes for the longest time, makes room for others`;
  return new TransientError('NamesTooLarge', text);
}

/** Room on the disk for the temporary files of all that a thread works on, and in memory for their names: servers choose how long that takes, and how much it is. */
export class TemporaryRoom {
  readonly #disk: SharedRoom;
  readonly #memory = new SharedRoom({ maxBytes: maxNameBytes, endedError: namesEnded });

  constructor({ limits }: Pick<UnpackerSettings, 'limits'>) {
    const maxBytes = bundles * Math.max(limits.unpackedBytes, limits.compressedLayerBytes);
    const endedError = (heldBytes: number): TransientError => {
      const text = `bundles that are fetched at the same time take more than the limit of ${maxBytes} bytes on disk together: this one, which had ${heldBytes} bytes for the longest time, makes room for others`;
      return new TransientError('StoreFull', text);
    };
    this.#disk = new SharedRoom({ maxBytes, endedError });
  }

  /** Does work with a share of the room; its signal is aborted when others need it.
   *  @throws TransientError StoreFull, NamesTooLarge */
  async use<Result>(
    { signal }: { readonly signal: AbortSignal },
    work: (room: StagingRoom, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController();
    using disk = this.#disk.share((error) => stop.abort(error));
    using memory = this.#memory.share((error) => stop.abort(error));
    return await work({ disk, memory }, AbortSignal.any([signal, stop.signal]));
  }
}
