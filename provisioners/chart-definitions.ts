import { adoptAnnotation } from '../src/api/index.ts';
import { belongsTo, clientFor } from '../src/apply/index.ts';
import { mapLimit } from '../src/base/index.ts';
import { isForbidden, isNotFound, type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';
import { actingOwnerOf, isAsked } from './installed-record.ts';

const atATime = 8;

/** What a chart was rendered to. */
interface ChartObjects {
  readonly objects: readonly KubeObject[];
  /** Names of the CustomResourceDefinitions of `crds/`. */
  readonly definitions?: readonly string[] | undefined;
}

interface Reading {
  readonly kube: KubeClient;
  readonly deployment: KubeObject;
  readonly signal: AbortSignal;
}

async function isOfAnother(definition: KubeObject, { kube, deployment, signal }: Reading): Promise<boolean> {
  try {
    const live = await clientFor(kube, actingOwnerOf(deployment)).get(refOf(definition), { signal });
    return !belongsTo(live.metadata, deployment.metadata.name ?? '');
  } catch (thrown) {
    // The engine reports permissions that are missing.
    if (isNotFound(thrown) || isForbidden(thrown)) return false;
    throw thrown;
  }
}

/** The objects to install: as with Helm, definitions of `crds/` that exist stay as they are, unless they are of the deployment or it is asked to adopt. */
export async function withoutDefinitionsOfOthers(
  { objects, definitions = [] }: ChartObjects,
  reading: Reading,
): Promise<readonly KubeObject[]> {
  if (definitions.length === 0 || isAsked(reading.deployment, adoptAnnotation)) return objects;
  const names = new Set(definitions);
  const left = await mapLimit(objects, atATime, async (object) => {
    const isShipped = object.kind === 'CustomResourceDefinition' && names.has(object.metadata.name ?? '');
    return isShipped && (await isOfAnother(object, reading));
  });
  return objects.filter((_, index) => left[index] !== true);
}
