/** The inside of the thread that reads one release. Started by `payload-thread.ts`. */
import { serveJobs } from '../../base/index.ts';
import { parsePayload, storedManifest } from '../../release/index.ts';
import type { PayloadJobs } from './payload-job.ts';

/** Buffers arrive as plain arrays of bytes. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

serveJobs<PayloadJobs>({
  read: ({ files, reading }) =>
    parsePayload(
      files.map((file) => ({ ...file, content: bufferOf(file.content) })),
      reading,
      storedManifest,
    ),
});
