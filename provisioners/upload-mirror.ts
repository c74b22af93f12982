import type { Readable } from 'node:stream';
import { type Clock, errorMessage, type Logger } from '../src/base/index.ts';
import { Uploads, type UploadTarget, uploadsFolder } from '../src/content/index.ts';
import { temporaryFolder, type Unpacker } from './unpacker/index.ts';

const roundMs = 10_000;
const fetchDeadlineMs = 15 * 60_000;

/** An upload as another process has it. */
export interface ForeignUpload {
  readonly sizeBytes: number;
  readonly body: Readable;
}

export interface UploadMirrorOptions {
  readonly storeDir: string;
  readonly unpacker: Pick<Unpacker, 'makeRoom'>;
  readonly maxUploadBytes: number;
  /** Bundles that were unpacked from uploads, which therefore do not change any more. */
  readonly bundles: () => readonly UploadTarget[];
  /** Whether an upload belongs to a Bundle that exists, unpacked or not: this process may have the only copy, from when it led. */
  readonly isOwned: (bundle: UploadTarget) => boolean;
  /** Asks the process that has them; undefined when it has none for that Bundle. */
  readonly open: (bundleName: string, signal: AbortSignal) => Promise<ForeignUpload | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
}

async function copy(bundle: UploadTarget, uploads: Uploads, options: UploadMirrorOptions): Promise<void> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(fetchDeadlineMs)]);
  const foreign = await options.open(bundle.name, signal);
  if (foreign === undefined) return;
  const { body, sizeBytes } = foreign;
  try {
    await options.unpacker.makeRoom(sizeBytes, { signal });
    const received = await uploads.receive(body, { maxBytes: options.maxUploadBytes, signal });
    try {
      if (received.sizeBytes === sizeBytes) await uploads.keep(bundle, received);
    } finally {
      await uploads.discard(received);
    }
  } finally {
    body.destroy();
  }
}

/** One look: copies what is not here, and removes what belongs to no Bundle any more. */
async function round(uploads: Uploads, options: UploadMirrorOptions): Promise<void> {
  await uploads.sweep(options.isOwned);
  for (const bundle of options.bundles()) {
    if (!(await uploads.has(bundle))) await copy(bundle, uploads, options);
  }
}

/** Keeps a copy of every upload that another process has unpacked, while this one stands by: nothing else has them, should that process be lost.
 *  Resolves after the signal. */
export async function mirrorUploads(options: UploadMirrorOptions): Promise<void> {
  const { storeDir, clock, log, signal } = options;
  const uploads = await Uploads.open(uploadsFolder(storeDir), temporaryFolder(storeDir));
  let reported = '';
  while (!signal.aborted) {
    try {
      await round(uploads, options);
      reported = '';
    } catch (thrown) {
      if (signal.aborted) return;
      const message = errorMessage(thrown);
      if (message !== reported) log.warn({ message }, 'uploads are not copied');
      reported = message;
    }
    await clock.sleep(roundMs, { signal }).catch(() => undefined);
  }
}
