import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { goQuote } from '../../src/base/index.ts';
import { completeUser, type KubeObject, objectOf, textOf, type UserInfo } from '../core/index.ts';

import { type ServiceAccountTokens, type TokenSubject, tokenIssuer } from './service-account-token.ts';

/** Who makes a request: a user, an anonymous client, or a client with an invalid credential. */
export type Identity =
  | { readonly kind: 'user'; readonly user: UserInfo }
  | { readonly kind: 'anonymous'; readonly user: UserInfo }
  | { readonly kind: 'refused' };

/** What a bearer token is worth. */
export type CheckedToken =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

/** Looks up a stored object; what a token names has to exist. */
export type ObjectLookup = (plural: string, namespace: string, name: string) => KubeObject | undefined;

/** Who a connection is of, and until when its certificate is valid. */
interface CertifiedIdentity {
  readonly identity: Identity;
  readonly untilMs: number;
}

const anonymous: Identity = {
  kind: 'anonymous',
  user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
};

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Turns client certificates and bearer tokens into users. */
export class Authenticator {
  readonly #adminTokenHash: Buffer;
  readonly #tokens: ServiceAccountTokens;
  readonly #lookup: ObjectLookup;
  readonly #now: () => number;
  readonly #bySocket = new WeakMap<object, CertifiedIdentity>();

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

  /** A certificate counts before a token; a header of another scheme counts as none. */
  identify(headers: IncomingHttpHeaders, socket: TLSSocket): Identity {
    const certified = this.#ofSocket(socket);
    if (certified.kind === 'user') return certified;
    const token = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return certified;
    const checked = this.checkToken(token, [tokenIssuer]);
    return 'error' in checked ? { kind: 'refused' } : { kind: 'user', user: checked.user };
  }

  /** The user that a bearer token stands for and the audiences it is good for, or why it is good for nothing. */
  checkToken(token: string, audiences: readonly string[]): CheckedToken {
    if (timingSafeEqual(hash(token), this.#adminTokenHash)) {
      return { user: completeUser('kubernetes-admin', ['system:masters']), audiences };
    }
    const subject = this.#tokens.check(token, this.#now());
    if (subject === undefined) return { error: 'invalid bearer token' };
    const problem = 'problem' in subject ? subject.problem : this.#problemOf(subject, { token, audiences });
    if (problem !== undefined) return { error: `[invalid bearer token, ${problem}]` };
    const known = subject as TokenSubject;
    return { user: accountUser(known), audiences: sharedAudiences(known, audiences) };
  }

  #problemOf(
    subject: TokenSubject,
    { token, audiences }: { readonly token: string; readonly audiences: readonly string[] },
  ): string | undefined {
    if (sharedAudiences(subject, audiences).length === 0) {
      const [own, expected] = [subject.audiences, audiences].map((names) =>
        names.map((name) => goQuote(name)).join(' '),
      );
      return `token audiences [${own}] is invalid for the target audiences [${expected}]`;
    }
    const account = this.#lookup('serviceaccounts', subject.namespace, subject.name);
    if (account === undefined) return `serviceaccounts "${subject.name}" not found`;
    if (account.metadata.uid !== subject.uid) {
      return `service account UID (${account.metadata.uid}) does not match claim (${subject.uid})`;
    }
    return this.#isBoundObjectThere(subject, token) ? undefined : 'service account token has been invalidated';
  }

  #isBoundObjectThere({ boundTo, namespace }: TokenSubject, token: string): boolean {
    if (boundTo === undefined) return true;
    const found = this.#lookup(`${boundTo.kind}s`, boundTo.kind === 'node' ? '' : namespace, boundTo.name);
    if (found === undefined) return false;
    // The token of a Secret does not name its uid: another Secret of that name may be there to revoke it.
    return boundTo.uid === '' ? tokenIn(found) === token : found.metadata.uid === boundTo.uid;
  }

  /** A connection, and the session that it resumes, may outlive the certificate. */
  #ofSocket(socket: TLSSocket): Identity {
    let known = this.#bySocket.get(socket);
    if (known === undefined) {
      known = identityOfCertificate(socket);
      this.#bySocket.set(socket, known);
    }
    return this.#now() <= known.untilMs ? known.identity : { kind: 'refused' };
  }
}

/** The token that a Secret has. */
function tokenIn(secret: KubeObject): string {
  return Buffer.from(textOf(objectOf(secret['data'])['token']), 'base64').toString();
}

/** Those of a token that are among the others, of which a review may name very many. */
function sharedAudiences(subject: TokenSubject, audiences: readonly string[]): readonly string[] {
  const others = new Set(audiences);
  return subject.audiences.filter((name) => others.has(name));
}

function accountUser(subject: TokenSubject): UserInfo {
  const user = completeUser(`system:serviceaccount:${subject.namespace}:${subject.name}`, [], subject.uid);
  const extra: Record<string, string[]> = {};
  if (subject.tokenId !== '') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${subject.tokenId}`];
  const { boundTo, node = boundTo?.kind === 'node' ? boundTo : undefined } = subject;
  if (boundTo?.kind === 'pod') {
    extra['authentication.kubernetes.io/pod-name'] = [boundTo.name];
    extra['authentication.kubernetes.io/pod-uid'] = [boundTo.uid];
  }
  if (node !== undefined) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    if (node.uid !== '') extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  return Object.keys(extra).length === 0 ? user : { ...user, extra };
}

/** The certificate that a client showed, and whether it is valid for a user; undefined without one. */
function certificateOf(socket: object): { readonly shown: PeerCertificate; readonly isGood: boolean } | undefined {
  // The in-process client has no TLS.
  if (!('getPeerCertificate' in socket)) return undefined;
  const { authorized } = socket as TLSSocket;
  const shown = (socket as TLSSocket).getPeerCertificate();
  if (shown?.subject === undefined) return undefined;
  const usages = shown.ext_key_usage;
  return { shown, isGood: authorized && (usages === undefined || usages.includes('1.3.6.1.5.5.7.3.2')) };
}

function identityOfCertificate(socket: object): CertifiedIdentity {
  const certificate = certificateOf(socket);
  const forEver = Number.POSITIVE_INFINITY;
  if (certificate === undefined) return { identity: anonymous, untilMs: forEver };
  const { raw, subject } = certificate.shown;
  const { CN: name, O: organizations } = subject as { CN?: string; O?: string | string[] };
  if (!certificate.isGood || typeof name !== 'string' || name === '') {
    return { identity: { kind: 'refused' }, untilMs: forEver };
  }
  const groups = organizations === undefined ? [] : [organizations].flat();
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] };
  const user = { ...completeUser(name, groups), extra };
  return { identity: { kind: 'user', user }, untilMs: new X509Certificate(raw).validToDate.getTime() };
}
