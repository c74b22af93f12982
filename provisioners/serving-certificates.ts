import { injectCaAnnotation, servingCertificateAnnotation } from '../src/api/index.ts';
import {
  type CertifiedKey,
  type Clock,
  certificateExpiryMs,
  certificateStartMs,
  createCertificateAuthority,
  isJsonObject,
  isServingCertificate,
  issueCertificate,
  type JsonObject,
  type JsonValue,
  sha256Digest,
  splitCertificates,
} from '../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';

const lifetimeDays = 365;
/** Outlives every certificate that it has signed. */
const authorityLifetimeDays = 2 * lifetimeDays;

/** What the Secret of a Service holds. */
interface Serving extends CertifiedKey {
  /** The authority of the certificate, and the one before it: a server that has not seen the new certificate yet is trusted. */
  readonly caBundlePem: string;
}

function dnsNamesOf(secret: KubeObject): readonly string[] {
  const { namespace = '', annotations = {} } = secret.metadata;
  const host = `${annotations[servingCertificateAnnotation] ?? ''}.${namespace}`;
  return [host, `${host}.svc`, `${host}.svc.cluster.local`];
}

function textAt(data: JsonObject, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

function servingIn(secret: KubeObject): Serving {
  const data = isJsonObject(secret['data']) ? secret['data'] : {};
  return {
    certificatePem: textAt(data, 'tls.crt'),
    privateKeyPem: textAt(data, 'tls.key'),
    caBundlePem: textAt(data, 'ca.crt'),
  };
}

/** A third of its life is left then. */
function renewalMs({ certificatePem }: CertifiedKey): number {
  const [startMs, endMs] = [certificateStartMs(certificatePem), certificateExpiryMs(certificatePem)];
  return endMs - (endMs - startMs) / 3;
}

async function issue(dnsNames: readonly string[], previousPem: string, nowMs: number): Promise<Serving> {
  const commonName = 'longshore';
  const authority = await createCertificateAuthority({
    commonName: `${commonName} authority`,
    nowMs,
    lifetimeDays: authorityLifetimeDays,
  });
  const certified = await issueCertificate(authority, { commonName, usage: 'server', dnsNames, nowMs, lifetimeDays });
  const previous = splitCertificates(previousPem).slice(0, 1);
  return { ...certified, caBundlePem: [authority.certificatePem, ...previous].join('') };
}

function dataOf({ certificatePem, privateKeyPem, caBundlePem }: Serving): JsonObject {
  const members = { 'tls.crt': certificatePem, 'tls.key': privateKeyPem, 'ca.crt': caBundlePem };
  return Object.fromEntries(Object.entries(members).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

function trusting(clientConfig: JsonValue | undefined, caBundle: string): JsonObject {
  return { ...(isJsonObject(clientConfig) ? clientConfig : {}), caBundle };
}

/** The object told whom to trust: every webhook of a configuration, an aggregated API, the conversion of a CustomResourceDefinition. */
function withCa(object: KubeObject, caBundle: string): KubeObject {
  const webhooks = object['webhooks'];
  if (Array.isArray(webhooks)) {
    const told = webhooks
      .filter(isJsonObject)
      .map((webhook) => ({ ...webhook, clientConfig: trusting(webhook['clientConfig'], caBundle) }));
    return { ...object, webhooks: told };
  }
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  if (object.kind === 'APIService') return { ...object, spec: trusting(spec, caBundle) };
  const conversion = isJsonObject(spec['conversion']) ? spec['conversion'] : {};
  const webhook = isJsonObject(conversion['webhook']) ? conversion['webhook'] : {};
  const clientConfig = trusting(webhook['clientConfig'], caBundle);
  return { ...object, spec: { ...spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } } };
}

function needsCertificate({ kind, metadata }: KubeObject): boolean {
  return kind === 'Secret' && metadata.annotations?.[servingCertificateAnnotation] !== undefined;
}

/** Issues the certificates that rendered objects ask for by annotation, and renews them. They live in the Secrets they are for,
 *  and nowhere else: authorities sign once, and their keys are forgotten. */
export class ServingCertificates {
  readonly #kube: KubeClient;
  readonly #clock: Clock;
  readonly #states = new Map<string, { readonly dueMs: number; readonly digest: string }>();

  constructor({ kube, clock }: { readonly kube: KubeClient; readonly clock: Clock }) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /** Text that changes when certificates of the deployment are to be renewed, or have been; empty where there are none. */
  stateOf(deployment: string): string {
    const state = this.#states.get(deployment);
    if (state === undefined) return '';
    return this.#clock.now() < state.dueMs ? ` and certificates ${state.digest}` : ' and certificates to renew';
  }

  /** `objects` with certificates, keys and authorities filled in: those of the cluster as long as they are good, else new ones. */
  async complete(
    deployment: string,
    objects: readonly KubeObject[],
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]> {
    this.#states.delete(deployment);
    const secrets = objects.filter(needsCertificate);
    if (secrets.length === 0) return objects;
    const issued = new Map<string, Serving>();
    for (const secret of secrets) {
      const { namespace = '', name = '' } = secret.metadata;
      issued.set(`${namespace}/${name}`, await this.#serving(secret, signal));
    }
    const all = [...issued.values()];
    const digest = sha256Digest(all.map(({ certificatePem }) => certificatePem).join(''));
    this.#states.set(deployment, { dueMs: Math.min(...all.map(renewalMs)), digest });
    return objects.map((object) => {
      const { namespace = '', name = '', annotations = {} } = object.metadata;
      const own = needsCertificate(object) ? issued.get(`${namespace}/${name}`) : undefined;
      if (own !== undefined) return { ...object, data: dataOf(own) };
      const trusted = issued.get(annotations[injectCaAnnotation] ?? '');
      return trusted === undefined ? object : withCa(object, Buffer.from(trusted.caBundlePem).toString('base64'));
    });
  }

  async #serving(secret: KubeObject, signal: AbortSignal): Promise<Serving> {
    const dnsNames = dnsNamesOf(secret);
    const live = await this.#read(secret, signal);
    const { caBundlePem = '' } = live ?? {};
    const isGood = live !== undefined && isServingCertificate(live, { caBundlePem, dnsNames });
    if (isGood && this.#clock.now() < renewalMs(live)) return live;
    return await issue(dnsNames, isGood ? caBundlePem : '', this.#clock.now());
  }

  /** What an earlier installation has left; nobody else's Secret is believed. */
  async #read(secret: KubeObject, signal: AbortSignal): Promise<Serving | undefined> {
    try {
      const live = await this.#kube.get(refOf(secret), { signal });
      return needsCertificate(live) ? servingIn(live) : undefined;
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  }
}
