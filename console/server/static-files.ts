import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

function fileOf(path: string, plain: Buffer): StaticFile {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    plain,
    compressed: brotliCompressSync(plain, { params }),
  };
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map(async (path) => {
    const url = path.slice(folder.length).replaceAll(sep, '/');
    return [url, fileOf(path, await readFile(path))] as const;
  });
  return new Map(await Promise.all(files));
}

async function send(file: StaticFile, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const isCompressed = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (isCompressed) void reply.header('content-encoding', 'br');
  // The names of all files but the page have a digest of their content.
  const isImmutable = request.url.startsWith('/assets/');
  await reply
    .type(file.type)
    .header('vary', 'accept-encoding')
    .header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(isCompressed ? file.compressed : file.plain);
}

/** The files of the page, from memory, read when they are first asked for. A path that is none of them, and no interface, is a place of the page. */
export function addStaticFiles(app: FastifyInstance, openFolder: () => Promise<string>): void {
  let reading: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  const read = async (): Promise<ReadonlyMap<string, StaticFile>> => {
    reading ??= openFolder().then(readFiles);
    try {
      return await reading;
    } catch (thrown) {
      reading = undefined;
      throw thrown;
    }
  };
  app.get('/*', async (request, reply) => {
    const files = await read();
    const page = files.get('/index.html');
    const [path = ''] = request.url.split('?', 1);
    const file = files.get(path);
    if (file !== undefined) return await send(file, request, reply);
    const isPlace = page !== undefined && !/^\/(api|k8s|assets)\//.test(path);
    if (isPlace) return await send(page, request, reply);
    return await reply.code(404).send({ reason: 'NotFound', message: `${path.slice(0, 200)} does not exist` });
  });
}
