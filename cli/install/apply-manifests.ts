import { setTimeout as pause } from 'node:timers/promises';
import { installBatches } from '../../src/apply/index.ts';
import { errorMessage, isJsonEqual, isJsonObject, type JsonObject, TerminalError } from '../../src/base/index.ts';
import { describeRef, isNotFound, type KubeClient, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';
import { untilEstablished } from '../crds.ts';

const settleMs = 30_000;
const pollMs = 200;

/** What became of an object. */
export type Outcome = 'created' | 'configured' | 'unchanged' | 'left: it leads to a webhook outside the cluster';

export interface ApplyManifestsOptions {
  readonly kube: KubeClient;
  /** The server checks everything and writes nothing. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onApplied: (object: KubeObject, outcome: Outcome) => void;
}

/** The object without what changes with every write. */
function essence({ metadata, ...rest }: KubeObject): JsonObject {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept } as unknown as JsonObject;
}

async function readLive(kube: KubeClient, object: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await kube.get(refOf(object), { signal });
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

/** Whatever the manifests speak of must be there to be spoken of, but for what they bring themselves.
 *  @throws TerminalError KindsMissing */
async function assertKinds(objects: readonly KubeObject[], { kube, signal }: ApplyManifestsOptions): Promise<void> {
  const missing = new Set<string>();
  for (const { apiVersion, kind } of objects) {
    try {
      await kube.resolve(apiVersion, kind, { signal });
    } catch (thrown) {
      if (!(thrown instanceof NoKindMatch)) throw thrown;
      missing.add(`${kind} (${apiVersion})`);
    }
  }
  if (missing.size === 0) return;
  const isCertManager = [...missing].some((text) => text.includes('cert-manager.io/'));
  const advice = isCertManager
    ? 'install cert-manager first, or take the overlay self-signed'
    : 'is the cluster too old?';
  const text = `the cluster does not serve ${[...missing].join(', ')}: ${advice}; nothing was changed`;
  throw new TerminalError('KindsMissing', text);
}

interface PodTemplate {
  readonly template?: { readonly spec?: { readonly containers?: readonly { readonly name?: string }[] } };
}

function containerNames(deployment: KubeObject): readonly string[] {
  const { template } = (deployment['spec'] ?? {}) as PodTemplate;
  return (template?.spec?.containers ?? []).map(({ name = '' }) => name);
}

/** RukPak's own Deployments have our names: its containers would stay beside ours.
 *  @throws TerminalError DeploymentTaken */
async function assertOurs(objects: readonly KubeObject[], { kube, signal }: ApplyManifestsOptions): Promise<void> {
  for (const object of objects.filter(({ kind }) => kind === 'Deployment')) {
    const live = await readLive(kube, object, signal);
    if (live === undefined) continue;
    const ours = containerNames(object);
    const foreign = containerNames(live).filter((name) => !ours.includes(name));
    if (foreign.length === 0) continue;
    const { name = '', namespace = '' } = object.metadata;
    const text = `${describeRef(refOf(object))} has containers that are not Longshore's (${foreign.join(', ')}): if it is RukPak's, remove it with "kubectl delete deployment ${name} -n ${namespace}", which leaves everything installed as it is (docs/migrate-from-rukpak.md); nothing was changed`;
    throw new TerminalError('DeploymentTaken', text);
  }
}

/** A namespace that is not there yet is nothing that a dry run could look into. */
function isForNamespaceToCome(object: KubeObject, objects: readonly KubeObject[], thrown: unknown): boolean {
  const brings = ({ kind, metadata }: KubeObject): boolean =>
    kind === 'Namespace' && metadata.name === object.metadata.namespace;
  return isNotFound(thrown) && objects.some(brings);
}

/** Whether a process beside the cluster has registered itself (`longshore up --cluster`, `longshore webhook --external-address`). */
function leadsOutside({ kind, webhooks }: KubeObject): boolean {
  if (!kind.endsWith('WebhookConfiguration') || !Array.isArray(webhooks)) return false;
  return webhooks.filter(isJsonObject).some(({ clientConfig }) => isJsonObject(clientConfig) && 'url' in clientConfig);
}

/** An object in a namespace that has only just been made may have to wait for it. */
async function applyPatiently(
  object: KubeObject,
  isToCome: (thrown: unknown) => boolean,
  { kube, isDryRun, signal }: ApplyManifestsOptions,
): Promise<KubeObject> {
  const untilMs = performance.now() + settleMs;
  for (;;) {
    try {
      return (await kube.apply(object, { fieldManager: 'longshore', force: true, isDryRun, signal })).object;
    } catch (thrown) {
      const isComing = isToCome(thrown);
      if (isComing && isDryRun) return object;
      if (!isComing || performance.now() > untilMs) {
        const text = `${describeRef(refOf(object))}: ${errorMessage(thrown)}`;
        throw new TerminalError('ApplyFailed', text, { cause: thrown });
      }
      await pause(pollMs, undefined, { signal });
    }
  }
}

async function applyOne(
  object: KubeObject,
  objects: readonly KubeObject[],
  options: ApplyManifestsOptions,
): Promise<Outcome> {
  const live = await readLive(options.kube, object, options.signal);
  if (live !== undefined && leadsOutside(live)) return 'left: it leads to a webhook outside the cluster';
  const isToCome = (thrown: unknown): boolean => live === undefined && isForNamespaceToCome(object, objects, thrown);
  const applied = await applyPatiently(object, isToCome, options);
  if (live === undefined) return 'created';
  return isJsonEqual(essence(live), essence(applied)) ? 'unchanged' : 'configured';
}

/** Applies the objects in the order in which they need each other; fields that others have set are taken over where the manifests name them.
 *  @throws TerminalError KindsMissing, DeploymentTaken before anything is written · ApplyFailed, naming the object */
export async function applyManifests(objects: readonly KubeObject[], options: ApplyManifestsOptions): Promise<void> {
  await assertKinds(objects, options);
  await assertOurs(objects, options);
  for (const batch of installBatches(objects)) {
    for (const object of batch) options.onApplied(object, await applyOne(object, objects, options));
    const crds = batch.filter(({ kind }) => kind === 'CustomResourceDefinition');
    if (!options.isDryRun) await untilEstablished(options.kube, crds);
  }
}

/** The objects with another image in the containers that run Longshore. */
export function withImage(objects: readonly KubeObject[], image: string): KubeObject[] {
  return objects.map((object) => {
    const spec = object['spec'];
    if (object.kind !== 'Deployment' || !isJsonObject(spec)) return object;
    const { template } = spec as unknown as { template: { spec: { containers: readonly JsonObject[] } } };
    const containers = template.spec.containers.map((container) => ({ ...container, image }));
    return { ...object, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
  }) as KubeObject[];
}
