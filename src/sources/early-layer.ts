import { open } from 'node:fs/promises';
import { extractArchive, pieceBytesOf, type Staging } from '../content/index.ts';
import { Arrivals } from './arrivals.ts';
import type { Layer } from './image-layers.ts';
import type { PartialBlob } from './partial-blob.ts';

/** Smaller layers have arrived before anything could be gained. */
const worthwhileBytes = 8 * 1024 * 1024;

export interface EarlyLayerOptions {
  readonly staging: Staging;
  /** Names the layer in messages. */
  readonly what: string;
  /** As `extractArchive` has it. */
  readonly takes?: ((path: readonly string[]) => boolean) | undefined;
  readonly signal: AbortSignal;
}

interface Attempt {
  readonly arrivals: Arrivals;
  readonly stop: AbortController;
  /** Never rejects. */
  readonly ended: Promise<{ readonly failure?: unknown }>;
  /** Whether the file could be opened before it was moved. */
  isOpen: boolean;
}

/** Extracts the first layer of an image into the staging area while it arrives. What was extracted counts once the very same bytes are verified; otherwise
 *  nothing of it stays, and the layer is extracted from its file as any other. Tried once. */
export class EarlyLayer {
  readonly #layer: Layer;
  readonly #options: EarlyLayerOptions;
  #attempt: Attempt | undefined;

  constructor(layer: Layer, options: EarlyLayerOptions) {
    this.#layer = layer;
    this.#options = options;
  }

  /** Extracts from the blob, as far as it arrives from now on. */
  follow(part: PartialBlob): void {
    const { content, sizeBytes } = this.#layer;
    const { staging, what, takes, signal } = this.#options;
    const isArchive = content.kind === 'layer' || content.kind === 'archive';
    if (this.#attempt !== undefined || !isArchive || sizeBytes < worthwhileBytes || !staging.isEmpty) return;
    const stop = new AbortController();
    const arrivals = new Arrivals(AbortSignal.any([signal, stop.signal]));
    part.arrivals = arrivals;
    const hasWhiteouts = content.kind === 'layer';
    const extraction = extractArchive(this.#read(part.path, arrivals), staging, {
      what,
      hasWhiteouts,
      takes,
      signal: arrivals.signal,
    });
    const ended = extraction.then(
      () => ({}),
      (failure: unknown) => ({ failure }),
    );
    this.#attempt = { arrivals, stop, ended, isOpen: false };
  }

  async *#read(path: string, arrivals: Arrivals): AsyncGenerator<Buffer> {
    const { sizeBytes } = this.#layer;
    const pieceBytes = pieceBytesOf(sizeBytes);
    await arrivals.beyond(0);
    await using handle = await open(path, 'r');
    if (this.#attempt !== undefined) this.#attempt.isOpen = true;
    for (let offset = 0; offset < sizeBytes; ) {
      const endOffset = await arrivals.beyond(offset);
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, endOffset - offset));
      const { bytesRead } = await handle.read(piece, 0, piece.length, offset);
      if (bytesRead === 0) throw new Error(`${path} is shorter than what has arrived`);
      offset += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  /** Whether the layer, which was verified, has been extracted. When not, the staging area is as it was before.
   *  @throws TerminalError those of `extractArchive` */
  async finish(): Promise<boolean> {
    const attempt = this.#attempt;
    if (attempt === undefined) return false;
    if (attempt.isOpen && attempt.arrivals.isVerified) {
      const end = await attempt.ended;
      if ('failure' in end) throw end.failure;
      return true;
    }
    await this.abandon();
    this.#options.staging.clear();
    return false;
  }

  /** Returns when nothing is written to the staging area any more. */
  async abandon(): Promise<void> {
    this.#attempt?.stop.abort(new Error(`${this.#options.what}: what was extracted is not the layer`));
    await this.#attempt?.ended;
  }
}
