import { setTimeout as pause } from 'node:timers/promises';
import { installBatches } from '../../src/apply/index.ts';
import { errorMessage, isJsonEqual, type JsonObject, TerminalError } from '../../src/base/index.ts';
import { describeRef, isNotFound, type KubeClient, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';
import { untilEstablished } from '../client/index.ts';
import { withContainers } from './containers.ts';
import { assertInstallable, isOfBroughtKind, leadsOutside, readLive } from './preconditions.ts';

const settleMs = 30_000;
const pollMs = 200;

/** What became of an object. */
export type Outcome =
  | 'created'
  | 'configured'
  | 'unchanged'
  | 'left: it leads to a webhook outside the cluster'
  | 'deleted: the overlay does not have it'
  | `deleted: it is named ${string}`
  | 'deleted: there are fewer shards';

export interface ApplyManifestsOptions {
  readonly kube: KubeClient;
  /** The server checks everything and writes nothing. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onApplied: (object: KubeObject, outcome: Outcome) => void;
}

/** The object without what changes with every write. */
function essence({ metadata, ...rest }: KubeObject): JsonObject {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...retained } = metadata;
  return { ...rest, metadata: retained } as unknown as JsonObject;
}

/** A namespace or a kind that is not there yet is nothing that a dry run could look into. */
function isToComeLater(object: KubeObject, objects: readonly KubeObject[], thrown: unknown): boolean {
  if (thrown instanceof NoKindMatch) return isOfBroughtKind(object, objects);
  const brings = ({ kind, metadata }: KubeObject): boolean =>
    kind === 'Namespace' && metadata.name === object.metadata.namespace;
  return isNotFound(thrown) && objects.some(brings);
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
  const isToCome = (thrown: unknown): boolean => live === undefined && isToComeLater(object, objects, thrown);
  const applied = await applyPatiently(object, isToCome, options);
  if (live === undefined) return 'created';
  return isJsonEqual(essence(live), essence(applied)) ? 'unchanged' : 'configured';
}

/** Applies the objects in the order in which they need each other; fields that others have set are taken over where the manifests name them.
 *  @throws TerminalError ClusterTooOld, KindsMissing, DeploymentTaken, ArgumentsLost, NameTaken, ApplyRefused before anything is written · ApplyFailed, naming the object */
export async function applyManifests(objects: readonly KubeObject[], options: ApplyManifestsOptions): Promise<void> {
  await assertInstallable(objects, options);
  for (const batch of installBatches(objects)) {
    for (const object of batch) options.onApplied(object, await applyOne(object, objects, options));
    const crds = batch.filter(({ kind }) => kind === 'CustomResourceDefinition');
    if (!options.isDryRun) await untilEstablished(options.kube, crds);
  }
}

/** The objects with another image in the containers that run Longshore. */
export function withImage(objects: readonly KubeObject[], image: string): KubeObject[] {
  return objects.map((object) => withContainers(object, (container) => ({ ...container, image })));
}
