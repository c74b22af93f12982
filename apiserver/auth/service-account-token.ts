import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';

/** Issuer and default audience of service account tokens. */
export const tokenIssuer = 'https://kubernetes.default.svc.cluster.local';
const legacyIssuer = 'kubernetes/serviceaccount';
const legacyPrefix = 'kubernetes.io/serviceaccount/';
const leewaySeconds = 60;
const maxTokenBytes = 16 * 1024;

/** An object that a token lives and dies with. */
export interface BoundObject {
  /** `pod`, `secret` or `node`. */
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The claims of a token about its subject. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  /** Empty for tokens of Secrets. */
  readonly tokenId: string;
  readonly boundTo?: BoundObject | undefined;
  /** Of the pod that it is bound to. */
  readonly node?: Omit<BoundObject, 'kind'> | undefined;
}

/** When a token is issued and how long it lives; `warnAfterSeconds` after which its use is worth a remark. */
export interface TokenTimes {
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
  readonly warnAfterSeconds?: number | undefined;
}

function encodePart(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decodePart(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // not a token of ours
  }
}

/** The claims of a text that looks like a token of this issuer; nothing is verified. */
function ourClaims(token: string): JsonObject | undefined {
  const [header, payload, signature, ...rest] = token.split('.');
  if (signature === undefined || rest.length > 0 || decodePart(header)?.['alg'] !== 'ES256') return undefined;
  const claims = decodePart(payload);
  return claims?.['iss'] === tokenIssuer || claims?.['iss'] === legacyIssuer ? claims : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function referenceIn(claims: JsonObject, kind: string): BoundObject | undefined {
  const bound = claims[kind];
  return isJsonObject(bound) ? { kind, name: textOf(bound['name']), uid: textOf(bound['uid']) } : undefined;
}

/** Issues and checks JSON web tokens (ES256) of service accounts. */
export class ServiceAccountTokens {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;

  constructor(privateKeyPem: string) {
    this.#privateKey = createPrivateKey(privateKeyPem);
    this.#publicKey = createPublicKey(this.#privateKey);
    const der = this.#publicKey.export({ type: 'spki', format: 'der' });
    this.#keyId = createHash('sha256').update(der).digest('base64url');
  }

  /** The public key, as a JSON web key. */
  get publicKey(): JsonObject {
    const jwk = this.#publicKey.export({ format: 'jwk' }) as JsonObject;
    return { use: 'sig', ...jwk, kid: this.#keyId, alg: 'ES256' };
  }

  issue(subject: Omit<TokenSubject, 'tokenId'>, times: TokenTimes): string {
    const issuedAt = Math.floor(times.nowMs / 1000);
    const { namespace, name, uid, audiences, boundTo, node } = subject;
    const { warnAfterSeconds } = times;
    const about = {
      namespace,
      ...(node === undefined ? {} : { node: { name: node.name, ...(node.uid === '' ? {} : { uid: node.uid }) } }),
      ...(boundTo === undefined ? {} : { [boundTo.kind]: { name: boundTo.name, uid: boundTo.uid } }),
      serviceaccount: { name, uid },
      ...(warnAfterSeconds === undefined ? {} : { warnafter: issuedAt + warnAfterSeconds }),
    };
    return this.#sign({
      aud: [...audiences],
      exp: issuedAt + times.lifetimeSeconds,
      iat: issuedAt,
      iss: tokenIssuer,
      jti: randomUUID(),
      'kubernetes.io': about,
      nbf: issuedAt,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** The token of a Secret: it lives as long as the Secret does. */
  issueForSecret(
    account: { readonly namespace: string; readonly name: string; readonly uid: string },
    secret: string,
  ): string {
    const { namespace, name, uid } = account;
    return this.#sign({
      iss: legacyIssuer,
      [`${legacyPrefix}namespace`]: namespace,
      [`${legacyPrefix}secret.name`]: secret,
      [`${legacyPrefix}service-account.name`]: name,
      [`${legacyPrefix}service-account.uid`]: uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** The subject of a token with a good signature, issuer and time, or what is the matter with one of ours; undefined for any other text.
   *  Whether the account still exists is for the caller to see. */
  check(token: string, nowMs: number): TokenSubject | { readonly problem: string } | undefined {
    const claims = token.length > maxTokenBytes ? undefined : ourClaims(token);
    if (claims === undefined) return undefined;
    if (!this.#isSigned(token)) return { problem: 'go-jose/go-jose: error in cryptographic primitive' };
    if (claims['iss'] === legacyIssuer) return legacySubject(claims);
    const problem = timeProblem(claims, nowMs / 1000);
    return problem === undefined ? subjectOf(claims) : { problem };
  }

  #isSigned(token: string): boolean {
    const end = token.lastIndexOf('.');
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' as const };
    return verify('sha256', Buffer.from(token.slice(0, end)), key, Buffer.from(token.slice(end + 1), 'base64url'));
  }

  #sign(claims: JsonObject): string {
    const text = `${encodePart({ alg: 'ES256', kid: this.#keyId })}.${encodePart(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }
}

function timeProblem(claims: JsonObject, now: number): string | undefined {
  // A token without a readable expiry counts as expired.
  if (!(Number(claims['exp']) > now - leewaySeconds)) return 'service account token has expired';
  return Number(claims['nbf']) <= now + leewaySeconds ? undefined : 'service account token is not valid yet';
}

function subjectOf(claims: JsonObject): TokenSubject | undefined {
  const about = claims['kubernetes.io'];
  if (!isJsonObject(about) || !isJsonObject(about['serviceaccount'])) return undefined;
  const audiences = Array.isArray(claims['aud']) ? claims['aud'].map(String) : [];
  const node = referenceIn(about, 'node');
  const boundTo = referenceIn(about, 'pod') ?? referenceIn(about, 'secret');
  return {
    namespace: textOf(about['namespace']),
    name: textOf(about['serviceaccount']['name']),
    uid: textOf(about['serviceaccount']['uid']),
    audiences,
    tokenId: textOf(claims['jti']),
    boundTo: boundTo ?? node,
    node: boundTo === undefined ? undefined : node,
  };
}

function legacySubject(claims: JsonObject): TokenSubject {
  const claim = (name: string): string => textOf(claims[`${legacyPrefix}${name}`]);
  return {
    namespace: claim('namespace'),
    name: claim('service-account.name'),
    uid: claim('service-account.uid'),
    audiences: [tokenIssuer],
    tokenId: '',
    boundTo: { kind: 'secret', name: claim('secret.name'), uid: '' },
  };
}
