import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';

/** Issuer and default audience of service account tokens. */
export const tokenIssuer = 'https://kubernetes.default.svc.cluster.local';
const leewaySeconds = 60;
const maxTokenBytes = 16 * 1024;

/** What a token says about whom it was issued to. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly tokenId: string;
  readonly boundTo?: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
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

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function boundClaims(claims: JsonObject): TokenSubject['boundTo'] {
  for (const kind of ['pod', 'secret', 'node']) {
    const bound = claims[kind];
    if (isJsonObject(bound)) return { kind, name: textOf(bound['name']), uid: textOf(bound['uid']) };
  }
  return undefined;
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

  issue(subject: Omit<TokenSubject, 'tokenId'>, times: { nowMs: number; lifetimeSeconds: number }): string {
    const issuedAt = Math.floor(times.nowMs / 1000);
    const { namespace, name, uid, audiences, boundTo } = subject;
    const claims = {
      aud: [...audiences],
      exp: issuedAt + times.lifetimeSeconds,
      iat: issuedAt,
      iss: tokenIssuer,
      jti: randomUUID(),
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(boundTo === undefined ? {} : { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } }),
      },
      nbf: issuedAt,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const text = `${encodePart({ alg: 'ES256', kid: this.#keyId, typ: 'JWT' })}.${encodePart(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** The subject of a token with a good signature, issuer and time; undefined for any other text.
   *  Whether the account still exists is for the caller to see. */
  check(token: string, nowMs: number): TokenSubject | undefined {
    const [header, payload, signature, ...rest] = token.split('.');
    if (token.length > maxTokenBytes || signature === undefined || rest.length > 0) return undefined;
    if (decodePart(header)?.['alg'] !== 'ES256') return undefined;
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' as const };
    const isSigned = verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
    const claims = isSigned ? decodePart(payload) : undefined;
    return claims === undefined || !isCurrent(claims, nowMs / 1000) ? undefined : subjectOf(claims);
  }
}

function isCurrent(claims: JsonObject, now: number): boolean {
  if (claims['iss'] !== tokenIssuer) return false;
  return Number(claims['exp']) > now && Number(claims['nbf']) <= now + leewaySeconds;
}

function subjectOf(claims: JsonObject): TokenSubject | undefined {
  const about = claims['kubernetes.io'];
  if (!isJsonObject(about) || !isJsonObject(about['serviceaccount'])) return undefined;
  const audiences = Array.isArray(claims['aud']) ? claims['aud'].map(String) : [];
  return {
    namespace: textOf(about['namespace']),
    name: textOf(about['serviceaccount']['name']),
    uid: textOf(about['serviceaccount']['uid']),
    audiences,
    tokenId: textOf(claims['jti']),
    boundTo: boundClaims(about),
  };
}
