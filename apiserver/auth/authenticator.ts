import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '../admission/plugin.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { type ServiceAccountTokens, type TokenSubject, tokenIssuer } from './service-account-token.ts';

/** Who asks: a user, nobody in particular, or somebody whose credential is worth nothing. */
export type Identity =
  | { readonly kind: 'user'; readonly user: UserInfo }
  | { readonly kind: 'anonymous'; readonly user: UserInfo }
  | { readonly kind: 'refused' };

/** Looks up a stored object; what a token names has to exist. */
export type ObjectLookup = (plural: string, namespace: string, name: string) => KubeObject | undefined;

const authenticated = 'system:authenticated';
const anonymous: Identity = {
  kind: 'anonymous',
  user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
};

/** User information with the groups that every authenticated user, and every service account, has. */
export function completeUser(username: string, groups: readonly string[], uid?: string): UserInfo {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  const all = [...new Set([...groups, ...own, authenticated])];
  return { username, groups: all, ...(uid === undefined ? {} : { uid }) };
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Turns client certificates and bearer tokens into users. */
export class Authenticator {
  readonly #adminTokenHash: Buffer;
  readonly #tokens: ServiceAccountTokens;
  readonly #lookup: ObjectLookup;
  readonly #now: () => number;
  readonly #bySocket = new WeakMap<object, Identity>();

  constructor(options: {
    readonly adminToken: string;
    readonly tokens: ServiceAccountTokens;
    readonly lookup: ObjectLookup;
    readonly now: () => number;
  }) {
    this.#adminTokenHash = hash(options.adminToken);
    this.#tokens = options.tokens;
    this.#lookup = options.lookup;
    this.#now = options.now;
  }

  identify(headers: IncomingHttpHeaders, socket: TLSSocket): Identity {
    const header = headers.authorization;
    if (header === undefined) return this.#ofSocket(socket);
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    const user = token === undefined ? undefined : this.userOfToken(token, [tokenIssuer]);
    return user === undefined ? { kind: 'refused' } : { kind: 'user', user };
  }

  /** The user that a bearer token stands for, when it is good for one of the audiences. */
  userOfToken(token: string, audiences: readonly string[]): UserInfo | undefined {
    if (timingSafeEqual(hash(token), this.#adminTokenHash)) return completeUser('kubernetes-admin', ['system:masters']);
    const subject = this.#tokens.check(token, this.#now());
    if (subject === undefined || !subject.audiences.some((name) => audiences.includes(name))) return undefined;
    return this.#isAlive(subject) ? accountUser(subject) : undefined;
  }

  #isAlive(subject: TokenSubject): boolean {
    const account = this.#lookup('serviceaccounts', subject.namespace, subject.name);
    if (account === undefined || account.metadata.uid !== subject.uid) return false;
    const { boundTo } = subject;
    if (boundTo === undefined) return true;
    const namespace = boundTo.kind === 'node' ? '' : subject.namespace;
    return this.#lookup(`${boundTo.kind}s`, namespace, boundTo.name)?.metadata.uid === boundTo.uid;
  }

  #ofSocket(socket: TLSSocket): Identity {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const identity = identityOfCertificate(socket);
    this.#bySocket.set(socket, identity);
    return identity;
  }
}

function accountUser(subject: TokenSubject): UserInfo {
  const user = completeUser(`system:serviceaccount:${subject.namespace}:${subject.name}`, [], subject.uid);
  const extra: Record<string, string[]> = { 'authentication.kubernetes.io/credential-id': [`JTI=${subject.tokenId}`] };
  if (subject.boundTo?.kind === 'pod') {
    extra['authentication.kubernetes.io/pod-name'] = [subject.boundTo.name];
    extra['authentication.kubernetes.io/pod-uid'] = [subject.boundTo.uid];
  }
  return { ...user, extra };
}

function identityOfCertificate(socket: TLSSocket): Identity {
  const certificate = socket.getPeerCertificate();
  const usages = certificate?.ext_key_usage;
  if (certificate?.subject === undefined) return anonymous;
  if (!socket.authorized || (usages !== undefined && !usages.includes('1.3.6.1.5.5.7.3.2'))) return { kind: 'refused' };
  const { CN: name, O: organizations } = certificate.subject as { CN?: string; O?: string | string[] };
  if (typeof name !== 'string' || name === '') return { kind: 'refused' };
  const groups = organizations === undefined ? [] : [organizations].flat();
  const extra = {
    'authentication.kubernetes.io/credential-id': [
      `X509SHA256=${createHash('sha256').update(certificate.raw).digest('hex')}`,
    ],
  };
  return { kind: 'user', user: { ...completeUser(name, groups), extra } };
}
