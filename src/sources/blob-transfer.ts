import { errorMessage, TerminalError, TransientError } from '../base/index.ts';
import { failure, type HttpRequest, type HttpResponse } from './http-client.ts';
import type { PartialBlob } from './partial-blob.ts';
import type { RegistryClient } from './registry-client.ts';

interface Transfer {
  /** Names the blob in messages. */
  readonly what: string;
  readonly signal: AbortSignal;
}

/** A body that ended early may be whole the next time. */
async function* piecesOf(what: string, request: HttpRequest, response: HttpResponse): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) yield piece;
  } catch (thrown) {
    const known = failure(request, thrown);
    if (!(known instanceof TransientError) || known.reason !== 'ServerUnavailable') throw known;
    const text = `${what}: the transfer broke off: ${errorMessage(known.cause ?? known)}`;
    throw new TransientError('TransferBroken', text, { cause: known });
  }
}

/** Begins anew, without asking for parts, when the answer cannot be put behind what is there. */
async function beginAnew(part: PartialBlob, response: HttpResponse, problem: string): Promise<never> {
  response.body.destroy();
  part.mayResume = false;
  await part.discard();
  throw new TransientError('TransferBroken', problem, { retryAfterMs: 0 });
}

async function take(part: PartialBlob, transfer: Transfer, answer: [HttpResponse, HttpRequest]): Promise<void> {
  const [response, request] = answer;
  const { what } = transfer;
  const { sizeBytes } = part.wanted;
  if (response.status === 200) await part.discard();
  const offset = await part.offsetBytes();
  if (response.status !== 200) {
    const range = response.headers['content-range'] ?? 'none';
    const expected = `bytes ${offset}-${sizeBytes - 1}/${sizeBytes}`;
    if (response.status === 416) await beginAnew(part, response, `${what}: the server has no bytes from ${offset} on`);
    if (range !== expected)
      await beginAnew(part, response, `${what}: asked for ${expected}, got ${range.slice(0, 100)}`);
  }
  const declared = Number(response.headers['content-length'] ?? sizeBytes - offset);
  if (offset + declared !== sizeBytes) {
    response.body.destroy();
    const text = `${what}: expected ${sizeBytes} bytes, got ${offset + declared}`;
    throw new TerminalError('SizeMismatch', text);
  }
  await part.append(what, piecesOf(what, request, response));
}

async function complete(client: RegistryClient, part: PartialBlob, transfer: Transfer): Promise<void> {
  if (part.wanted.sizeBytes > 0 && (await part.offsetBytes()) === part.wanted.sizeBytes) return;
  const headers = async (): Promise<Record<string, string>> => {
    const offset = await part.offsetBytes();
    // Parts count in the bytes of the blob, so no transfer compression is asked for.
    const plain = { accept: '*/*', 'accept-encoding': 'identity' };
    return offset === 0 ? plain : { ...plain, range: `bytes=${offset}-` };
  };
  await client.get(`blobs/${part.wanted.digest}`, { headers, statuses: [200, 206, 416] }, (response, request) =>
    take(part, transfer, [response, request]),
  );
}

/** Brings a blob to its end, verified, from what is there of it. Bytes that were put together from several transfers and are not what was
 *  promised are thrown away and fetched once more in one piece; what then is wrong is the server's.
 *  @throws TerminalError DigestMismatch, SizeMismatch and those of `RegistryClient` · TransientError TransferBroken and those of `RegistryClient` */
export async function fetchBlob(client: RegistryClient, part: PartialBlob, transfer: Transfer): Promise<void> {
  for (;;) {
    const isFromBefore = (await part.offsetBytes()) > 0;
    try {
      await complete(client, part, transfer);
      await part.verify(transfer.what, transfer.signal);
      return;
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      const isWrongContent = thrown.reason === 'DigestMismatch' || thrown.reason === 'SizeMismatch';
      const isPatchwork = part.mayResume && (isFromBefore || part.wasResumed);
      if (isWrongContent) await part.discard();
      if (!isWrongContent || !isPatchwork) throw thrown;
      part.mayResume = false;
    }
  }
}
