import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { TerminalError, TransientError } from './errors.ts';

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Whether `text` is `sha256:` and 64 lower-case hexadecimal digits. */
export function isSha256Digest(text: string): boolean {
  return digestPattern.test(text);
}

/** `sha256:<hex>` of `data`. */
export function sha256Digest(data: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/** Passes bytes through, counting and hashing them, and fails at the end when they are not what was promised.
 *  `what` names the stream in messages; `digest` is `sha256:<hex>`; `onDigest` gets the digest of a complete, valid stream.
 *  @throws TransientError DigestMismatch, SizeMismatch: these are not the promised bytes, which may come the next time ·
 *  TerminalError BodyTooLarge */
export function verifyStream(options: {
  readonly what: string;
  readonly digest?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly maxBytes: number;
  readonly onDigest?: (digest: string) => void;
  /** Called before bytes are passed on; what it throws ends the stream. */
  readonly onBytes?: ((sizeBytes: number) => void) | undefined;
}): Transform {
  const hash = createHash('sha256');
  let count = 0;
  const limit = Math.min(options.maxBytes, options.sizeBytes ?? Number.POSITIVE_INFINITY);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > limit) {
        const isOverPromise = options.sizeBytes !== undefined && options.sizeBytes <= options.maxBytes;
        const text = isOverPromise
          ? `${options.what}: expected ${options.sizeBytes} bytes, got more`
          : `${options.what}: larger than the limit of ${options.maxBytes} bytes`;
        done(isOverPromise ? new TransientError('SizeMismatch', text) : new TerminalError('BodyTooLarge', text));
        return;
      }
      hash.update(chunk);
      try {
        options.onBytes?.(chunk.length);
      } catch (thrown) {
        done(thrown as Error);
        return;
      }
      done(null, chunk);
    },
    flush(done) {
      if (options.sizeBytes !== undefined && count !== options.sizeBytes) {
        const text = `${options.what}: expected ${options.sizeBytes} bytes, got ${count}`;
        done(new TransientError('SizeMismatch', text));
        return;
      }
      const got = `sha256:${hash.digest('hex')}`;
      if (options.digest !== undefined && got !== options.digest) {
        done(new TransientError('DigestMismatch', `${options.what}: expected digest ${options.digest}, got ${got}`));
        return;
      }
      options.onDigest?.(got);
      done();
    },
  });
}
