import { TerminalError, TransientError, withoutSecret } from '../base/index.ts';

/** Shorter ones would be found in any text. */
const leastCharacters = 4;

/** What a header `authorization` has as a secret: all of it, its token, and of basic credentials the pair and the password. */
function secretsIn(authorization: string): readonly string[] {
  const [, scheme = '', value = ''] = /^(\S+)\s+(.*)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value];
  const pair = Buffer.from(value, 'base64').toString();
  return [value, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** The text of a server without the credentials that it was sent, in any form: a server that returns the headers of a request in an error must not bring them into
 *  conditions, events and logs. */
export function withoutCredentials(text: string, authorization: string | undefined): string {
  if (authorization === undefined) return text;
  const secrets = secretsIn(authorization).filter((secret) => secret.length >= leastCharacters);
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return forms.reduce(withoutSecret, text);
}

/** Of one client. */
const maxRemembered = 64;

/** As it is where its escapes are malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The header of the credentials that an address has in it. */
export function authorizationIn(url: string): string | undefined {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
  if (username === '' && password === '') return undefined;
  const pair = [username, password].map(decoded).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** The credentials that a client has sent lately. */
export class SentCredentials {
  readonly #headers = new Set<string>();
  readonly #ofProxies: readonly string[];

  /** With the headers for proxies, which are never forgotten. */
  constructor(ofProxies: readonly string[] = []) {
    this.#ofProxies = ofProxies;
  }

  /** Remembers those of a request: in its header, or in its address. */
  note({ url, headers }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> }): void {
    for (const header of [headers?.['authorization'], authorizationIn(url)]) {
      if (header === undefined) continue;
      this.#headers.delete(header);
      this.#headers.add(header);
    }
    for (const oldest of this.#headers) if (this.#headers.size > maxRemembered) this.#headers.delete(oldest);
  }

  /** The error, or one in its place without what was sent: servers choose where they redirect to, and what is in their documents. */
  conceal(thrown: unknown): unknown {
    if (!(thrown instanceof TransientError) && !(thrown instanceof TerminalError)) return thrown;
    let { message } = thrown;
    for (const header of [...this.#ofProxies, ...this.#headers]) message = withoutCredentials(message, header);
    if (message === thrown.message) return thrown;
    if (thrown instanceof TerminalError) return new TerminalError(thrown.reason, message);
    const { retryAfterMs } = thrown;
    return new TransientError(thrown.reason, message, retryAfterMs === undefined ? {} : { retryAfterMs });
  }
}
