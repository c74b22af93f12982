import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { type Clock, peerOf, remember, splitCertificates, TokenGuesses } from '../base/index.ts';
import type { AccessReviews } from './access-reviews.ts';
import type { RequestTrust } from './request-trust.ts';
import { anonymousUser, type RequestUser } from './request-user.ts';

const clientUsage = '1.3.6.1.5.5.7.3.2';

interface ShownCertificate {
  readonly certificate: X509Certificate;
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Read once for each connection: one with very many names takes a millisecond, and requests are small. */
const shownOn = remember((socket: TLSSocket): ShownCertificate | undefined => {
  const shown: PeerCertificate = socket.getPeerCertificate();
  if (shown?.raw === undefined) return undefined;
  const usages = shown.ext_key_usage;
  if (usages !== undefined && !usages.includes(clientUsage)) return undefined;
  const { CN = '', O = [] } = shown.subject as { CN?: string | string[]; O?: string | string[] };
  const [commonName = ''] = [CN].flat();
  return { certificate: new X509Certificate(shown.raw), commonName, organizations: [O].flat() };
});

function isSignedBy(
  { certificate }: ShownCertificate,
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  if (certificate.validFromDate.getTime() > nowMs || certificate.validToDate.getTime() < nowMs) return false;
  return authorities.some((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
}

function certificatesOf(pem: string): X509Certificate[] {
  return splitCertificates(pem).map((text) => new X509Certificate(text));
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** A header's bytes as the text that they are in UTF-8. */
function textOf(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}

/** The values of a header, one by one as they were sent: a value may hold a comma. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.flatMap((header, index) =>
    index % 2 === 0 && header.toLowerCase() === name ? [textOf(rawHeaders[index + 1] ?? '')] : [],
  );
}

function extraOf(request: IncomingMessage, prefixes: readonly string[]): Record<string, string[]> {
  const names = Object.keys(request.headers).flatMap((name) => {
    const prefix = prefixes.find((one) => name.startsWith(one));
    return prefix === undefined ? [] : [{ name, key: decodeKey(name.slice(prefix.length)) }];
  });
  return Object.fromEntries(names.map(({ name, key }) => [key, valuesOf(request, name)]));
}

function bearerToken({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** Finds the user of a request: named by the API server in headers, or by a certificate or token of their own. */
export class RequestAuthenticator {
  readonly #trust: RequestTrust;
  readonly #reviews: AccessReviews;
  readonly #clock: Clock;
  readonly #guesses: TokenGuesses;
  readonly #proxyAuthorities: readonly X509Certificate[];
  readonly #clientAuthorities: readonly X509Certificate[];

  constructor(deps: { readonly trust: RequestTrust; readonly reviews: AccessReviews; readonly clock: Clock }) {
    this.#trust = deps.trust;
    this.#reviews = deps.reviews;
    this.#clock = deps.clock;
    this.#guesses = new TokenGuesses(deps.clock);
    this.#proxyAuthorities = certificatesOf(deps.trust.requestHeaderCaPem);
    this.#clientAuthorities = certificatesOf(deps.trust.clientCaPem);
  }

  /** Options of an HTTPS server: certificates are requested, and verified by `authenticate`. */
  get serverOptions(): { readonly requestCert: true; readonly rejectUnauthorized: false; readonly ca: string[] } {
    const { clientCaPem, requestHeaderCaPem } = this.#trust;
    const ca = [clientCaPem, requestHeaderCaPem].filter((pem) => pem !== '');
    return { requestCert: true, rejectUnauthorized: false, ca };
  }

  /** The user; anonymous without any credential, undefined for one that is not valid. Headers that name a user count only on a connection with the
   *  client certificate of the API server. */
  async authenticate(request: IncomingMessage): Promise<RequestUser | undefined> {
    const shown = shownOn(request.socket as TLSSocket);
    const nowMs = this.#clock.now();
    if (shown !== undefined && this.#isApiServer(shown, nowMs)) return this.#userInHeaders(request);
    const token = bearerToken(request.headers);
    if (shown !== undefined && shown.commonName !== '' && isSignedBy(shown, this.#clientAuthorities, nowMs)) {
      return { username: shown.commonName, groups: [...shown.organizations, 'system:authenticated'] };
    }
    if (token !== undefined) return await this.#userOfToken(request, token);
    return shown === undefined ? anonymousUser : undefined;
  }

  async #userOfToken({ socket }: IncomingMessage, token: string): Promise<RequestUser | undefined> {
    const peer = peerOf(socket.remoteAddress ?? '');
    if (this.#guesses.refuses(peer, token)) return undefined;
    const user = await this.#reviews.userOfToken(token);
    this.#guesses.answered(peer, token, user !== undefined);
    return user;
  }

  #isApiServer(shown: ShownCertificate, nowMs: number): boolean {
    const { allowedNames } = this.#trust;
    const isNamed = allowedNames.length === 0 || allowedNames.includes(shown.commonName);
    return isNamed && isSignedBy(shown, this.#proxyAuthorities, nowMs);
  }

  #userInHeaders(request: IncomingMessage): RequestUser | undefined {
    const { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = this.#trust;
    const first = (names: readonly string[]): string => names.flatMap((name) => valuesOf(request, name))[0] ?? '';
    const [username, uid] = [first(usernameHeaders), first(uidHeaders)];
    if (username === '') return undefined;
    const groups = groupHeaders.flatMap((name) => valuesOf(request, name));
    const extra = extraOf(request, extraHeaderPrefixes);
    return {
      username,
      groups,
      ...(uid === '' ? {} : { uid }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  }
}
