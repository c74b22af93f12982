import { createInflate, type Inflate } from 'node:zlib';
import { SpdyError } from './spdy-error.ts';

/** Words of the dictionary in SPDY/3, section 2.6.10.1; each is preceded by its length. */
const dictionaryWords: string = [
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control',
  'connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag',
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma',
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning',
  'www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin',
].join(' ');

/** The rest of the dictionary has no lengths. */
const dictionaryTail: string = [
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505',
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found',
  '500 Internal Server Error501 Not Implemented503 Service Unavailable',
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT',
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,public',
  'privatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.',
].join('');

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** The dictionary that both sides compress headers with. */
export const spdyDictionary: Buffer = Buffer.concat([
  ...dictionaryWords.split(' ').map((word) => withLength(word.replace('_', ' '))),
  Buffer.from(dictionaryTail),
]);

const maxBlockBytes = 16 * 1024;
const maxHeaders = 64;

/** Headers by their names in lower case. */
export type SpdyHeaders = ReadonlyMap<string, string>;

/** @throws SpdyError when the block ends too early */
function parseBlock(block: Buffer): SpdyHeaders {
  let at = 0;
  const next = (): number => {
    if (at + 4 > block.length) throw new SpdyError('a header block is cut off');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = next();
    if (at + length > block.length) throw new SpdyError('a header block is cut off');
    at += length;
    return block.toString('latin1', at - length, at);
  };
  const count = next();
  if (count > maxHeaders) throw new SpdyError(`a stream has ${count} headers; ${maxHeaders} are allowed`);
  const headers = new Map<string, string>();
  for (let i = 0; i < count; i += 1) {
    const name = text().toLowerCase();
    headers.set(name, text());
  }
  return headers;
}

/** Reads the header blocks of one connection, which share one zlib stream; a block is at most 16 KiB. */
export class HeaderReader implements Disposable {
  readonly #inflate: Inflate = createInflate({ dictionary: spdyDictionary, windowBits: 15 });
  #chunks: Buffer[] = [];
  #bytes = 0;
  #reject: (problem: SpdyError) => void = () => {};

  constructor() {
    this.#inflate.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > maxBlockBytes) this.#fail(`the headers of a stream are larger than ${maxBlockBytes} bytes`);
      else this.#chunks.push(chunk);
    });
    this.#inflate.on('error', () => this.#fail('a header block is not compressed as SPDY/3 has it'));
  }

  /** One block at a time.
   *  @throws SpdyError */
  async read(compressed: Buffer): Promise<SpdyHeaders> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#chunks = [];
    this.#bytes = 0;
    this.#reject = reject;
    this.#inflate.write(compressed, () => resolve());
    await promise;
    return parseBlock(Buffer.concat(this.#chunks));
  }

  [Symbol.dispose](): void {
    this.#inflate.destroy();
  }

  #fail(message: string): void {
    this.#inflate.destroy();
    this.#reject(new SpdyError(message));
  }
}

/** Start of a zlib stream without a dictionary. */
const zlibStart = Buffer.from([0x78, 0x01]);
/** Two stored blocks: the four bytes of "no headers", and the empty one at which readers hand out what they have. */
const noHeaders = Buffer.from([0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0xff, 0xff]);

/** The header block of a reply without headers. Stored blocks need no compressor, which would take 256 KiB a connection. */
export function emptyHeaderBlock(isFirst: boolean): Buffer {
  return isFirst ? Buffer.concat([zlibStart, noHeaders]) : noHeaders;
}
