import { injectCaAnnotation, servingCertificateAnnotation } from '../src/api/index.ts';
import { belongsTo } from '../src/apply/index.ts';
import {
  type Clock,
  isJsonObject,
  isServingCertificate,
  type JsonObject,
  type JsonValue,
  type ServingPair,
  sha256Digest,
} from '../src/base/index.ts';
import { isForbidden, isNotFound, type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';
import { isFresh, issueServing, renewalMs, servingData, servingIn } from './serving-secret.ts';

function dnsNamesOf(secret: KubeObject): readonly string[] {
  const { namespace = '', annotations = {} } = secret.metadata;
  const host = `${annotations[servingCertificateAnnotation] ?? ''}.${namespace}`;
  return [host, `${host}.svc`, `${host}.svc.cluster.local`];
}

function trusting(clientConfig: JsonValue | undefined, caBundle: string): JsonObject {
  return { ...(isJsonObject(clientConfig) ? clientConfig : {}), caBundle };
}

/** The object with the authority to trust: every webhook of a configuration, an aggregated API, the conversion of a CustomResourceDefinition. */
function withCa(object: KubeObject, caBundle: string): KubeObject {
  const webhooks = object['webhooks'];
  if (Array.isArray(webhooks)) {
    const trustingWebhooks = webhooks
      .filter(isJsonObject)
      .map((webhook) => ({ ...webhook, clientConfig: trusting(webhook['clientConfig'], caBundle) }));
    return { ...object, webhooks: trustingWebhooks };
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

/** As whom Secrets are read. */
interface Reading {
  readonly kube: KubeClient;
  /** Nothing was installed for the deployment before: no Secret that exists is its own. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** Issues the certificates that rendered objects ask for by annotation, and renews them. They live in the Secrets they are for,
 *  and nowhere else: authorities sign once, and their keys are forgotten. */
export class ServingCertificates {
  readonly #clock: Clock;
  readonly #states = new Map<string, { readonly dueMs: number; readonly digest: string }>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Text that changes when certificates of the deployment are to be renewed, or have been; empty where there are none. */
  stateOf(deployment: string): string {
    const state = this.#states.get(deployment);
    if (state === undefined) return '';
    return this.#clock.now() < state.dueMs ? ` and certificates ${state.digest}` : ' and certificates to renew';
  }

  /** When the first certificate of the deployment is to be renewed; undefined where none is known. */
  renewalMsOf(deployment: string): number | undefined {
    return this.#states.get(deployment)?.dueMs;
  }

  /** `objects` with certificates, keys and authorities filled in: those of the cluster as long as they are good, else new ones. */
  async complete(deployment: string, objects: readonly KubeObject[], reading: Reading): Promise<readonly KubeObject[]> {
    this.#states.delete(deployment);
    const secrets = objects.filter(needsCertificate);
    if (secrets.length === 0) return objects;
    const issued = new Map<string, ServingPair>();
    for (const secret of secrets) {
      const { namespace = '', name = '' } = secret.metadata;
      issued.set(`${namespace}/${name}`, await this.#serving(deployment, secret, reading));
    }
    const all = [...issued.values()];
    const digest = sha256Digest(all.map(({ certificatePem }) => certificatePem).join(''));
    this.#states.set(deployment, { dueMs: Math.min(...all.map(renewalMs)), digest });
    return objects.map((object) => {
      const { namespace = '', name = '', annotations = {} } = object.metadata;
      const own = needsCertificate(object) ? issued.get(`${namespace}/${name}`) : undefined;
      if (own !== undefined) return { ...object, data: servingData(own) };
      const trusted = issued.get(annotations[injectCaAnnotation] ?? '');
      return trusted === undefined ? object : withCa(object, Buffer.from(trusted.caBundlePem).toString('base64'));
    });
  }

  async #serving(deployment: string, secret: KubeObject, reading: Reading): Promise<ServingPair> {
    const dnsNames = dnsNamesOf(secret);
    const live = reading.isFirst ? undefined : await read(deployment, secret, reading);
    const { caBundlePem = '' } = live ?? {};
    const isGood = live !== undefined && isServingCertificate(live, { caBundlePem, dnsNames });
    if (isGood && isFresh(live, this.#clock.now())) return live;
    return await issueServing(dnsNames, isGood ? caBundlePem : '', this.#clock.now());
  }
}

/** What an earlier installation has left. The author of any other Secret knows its key, and may have the key of its authority. */
async function read(
  deployment: string,
  secret: KubeObject,
  { kube, signal }: Reading,
): Promise<ServingPair | undefined> {
  try {
    const live = await kube.get(refOf(secret), { signal });
    return needsCertificate(live) && belongsTo(live.metadata, deployment) ? servingIn(live) : undefined;
  } catch (thrown) {
    // An account that may not read it may not write it either: that is reported with all missing permissions, before anything is written.
    if (isNotFound(thrown) || isForbidden(thrown)) return undefined;
    throw thrown;
  }
}
