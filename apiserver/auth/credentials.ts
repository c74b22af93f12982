import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CertifiedKey,
  createCertificateAuthority,
  isStillGood,
  issueCertificate,
  makeFolder,
  readCertifiedKey,
  replaceCertifiedKey,
  writeSecretFile,
} from '../../src/base/index.ts';

const dayMs = 86_400_000;
const authorityLifetimeDays = 3650;
const leafLifetimeDays = 365;
/** They are issued at a start alone: after each, a server has half a year. */
const leafRestMs = (leafLifetimeDays / 2) * dayMs;
/** No certificate is to outlive its authority. */
const authorityRestMs = leafLifetimeDays * dayMs;
/** Common name of the certificate that extension servers accept names of users from. */
export const frontProxyName = 'front-proxy-client';

/** Everything secret that a server needs to be one and the same across restarts. */
export interface Credentials {
  readonly authority: CertifiedKey;
  readonly server: CertifiedKey;
  /** Client certificate of `kubernetes-admin` in `system:masters`. */
  readonly admin: CertifiedKey;
  /** Bearer token of the same user. */
  readonly adminToken: string;
  /** What the server shows to extension servers, and the authority of that alone: it is trusted with the names of users. */
  readonly frontProxy: { readonly authorityPem: string; readonly client: CertifiedKey };
  /** PKCS#8 PEM, ECDSA P-256: signs service account tokens. */
  readonly tokenKeyPem: string;
}

interface CredentialOptions {
  readonly dataDir: string | undefined;
  readonly host: string;
  readonly nowMs: number;
  /** A bearer token given from outside instead of a random one. */
  readonly token?: string | undefined;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Texts kept under a name in a folder, or nowhere when there is none. */
class SecretFolder {
  readonly #path: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** What the folder holds, if that is whole: a file may be empty or cut after a power cut, and an empty token would be one that everyone has. */
  async text(name: string, isWhole: (text: string) => boolean, make: () => string): Promise<string> {
    const known = this.#path === undefined ? undefined : await readText(join(this.#path, name));
    if (known !== undefined && isWhole(known)) return known;
    const made = make();
    if (this.#path !== undefined) await writeSecretFile(join(this.#path, name), made);
    return made;
  }

  /** What the folder holds, if that is good now and signed by `issuer`, or by itself. */
  async pair(
    name: string,
    { nowMs, issuer }: { readonly nowMs: number; readonly issuer?: CertifiedKey },
    make: () => Promise<CertifiedKey>,
  ): Promise<CertifiedKey> {
    const path = this.#path === undefined ? undefined : join(this.#path, `${name}.pem`);
    const known = path === undefined ? undefined : await readCertifiedKey(path);
    const restMs = issuer === undefined ? authorityRestMs : leafRestMs;
    // One of another authority is left from an interrupted renewal.
    if (known !== undefined && isStillGood(known, issuer ?? known, { nowMs, restMs })) return known;
    const made = await make();
    if (path === undefined) return made;
    return await replaceCertifiedKey(path, made, { known, issuer, nowMs });
  }
}

function makeTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Of any form: users may write one of their own into the file. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,}$/.test(text);
}

function isTokenKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

async function loadFrontProxy(folder: SecretFolder, nowMs: number): Promise<Credentials['frontProxy']> {
  const authority = await folder.pair('front-proxy-ca', { nowMs }, () =>
    createCertificateAuthority({ commonName: 'front-proxy-ca', nowMs, lifetimeDays: authorityLifetimeDays }),
  );
  const client = await folder.pair('front-proxy-client', { nowMs, issuer: authority }, () =>
    issueCertificate(authority, { commonName: frontProxyName, usage: 'client', nowMs, lifetimeDays: leafLifetimeDays }),
  );
  return { authorityPem: authority.certificatePem, client };
}

/** Loads what the folder holds and issues what is missing, damaged, not valid yet or near its end. Without a folder all is new.
 *  A new authority makes certificates of the old one worthless, so these are then new too. */
export async function loadCredentials(options: CredentialOptions): Promise<Credentials> {
  const { nowMs, host } = options;
  const path = options.dataDir === undefined ? undefined : join(options.dataDir, 'pki');
  if (path !== undefined) makeFolder(path, 0o700);
  const folder = new SecretFolder(path);
  const authority = await folder.pair('ca', { nowMs }, () =>
    createCertificateAuthority({ commonName: 'longshore-ca', nowMs, lifetimeDays: authorityLifetimeDays }),
  );
  const leaf = { nowMs, issuer: authority };
  const issued = { nowMs, lifetimeDays: leafLifetimeDays };
  const isIp = /^[\d.]+$|:/.test(host);
  const [frontProxy, server, admin] = await Promise.all([
    loadFrontProxy(folder, nowMs),
    folder.pair(`server-${host.replace(/[^\w.-]/g, '_')}`, leaf, () =>
      issueCertificate(authority, {
        ...issued,
        commonName: 'kube-apiserver',
        usage: 'server',
        dnsNames: [
          'localhost',
          'kubernetes',
          'kubernetes.default',
          'kubernetes.default.svc',
          'kubernetes.default.svc.cluster.local',
          ...(isIp ? [] : [host]),
        ],
        ipAddresses: [...new Set(['127.0.0.1', '::1', ...(isIp ? [host] : [])])],
      }),
    ),
    folder.pair('admin', leaf, () =>
      issueCertificate(authority, {
        ...issued,
        commonName: 'kubernetes-admin',
        organizations: ['system:masters'],
        usage: 'client',
      }),
    ),
  ]);
  const makeToken = (): string => randomBytes(32).toString('base64url');
  const adminToken = options.token ?? (await folder.text('admin.token', isToken, makeToken));
  const tokenKeyPem = await folder.text('service-account.key', isTokenKey, makeTokenKey);
  return { authority, server, admin, adminToken, frontProxy, tokenKeyPem };
}
