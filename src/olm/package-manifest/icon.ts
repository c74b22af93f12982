import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FoundIcon } from './packages.ts';

/** For packages without an icon. */
const defaultIcon = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="8" y="8" width="48" height="48" rx="10" fill="#d1d1d1"/><path d="M20 32h24M32 20v24" stroke="#8d8d8f" stroke-width="6" stroke-linecap="round"/></svg>\n',
);
const mediaTypes = /^image\/[a-z0-9.+-]{1,60}$/;

/** Sends the icon of a package, or the default one. Catalogs may contain anything: a browser that opens the address runs nothing of it. */
export function sendIcon(request: IncomingMessage, response: ServerResponse, { icon, etag }: FoundIcon): void {
  const shown = icon ?? { mediaType: 'image/svg+xml', bytes: defaultIcon };
  const headers = {
    'content-type': mediaTypes.test(shown.mediaType) ? shown.mediaType : 'application/octet-stream',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    ...(icon === undefined ? {} : { etag }),
  };
  if (icon !== undefined && request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-length': shown.bytes.length }).end(shown.bytes);
}
