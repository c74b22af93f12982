import type { Http2Session } from 'node:http2';

/** The error ENHANCE_YOUR_CALM: the client causes too much load.
 *  @see RFC 9113, section 7 */
const enhanceYourCalm = 0xb;
/** What a request costs that is open, besides its headers: its objects, and a small response that no one reads. */
const leastBytes = 16 * 1024;

/** A request of `node:http2`, as far as it is counted. */
interface OpenRequest {
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
}

interface OpenRequestOptions<Session extends object, Request extends OpenRequest> {
  /** What all requests may cost together. */
  readonly maxBytes: number;
  /** Most that may have arrived of a body which is not read. */
  readonly windowBytes: number;
  /** Whether a user makes the request, and not just anybody: connections of users are closed last. */
  readonly isOfUser: (session: Session, request: Request) => boolean;
  /** Is called before the event that added a request has ended. */
  readonly close: (session: Session, requests: ReadonlySet<Request>) => void;
}

interface Requests<Request> {
  bytes: number;
  readonly open: Set<Request>;
}

/** Bounds what the open requests of all connections of HTTP/2 cost together. A connection has many, which stay open for as long as its client reads no
 *  response: where there are too many, the connection with the most is closed. */
export class OpenRequests<Session extends object, Request extends OpenRequest> {
  readonly #options: OpenRequestOptions<Session, Request>;
  readonly #sessions = new Map<Session, Requests<Request>>();
  readonly #ofUsers = new WeakSet<Session>();
  #bytes = 0;

  constructor(options: OpenRequestOptions<Session, Request>) {
    this.#options = options;
  }

  /** Counts a request until the function that it returns is called. */
  begin(session: Session, request: Request, hasBody: boolean): () => void {
    const headers = request.rawHeaders.reduce((sum, text) => sum + text.length, 0);
    const bytes = leastBytes + headers + (hasBody ? this.#options.windowBytes : 0);
    const requests = this.#sessions.get(session) ?? { bytes: 0, open: new Set<Request>() };
    this.#sessions.set(session, requests);
    requests.bytes += bytes;
    requests.open.add(request);
    this.#bytes += bytes;
    if (this.#bytes > this.#options.maxBytes) this.#makeRoom();
    return () => {
      if (this.#sessions.get(session) !== requests) return;
      requests.bytes -= bytes;
      requests.open.delete(request);
      this.#bytes -= bytes;
      if (requests.open.size === 0) this.#sessions.delete(session);
    };
  }

  #makeRoom(): void {
    let chosen: readonly [Session, Requests<Request>] | undefined;
    for (const entry of this.#sessions) if (chosen === undefined || this.#goesBefore(entry, chosen)) chosen = entry;
    if (chosen === undefined) return;
    const [session, { bytes, open }] = chosen;
    this.#sessions.delete(session);
    this.#bytes -= bytes;
    this.#options.close(session, open);
  }

  #goesBefore(
    [session, requests]: readonly [Session, Requests<Request>],
    [other, others]: readonly [Session, Requests<Request>],
  ): boolean {
    const [isOfUser, isOtherOfUser] = [this.#isOfUser(session, requests), this.#isOfUser(other, others)];
    return isOfUser === isOtherOfUser ? requests.bytes > others.bytes : isOtherOfUser;
  }

  #isOfUser(session: Session, { open }: Requests<Request>): boolean {
    if (this.#ofUsers.has(session)) return true;
    const [first] = open;
    if (first === undefined || !this.#options.isOfUser(session, first)) return false;
    this.#ofUsers.add(session);
    return true;
  }
}

/** Ends a connection of HTTP/2, and reports to its client why. `destroy` alone reports no error, whatever code it is given. */
export function endExcessiveSession(session: Http2Session): void {
  if (session.destroyed) return;
  session.goaway(enhanceYourCalm);
  session.destroy();
}
