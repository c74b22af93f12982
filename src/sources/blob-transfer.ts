import { on } from 'node:events';
import { cutText, errorMessage, TransientError } from '../base/index.ts';
import { failure, type HttpRequest, type HttpResponse } from './http-client.ts';
import type { PartialBlob } from './partial-blob.ts';
import type { RegistryClient } from './registry-client.ts';

interface Transfer {
  /** Names the blob in messages. */
  readonly what: string;
  readonly signal: AbortSignal;
  /** Called before bytes are stored; what it throws ends the transfer. */
  readonly onBytes?: ((sizeBytes: number) => void) | undefined;
}

type Arrivals = AsyncIterable<[Buffer]>;

/** Pieces as they arrive, from now on: what has come is given before the error that ended it, where a stream's own iterator would drop what it
 *  holds then. */
function listen({ body }: HttpResponse): Arrivals {
  return on(body, 'data', { close: ['end', 'close'], highWaterMark: 16, lowWaterMark: 4 }) as Arrivals;
}

/** A body that ended early may be whole the next time. */
async function* piecesOf(what: string, arrivals: Arrivals, request: HttpRequest): AsyncGenerator<Buffer> {
  try {
    for await (const [piece] of arrivals) yield piece;
  } catch (thrown) {
    const known = failure(request, thrown);
    if (!(known instanceof TransientError) || known.reason !== 'ServerUnavailable') throw known;
    const text = `${what}: the transfer was interrupted: ${errorMessage(known.cause ?? known)}`;
    throw new TransientError('TransferBroken', text, { cause: known });
  }
}

/** The response does not continue the partial blob: restarts, without range requests. */
async function restart(part: PartialBlob, problem: string): Promise<never> {
  part.mayResume = false;
  await part.discard();
  throw new TransientError('TransferBroken', problem, { retryAfterMs: 0 });
}

/** @throws TransientError TransferBroken for another part than the requested one, SizeMismatch */
async function assertFits(part: PartialBlob, what: string, { status, headers }: HttpResponse): Promise<void> {
  const { sizeBytes } = part.descriptor;
  const offset = await part.offsetBytes();
  if (status === 416) await restart(part, `${what}: the server has no bytes from ${offset} on`);
  const expected = `bytes ${offset}-${sizeBytes - 1}/${sizeBytes}`;
  const range = headers['content-range'] ?? '';
  if (status === 206 && range !== expected) {
    await restart(part, `${what}: asked for ${expected}, got ${JSON.stringify(cutText(range, 100))}`);
  }
  const declared = offset + Number(headers['content-length'] ?? sizeBytes - offset);
  if (declared === sizeBytes) return;
  throw new TransientError('SizeMismatch', `${what}: expected ${sizeBytes} bytes, got ${declared}`);
}

async function* counted(pieces: AsyncIterable<Buffer>, { onBytes }: Transfer): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    onBytes?.(piece.length);
    yield piece;
  }
}

async function take(part: PartialBlob, transfer: Transfer, answer: [HttpResponse, HttpRequest]): Promise<void> {
  const [response, request] = answer;
  const { what } = transfer;
  const arrivals = listen(response);
  try {
    if (response.status === 200) await part.discard();
    await assertFits(part, what, response);
    await part.append(what, counted(piecesOf(what, arrivals, request), transfer));
  } finally {
    response.body.destroy();
  }
}

/** Whether nothing is missing, and the registry lets the caller read the blob: what is there may have come with credentials of others. */
async function isWhole(client: RegistryClient, part: PartialBlob): Promise<boolean> {
  const { sizeBytes } = part.descriptor;
  return sizeBytes > 0 && (await part.offsetBytes()) === sizeBytes && (await client.mayRead(part.descriptor));
}

async function complete(client: RegistryClient, part: PartialBlob, transfer: Transfer): Promise<void> {
  if (await isWhole(client, part)) return;
  const headers = async (): Promise<Record<string, string>> => {
    const offset = await part.offsetBytes();
    // Parts count in the bytes of the blob, so no transfer compression is asked for.
    const plain = { accept: '*/*', 'accept-encoding': 'identity' };
    return offset === 0 ? plain : { ...plain, range: `bytes=${offset}-` };
  };
  await client.get(`blobs/${part.descriptor.digest}`, { headers, statuses: [200, 206, 416] }, (response, request) =>
    take(part, transfer, [response, request]),
  );
}

/** Brings a blob to its end, verified, from what is there of it. Bytes that were put together from several transfers and are not what was
 *  promised are thrown away and fetched once more in one piece; what then is wrong is the server's.
 *  @throws TransientError DigestMismatch, SizeMismatch, TransferBroken and those of `RegistryClient` */
export async function fetchBlob(client: RegistryClient, part: PartialBlob, transfer: Transfer): Promise<void> {
  for (;;) {
    const isFromBefore = (await part.offsetBytes()) > 0;
    try {
      await complete(client, part, transfer);
      await part.verify(transfer.what, transfer.signal);
      return;
    } catch (thrown) {
      if (!(thrown instanceof TransientError)) throw thrown;
      const isWrongContent = thrown.reason === 'DigestMismatch' || thrown.reason === 'SizeMismatch';
      const isPatchwork = part.mayResume && (isFromBefore || part.wasResumed);
      if (isWrongContent) await part.discard();
      if (!isWrongContent || !isPatchwork) throw thrown;
      part.mayResume = false;
    }
  }
}
