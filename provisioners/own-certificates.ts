import {
  type Clock,
  createReplaceableCertificate,
  errorMessage,
  isServingCertificate,
  type Logger,
  type ReplaceableCertificate,
  type ServingCertificate,
  type ServingPair,
} from '../src/base/index.ts';
import {
  findObject,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  refOf,
} from '../src/kube/index.ts';
import { isFresh, issueServing, servingData, servingIn } from './serving-secret.ts';

/** How long a removed Secret, or a clock that jumped, stays unnoticed. */
const recheckMs = 60_000;
const tryAgainMs = 5_000;
const writeTries = 5;

/** A Secret of type `kubernetes.io/tls` that a server of ours serves with. */
export interface ServingSecret {
  readonly namespace: string;
  readonly name: string;
  /** What clients call the server. */
  readonly dnsNames: readonly string[];
}

/** What is needed to issue. */
export interface IssuingContext {
  readonly kube: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the renewal. */
  readonly signal: AbortSignal;
}

async function readSecret(secret: ServingSecret, { kube, signal }: IssuingContext): Promise<KubeObject | undefined> {
  const { namespace, name } = secret;
  return await findObject(kube, { apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal });
}

/** Fails with a conflict after a concurrent write. */
async function write(live: KubeObject, pair: ServingPair, { kube, signal }: IssuingContext): Promise<void> {
  const options = { fieldManager: 'longshore', signal };
  const data = servingData(pair);
  const { resourceVersion } = live.metadata;
  if (resourceVersion === undefined) await kube.create({ ...live, data }, options);
  else await kube.patch(refOf(live), { metadata: { resourceVersion }, data }, options);
}

function emptySecret({ namespace, name }: ServingSecret): KubeObject {
  const metadata = { name, namespace, labels: { 'app.kubernetes.io/part-of': 'longshore' } };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls' };
}

/** What the Secret holds when it is good, else a new certificate, which is written there first. */
async function ensureOnce(secret: ServingSecret, context: IssuingContext): Promise<ServingPair> {
  const { clock, log } = context;
  const live = (await readSecret(secret, context)) ?? emptySecret(secret);
  const held = servingIn(live);
  const isGood = isServingCertificate(held, { ...held, dnsNames: secret.dnsNames });
  if (isGood && isFresh(held, clock.now())) return held;
  const issued = await issueServing(secret.dnsNames, isGood ? held.caBundlePem : '', clock.now());
  await write(live, issued, context);
  log.info({ secret: `${secret.namespace}/${secret.name}` }, 'certificate issued');
  return issued;
}

/** The same, taking what another process has written meanwhile. */
async function ensureServing(secret: ServingSecret, context: IssuingContext): Promise<ServingPair> {
  for (let tries = 1; ; tries++) {
    try {
      return await ensureOnce(secret, context);
    } catch (thrown) {
      const wasFaster = isConflict(thrown) || isAlreadyExists(thrown) || isNotFound(thrown);
      if (!wasFaster || tries === writeTries) throw thrown;
    }
  }
}

async function follow(secret: ServingSecret, serving: ReplaceableCertificate, context: IssuingContext): Promise<void> {
  const { clock, log, signal } = context;
  let waitMs = recheckMs;
  while (!signal.aborted) {
    await clock.sleep(waitMs, { signal });
    try {
      const next = await ensureServing(secret, context);
      waitMs = recheckMs;
      const { certificatePem, caBundlePem } = serving.current();
      if (next.certificatePem !== certificatePem || next.caBundlePem !== caBundlePem) serving.replace(next);
    } catch (thrown) {
      signal.throwIfAborted();
      waitMs = tryAgainMs;
      const name = `${secret.namespace}/${secret.name}`;
      log.error({ secret: name, message: errorMessage(thrown) }, 'the certificate can not be kept');
    }
  }
}

/** Issues a certificate into a Secret, unless a good one is there, and renews it when a third of its life is left, when it is damaged or gone, and when
 *  it begins later than now. Several processes may do that at a time: one writes, the others take what it wrote.
 *  @throws KubeRejection, KubeUnavailable while there is none to begin with */
export async function keepServingSecret(secret: ServingSecret, context: IssuingContext): Promise<ServingCertificate> {
  const serving = createReplaceableCertificate(await ensureServing(secret, context));
  follow(secret, serving, context).catch((thrown: unknown) => {
    if (!context.signal.aborted) context.log.error({ err: thrown }, 'certificates are not renewed any more');
  });
  return serving;
}
