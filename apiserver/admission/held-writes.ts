import { type AdmissionPlugin, type AdmissionRequest, StatusError } from '../core/index.ts';

/** Undefined to let a write pass at once; else it waits, and goes on through admission when the promise resolves. */
export type HoldWrite = (
  write: Pick<AdmissionRequest, 'resource' | 'subresource' | 'namespace'>,
) => Promise<void> | undefined;

async function resolvedBefore(signal: AbortSignal, promise: Promise<void>): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const onAbort = (): void => resolve(false);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, promise.then(() => true)]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Holds writes before anything else of admission, until the webhook that validates them is there. Ends with the request. */
export function heldWrites(hold: HoldWrite): AdmissionPlugin {
  const wait = async (request: AdmissionRequest): Promise<undefined> => {
    const held = hold(request);
    if (held === undefined || (await resolvedBefore(request.signal, held))) return undefined;
    const message = `${request.resource.plural}: the request ended before the webhook was there that validates it: try again`;
    throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
  };
  // Deletions are validated only.
  return { name: 'HeldWrites', mutate: wait, validate: wait };
}
