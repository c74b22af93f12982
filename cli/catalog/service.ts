import { createGunzip } from 'node:zlib';
import { errorMessage, readProxySettings, redactUrl, TerminalError, TransientError } from '../../src/base/index.ts';
import { type Meta, readCatalogStream } from '../../src/catalog/index.ts';
import { createHttpClient, type HttpClient } from '../../src/sources/index.ts';
import { readAuthorities } from '../input/index.ts';
import { countBytes, maxCatalogBytes, type OpenOptions } from './reading.ts';

const answerDeadlineMs = 60_000;
const path = '/api/v1/all';

/** Takes the address of the catalog, and that of its documents.
 *  @throws TerminalError InvalidOption */
function addressOf(name: string): string {
  const address = name.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address)) {
    throw new TerminalError('InvalidOption', `${redactUrl(name)}: expected https://HOST/catalogs/NAME`);
  }
  return address.endsWith(path) ? address : `${address}${path}`;
}

function assertCatalog(address: string, { status, body }: Awaited<ReturnType<HttpClient['send']>>): void {
  if (status === 200) return;
  body.destroy();
  const hint =
    status === 404
      ? `: expected the address of a catalog, such as https://HOST/catalogs/NAME, below which ${path} is`
      : '';
  throw new TerminalError('NotFound', `GET ${redactUrl(address)}: status ${status}${hint}`);
}

/** What came so far is no catalog when the rest does not come; a server that sends without end is left. */
async function* whole(address: string, body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  try {
    for await (const piece of body) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) {
        throw new TerminalError(
          'BodyTooLarge',
          `GET ${redactUrl(address)}: larger than the limit of ${maxBytes} bytes`,
        );
      }
      yield piece;
    }
  } catch (thrown) {
    if (thrown instanceof TransientError || thrown instanceof TerminalError) throw thrown;
    const text = `GET ${redactUrl(address)}: the transfer was interrupted: ${errorMessage(thrown)}`;
    throw new TransientError('TransferBroken', text, { cause: thrown });
  }
}

/** The documents of a catalog that catalogd, or longshore catalog serve, serves.
 *  @throws UnreadableCatalog · TerminalError NotFound, BodyTooLarge and those of `HttpClient` */
export async function* readCatalogService(
  name: string,
  { maxBytes = maxCatalogBytes, ...options }: OpenOptions & { readonly maxBytes?: number },
): AsyncGenerator<Meta> {
  const { values, signal } = options;
  const address = addressOf(name);
  const caPem = await readAuthorities(values['registry-ca']);
  using http = createHttpClient({ caPem, proxies: readProxySettings(process.env), answerDeadlineMs });
  const request = { method: 'GET', url: address, headers: { 'accept-encoding': 'gzip' }, signal } as const;
  const response = await http.send(request);
  assertCatalog(address, response);
  const isPacked = response.headers['content-encoding'] === 'gzip';
  const length = Number(response.headers['content-length'] ?? 0);
  const body = isPacked ? response.body.pipe(createGunzip()) : response.body;
  // A transfer that breaks off must not end in silence.
  if (isPacked) response.body.on('error', (thrown) => body.destroy(thrown));
  const onBytes = countBytes(redactUrl(name), { ...options, total: isPacked ? 0 : length });
  yield* readCatalogStream(whole(address, body as AsyncIterable<Buffer>, maxBytes), redactUrl(address), {
    signal,
    onBytes,
  });
}
