import {
  type Clock,
  errorMessage,
  formatTimestamp,
  type JsonObject,
  type KeyUsage,
  readSigningRequest,
  type SigningPolicy,
  type SigningRequest,
} from '../../src/base/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { type Controller, ignoreNotFound, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:serviceaccount:kube-system:certificate-controller';
const group = 'certificates.k8s.io';
const backdateMs = 5 * 60_000;
/** The end of a certificate that lives shorter than this is not backdated. */
const shortLifetimeMs = 8 * 60 * 60_000;
const longestLifetimeMs = 365 * 24 * 60 * 60_000;
const shortestLifetimeMs = 10 * 60_000;

/** Signs a certificate request (PEM) with the authority of the API server. */
export type SignCertificate = (requestPem: string, policy: SigningPolicy) => Promise<string>;

/** What is wrong with a request, in words; undefined when its signer accepts it. */
type SignerRule = (request: SigningRequest, usages: readonly string[]) => string | undefined;

function hasExactly(usages: readonly string[], expected: readonly string[]): boolean {
  return usages.length === expected.length && expected.every((usage) => usages.includes(usage));
}

/** Kubelets that do not use RSA leave `key encipherment` out. */
function nodeUsageProblem(usages: readonly string[], purpose: string): string | undefined {
  const required = ['digital signature', 'key encipherment', purpose];
  const isMet = [required, ['digital signature', purpose]].some((expected) => hasExactly(usages, expected));
  return isMet ? undefined : `usages did not match [${required.toSorted().join(' ')}]`;
}

function organizationProblem({ organizations }: SigningRequest): string | undefined {
  const isNode = organizations.length === 1 && organizations[0] === 'system:nodes';
  return isNode ? undefined : 'subject organization is not system:nodes';
}

function commonNameProblem({ commonName }: SigningRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

function notAllowed(names: readonly string[], kind: string): string | undefined {
  return names.length === 0 ? undefined : `${kind} subjectAltNames are not allowed`;
}

const kubeletServing: SignerRule = (request, usages) => {
  const isNamed = request.dnsNames.length > 0 || request.ipAddresses.length > 0;
  return (
    organizationProblem(request) ??
    (isNamed ? undefined : 'DNS or IP subjectAltName is required') ??
    notAllowed(request.emailAddresses, 'Email') ??
    notAllowed(request.urls, 'URI') ??
    nodeUsageProblem(usages, 'server auth') ??
    commonNameProblem(request)
  );
};

const kubeletClient: SignerRule = (request, usages) =>
  organizationProblem(request) ??
  notAllowed(request.dnsNames, 'DNS') ??
  notAllowed(request.emailAddresses, 'Email') ??
  notAllowed(request.ipAddresses, 'IP') ??
  notAllowed(request.urls, 'URI') ??
  commonNameProblem(request) ??
  nodeUsageProblem(usages, 'client auth');

/** Admission refuses requests for `system:masters`; the signer does not rely on it. */
const apiServerClient: SignerRule = ({ organizations }, usages) => {
  const other = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  if (!usages.includes('client auth')) return 'missing required usage for client certificate: client auth';
  return organizations.includes('system:masters') ? 'subject organization system:masters is not allowed' : undefined;
};

const signers: ReadonlyMap<string, SignerRule> = new Map([
  ['kubernetes.io/kubelet-serving', kubeletServing],
  ['kubernetes.io/kube-apiserver-client-kubelet', kubeletClient],
  ['kubernetes.io/kube-apiserver-client', apiServerClient],
]);

const keyUsages: ReadonlyMap<string, KeyUsage> = new Map([
  ['digital signature', 'digitalSignature'],
  ['key encipherment', 'keyEncipherment'],
]);

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function policyFor({ usages, expirationSeconds }: JsonObject, nowMs: number): SigningPolicy {
  const names = textsIn(usages);
  const requestedMs = typeof expirationSeconds === 'number' ? expirationSeconds * 1000 : longestLifetimeMs;
  const lifetimeMs = Math.max(shortestLifetimeMs, Math.min(requestedMs, longestLifetimeMs));
  return {
    keyUsages: names.flatMap((name) => keyUsages.get(name) ?? []),
    extendedKeyUsages: names.includes('server auth') ? ['serverAuth'] : ['clientAuth'],
    notBeforeMs: nowMs - backdateMs,
    notAfterMs: nowMs + lifetimeMs - (lifetimeMs < shortLifetimeMs ? 0 : backdateMs),
  };
}

function has(request: KubeObject, type: string): boolean {
  const conditions = objectsIn(statusOf(request)['conditions']);
  return conditions.some((condition) => condition['type'] === type && condition['status'] === 'True');
}

/** Whether the request is approved and waits for one of the built-in signers. */
function isDue(request: KubeObject): boolean {
  const signer = specOf(request)['signerName'];
  const isOurs = typeof signer === 'string' && signers.has(signer);
  const isOpen = statusOf(request)['certificate'] === undefined && !has(request, 'Failed') && !has(request, 'Denied');
  return isOurs && isOpen && has(request, 'Approved');
}

function failed(request: KubeObject, message: string, nowMs: number): JsonObject {
  const now = formatTimestamp(nowMs);
  const condition = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message };
  const times = { lastUpdateTime: now, lastTransitionTime: now };
  const status = statusOf(request);
  return { ...status, conditions: [...objectsIn(status['conditions']), { ...condition, ...times }] };
}

class CertificateSigning implements Controller {
  readonly name = 'certificate-signing';
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #sign: SignCertificate;

  constructor(cluster: Cluster, clock: Clock, sign: SignCertificate) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#sign = sign;
  }

  keysOf({ type, resource, object }: Parameters<Controller['keysOf']>[0]): Iterable<string> {
    const isRequest = resource.storageKey === `certificatesigningrequests.${group}`;
    return isRequest && type !== 'DELETED' && isDue(object) ? [object.metadata.name ?? ''] : [];
  }

  async work(name: string): Promise<void> {
    const type = typeOf(this.#cluster, 'certificatesigningrequests', group);
    const request = this.#cluster.get(type, { namespace: '', name });
    if (request === undefined || !isDue(request)) return;
    const status = await this.#decide(request);
    await ignoreNotFound(this.#cluster.update(type, { ...request, status }, { as, subresource: 'status' }));
  }

  /** The status with the certificate, or with the reason why there is none. */
  async #decide(request: KubeObject): Promise<JsonObject> {
    const spec = specOf(request);
    const nowMs = this.#clock.now();
    const pem = Buffer.from(String(spec['request'] as string), 'base64').toString('latin1');
    try {
      const usages = textsIn(spec['usages']);
      const problem = signers.get(String(spec['signerName'] as string))?.(await readSigningRequest(pem), usages);
      if (problem !== undefined) return failed(request, problem, nowMs);
      const certificate = await this.#sign(pem, policyFor(spec, nowMs));
      return { ...statusOf(request), certificate: Buffer.from(certificate).toString('base64') };
    } catch (thrown) {
      return failed(request, errorMessage(thrown), nowMs);
    }
  }
}

/** Signs approved CertificateSigningRequests of the built-in signers with the authority of the API server. It approves none. */
export function certificateSigning(cluster: Cluster, clock: Clock, sign: SignCertificate): Controller {
  return new CertificateSigning(cluster, clock, sign);
}
