import type { IncomingMessage } from 'node:http';
import type { Session } from '../sessions.ts';
import { type Icon, isShown, maxIconBytes } from './package-rows.ts';

const deadlineMs = 10_000;

/** Undefined for a body that is larger than what is shown. */
async function readBytes(response: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxIconBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The icon of a package of a CatalogSource, which the package server has by itself; undefined for a package without one, and for what is no image.
 *  The package server has a picture of its own for packages without an icon, and that has no ETag. */
export async function readIcon({ transport }: Session, namespace: string, name: string): Promise<Icon | undefined> {
  const path = `/apis/packages.operators.coreos.com/v1/namespaces/${namespace}/packagemanifests/${name}/icon`;
  const signal = AbortSignal.timeout(deadlineMs);
  const response = await transport.open({ method: 'GET', path, accept: 'image/*, */*', signal });
  try {
    const [mediaType = ''] = (response.headers['content-type'] ?? '').split(';');
    if (response.statusCode !== 200 || (response.headers.etag ?? '') === '') return undefined;
    const bytes = await readBytes(response);
    return bytes !== undefined && isShown({ mediaType, bytes }) ? { mediaType, bytes } : undefined;
  } finally {
    response.destroy();
  }
}
