import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, type Logger, oldSpaceBytes } from '../../src/base/index.ts';
import {
  type ClusterAccess,
  createKubeClient,
  createTransport,
  type KubeClient,
  type Transport,
  tenantOf,
} from '../../src/kube/index.ts';
import { ConsoleProblem } from './problem.ts';
import { type Share, Shares } from './shares.ts';
import { SessionWatches } from './stream/session-watches.ts';
import type { SignInMethod } from './wire.ts';

/** Who signed in, and how the API server is reached as that user. */
export interface SignedIn {
  readonly user: string;
  readonly groups: readonly string[];
  readonly access: ClusterAccess;
  readonly method: SignInMethod;
  /** Of a laptop: commands are run with this file. */
  readonly kubeconfigPath?: string;
}

/** A signed-in user. Credentials stay here: the browser holds a random name of the session alone. */
export interface Session extends SignedIn {
  /** Whose share of everything it takes from: the user's, or that of all service accounts of a namespace. */
  readonly tenant: string;
  readonly csrf: string;
  readonly kube: KubeClient;
  readonly transport: Transport;
  readonly watches: SessionWatches;
  /** Aborted when the session is over: streams end with it. */
  readonly ended: AbortSignal;
  /** Does work that sends requests to the API server, if the user has not too much of it under way, in all sessions.
   *  @throws ConsoleProblem 429 */
  counted<T>(work: () => Promise<T>): Promise<T>;
  /** A part of the memory for answers that are in memory as a whole until the browser has them. */
  openAnswer(): Share;
  lastUsedMs: number;
  readonly createdMs: number;
  /** The user of this machine who signed in; undefined where that is not known. */
  readonly localUser: number | undefined;
}

interface SessionsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly isSecure: () => boolean;
  readonly cookieName: () => string;
  /** The user of this machine who sends a request: only that of a session uses it, as browsers send cookies to all ports of a host. Undefined where that
   *  is not known. */
  readonly localUserOf: (request: FastifyRequest) => number | undefined;
}

const maxSessions = 200;
const maxOfUser = 20;
/** Of a user. */
const maxOpenRequests = 24;
/** Part of the heap that rows of pages may fill, and answers as much; and part of these that one user may have. */
const partOfHeap = 1 / 4;
const partOfUser = 1 / 2;
const idleMs = 60 * 60_000;
const lifetimeMs = 12 * 60 * 60_000;
const csrfHeader = 'x-longshore-csrf';
const deadlineMs = 30_000;
const maxBodyBytes = 16 * 1024 * 1024;

const newName = (): string => randomBytes(32).toString('base64url');
/** Sessions are found by a digest, so that the comparison does not depend on the name itself. */
const digestOf = (name: string): string => createHash('sha256').update(name).digest('base64url');

function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** All sessions, in memory: they end with the process, after an hour without use, and after twelve hours. */
export class Sessions implements Disposable {
  readonly #deps: SessionsDeps;
  readonly #sessions = new Map<string, Session>();
  readonly #endings = new Map<string, AbortController>();
  /** Sessions whose cookie another user of this machine has. */
  readonly #misused = new Set<string>();
  readonly #requests = new Shares({ ofUser: maxOpenRequests, ofAll: Infinity });
  readonly #rows: Shares;
  readonly #answers: Shares;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    const ofAll = oldSpaceBytes() * partOfHeap;
    const limits = { ofAll, ofUser: ofAll * partOfUser };
    this.#rows = new Shares(limits);
    this.#answers = new Shares(limits);
  }

  async #counted<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    using share = this.#requests.open(tenant);
    if (share.add(1)) return await work();
    throw new ConsoleProblem(429, 'TooManyRequests', { message: 'too many requests at a time' });
  }

  /** The user of this machine who sends a request; undefined where that is not known. */
  localUserOf(request: FastifyRequest): number | undefined {
    return this.#deps.localUserOf(request);
  }

  /** Opens a session, and sets its cookie. Of too many sessions one ends that was unused for the longest time: of a user with too many that user's, so
   *  that signing in again and again ends the sessions of no one else. */
  open(signedIn: SignedIn, reply: FastifyReply): Session {
    this.#endOld(tenantOf(signedIn.user));
    const { clock, log } = this.#deps;
    const nowMs = clock.now();
    const kube = createKubeClient({ access: signedIn.access, clock });
    const ending = new AbortController();
    const tenant = tenantOf(signedIn.user);
    const session: Session = {
      ...signedIn,
      tenant,
      csrf: newName(),
      kube,
      transport: createTransport(signedIn.access, { deadlineMs, maxBodyBytes }),
      watches: new SessionWatches({ kube, clock, log, openShare: () => this.#rows.open(tenant) }),
      ended: ending.signal,
      counted: (work) => this.#counted(tenant, work),
      openAnswer: () => this.#answers.open(tenant),
      createdMs: nowMs,
      localUser: this.localUserOf(reply.request),
      lastUsedMs: nowMs,
    };
    const name = newName();
    const key = digestOf(name);
    this.#sessions.set(key, session);
    this.#endings.set(key, ending);
    this.#endInTime(key, ending.signal);
    log.info({ user: signedIn.user, method: signedIn.method }, 'signed in to the console');
    const secure = this.#deps.isSecure() ? '; Secure' : '';
    void reply.header('set-cookie', `${this.#deps.cookieName()}=${name}; Path=/; HttpOnly; SameSite=Strict${secure}`);
    return session;
  }

  /** The session of a request; undefined for a user who is not signed in. */
  find(request: FastifyRequest): Session | undefined {
    const key = this.#keyOf(request);
    const session = key === undefined ? undefined : this.#sessions.get(key);
    if (key === undefined || session === undefined) return undefined;
    if (this.#isOver(session)) {
      this.#end(key);
      return undefined;
    }
    session.lastUsedMs = this.#deps.clock.now();
    return session;
  }

  /** @throws ConsoleProblem 401 for a user who is not signed in, 403 for a change without the token of the session */
  require(request: FastifyRequest): Session {
    const session = this.find(request);
    if (session === undefined) {
      throw new ConsoleProblem(401, 'NotSignedIn', { message: 'you are not signed in, or the session has ended' });
    }
    const isChange = request.method !== 'GET' && request.method !== 'HEAD';
    const token = request.headers[csrfHeader];
    if (isChange && !(typeof token === 'string' && isSame(token, session.csrf))) {
      throw new ConsoleProblem(403, 'TokenMissing', { message: `the header ${csrfHeader} is not that of the session` });
    }
    return session;
  }

  /** A hook that refuses a request before its body is read. */
  readonly guard = async (request: FastifyRequest): Promise<void> => {
    this.require(request);
    return await Promise.resolve();
  };

  /** Ends the session of a request. */
  close(request: FastifyRequest, reply: FastifyReply): void {
    const key = this.#keyOf(request);
    if (key !== undefined) this.#end(key);
    const secure = this.#deps.isSecure() ? '; Secure' : '';
    void reply.header(
      'set-cookie',
      `${this.#deps.cookieName()}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure}`,
    );
  }

  [Symbol.dispose](): void {
    for (const key of this.#sessions.keys()) this.#end(key);
  }

  /** A cookie of the same name, which a server on another port has set, hides no session. */
  #keyOf(request: FastifyRequest): string | undefined {
    const start = `${this.#deps.cookieName()}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const names = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
    const keys = names.map(digestOf).filter((key) => this.#sessions.has(key));
    if (keys.length === 0) return undefined;
    const localUser = this.localUserOf(request);
    const own = keys.find((key) => this.#sessions.get(key)?.localUser === localUser);
    if (own === undefined) this.#reportMisuse(keys);
    return own;
  }

  #reportMisuse(keys: readonly string[]): void {
    for (const key of keys.filter((each) => !this.#misused.has(each))) {
      this.#misused.add(key);
      const user = this.#sessions.get(key)?.user;
      this.#deps.log.warn({ user }, 'session of the console refused to another user of this machine');
    }
  }

  #isOver({ createdMs, lastUsedMs, watches }: Session): boolean {
    const nowMs = this.#deps.clock.now();
    const isIdle = nowMs - lastUsedMs > idleMs && !watches.isUsed();
    return isIdle || nowMs - createdMs > lifetimeMs;
  }

  #endOld(tenant: string): void {
    for (const [key, session] of this.#sessions) if (this.#isOver(session)) this.#end(key);
    const own = [...this.#sessions].filter(([, session]) => session.tenant === tenant);
    if (own.length >= maxOfUser) this.#endUnused(own);
    if (this.#sessions.size >= maxSessions) this.#endUnused([...this.#sessions]);
  }

  #endUnused(sessions: readonly (readonly [string, Session])[]): void {
    const [oldest] = sessions.toSorted(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    if (oldest !== undefined) this.#end(oldest[0]);
  }

  /** A page that only follows its stream sends no request at which the session would be found to be over. */
  #endInTime(key: string, signal: AbortSignal): void {
    void this.#deps.clock.sleep(lifetimeMs, { signal }).then(
      () => this.#end(key),
      () => undefined,
    );
  }

  #end(key: string): void {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    this.#endings.get(key)?.abort();
    this.#endings.delete(key);
    this.#misused.delete(key);
    session.watches[Symbol.dispose]();
    session.transport.close();
    session.kube.close();
  }
}
