import type { Intercept } from '../../cli/examples/registry.ts';
import { type CertifiedKey, createCertificateAuthority, issueCertificate } from '../../src/base/index.ts';

/** The first that answers wins. */
export function allOf(...intercepts: readonly Intercept[]): Intercept {
  return (request, response) => intercepts.some((intercept) => intercept(request, response));
}

function authorizationOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Answers 401 unless the request carries these credentials. */
export function asksBasicAuthentication(user: string, password: string): Intercept {
  return (request, response) => {
    if (request.headers.authorization === authorizationOf(user, password)) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
    return true;
  };
}

/** Answers 401 unless the request carries a token, which `/token` gives for these credentials. `scheme` is the server's own. */
export function asksToken(user: string, password: string, scheme: 'http' | 'https'): Intercept {
  return (request, response) => {
    if (request.url?.startsWith('/token?') === true) {
      const isKnown = request.headers.authorization === authorizationOf(user, password);
      response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"token":"good"}' : '{}');
      return true;
    }
    if (request.headers.authorization === 'Bearer good') return false;
    const realm = `${scheme}://${request.headers.host}/token`;
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="test"` }).end();
    return true;
  };
}

/** Takes requests whose path contains `part` and stays silent. */
export function neverAnswers(part: string): Intercept {
  return (request) => request.url?.includes(part) === true;
}

/** Sends requests whose path contains `part` back to themselves. */
export function redirectsForever(part: string): Intercept {
  return (request, response) => {
    if (request.url?.includes(part) !== true) return false;
    response.writeHead(302, { location: request.url }).end();
    return true;
  };
}

/** Answers the first `times` requests whose path contains `part` with a status. */
export function failsTimes(part: string, times: number, status: number): Intercept {
  let left = times;
  return (request, response) => {
    if (request.url?.includes(part) !== true || left === 0) return false;
    left -= 1;
    response.writeHead(status, { 'retry-after': '0' }).end();
    return true;
  };
}

/** Ends the first `times` answers to requests whose path contains `part` after `sizeBytes` bytes: by a broken connection, or by silence. */
export function breaksOff(
  part: string,
  options: { readonly times: number; readonly sizeBytes: number; readonly isSilent?: boolean },
): Intercept {
  let left = options.times;
  return (request, response) => {
    if (request.url?.includes(part) !== true || left === 0) return false;
    left -= 1;
    response.end = ((bytes: Uint8Array) => {
      // Ended in order, for a reset connection would take with it what has not been read yet.
      return response.write(bytes.subarray(0, options.sizeBytes), () => {
        if (options.isSilent !== true) response.socket?.end();
      });
    }) as unknown as typeof response.end;
    return false;
  };
}

/** Changes the bytes of the first `times` answers to requests whose path contains `part`. */
export function liesAbout(part: string, times: number): Intercept {
  let left = times;
  return (request, response) => {
    if (request.url?.includes(part) !== true || left === 0) return false;
    left -= 1;
    const end = response.end.bind(response);
    response.end = ((bytes?: Uint8Array) => end(bytes?.map((byte) => byte ^ 1))) as typeof response.end;
    return false;
  };
}

/** Gives whole blobs whatever part is asked for. */
export function ignoresRanges(): Intercept {
  return (request) => {
    delete request.headers.range;
    return false;
  };
}

/** Gives the part that is asked for and claims that it is another one. */
export function liesAboutRanges(contentRange: string): Intercept {
  return (request, response) => {
    if (request.headers.range === undefined) return false;
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: object) =>
      writeHead(status, { ...headers, 'content-range': contentRange })) as typeof response.writeHead;
    return false;
  };
}

/** A certificate for `127.0.0.1` and its authority's PEM text. */
export async function loopbackCertificate(): Promise<{ readonly caPem: string; readonly tls: CertifiedKey }> {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'test authority', nowMs, lifetimeDays: 1 });
  const tls = await issueCertificate(authority, {
    commonName: '127.0.0.1',
    usage: 'server',
    ipAddresses: ['127.0.0.1'],
    nowMs,
    lifetimeDays: 1,
  });
  return { caPem: authority.certificatePem, tls };
}
