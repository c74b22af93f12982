import { isJsonObject, TransientError, textAt } from '../base/index.ts';
import {
  isConditionTrue,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
} from '../kube/index.ts';
import { formatGroupKind, type GroupKind } from './inventory.ts';

const definitions = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

interface Reading {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

/** Discovery may be remembered from before: whether objects are shown is seen where they are listed. */
async function isListed({ kube, signal }: Reading, { group, kind }: GroupKind): Promise<boolean> {
  try {
    const { apiVersion } = await kube.resolveInGroup(group, kind, { signal });
    const pages = kube.listPages({ apiVersion, kind, isMetadataOnly: true }, { pageSize: 1, signal });
    for await (const _ of pages) break;
    return true;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch || isNotFound(thrown)) return false;
    throw thrown;
  }
}

function defines(crd: KubeObject, kind: string): boolean {
  const { names } = isJsonObject(crd['spec']) ? crd['spec'] : {};
  return isJsonObject(names) && textAt(names, 'kind') === kind && isConditionTrue(crd, 'Established');
}

/** The established definition of a kind; undefined where there is none, or where it must not be read. */
async function definitionOf({ kube, signal }: Reading, { group, kind }: GroupKind): Promise<KubeObject | undefined> {
  try {
    const { items } = await kube.list({ ...definitions, isMetadataOnly: true }, { signal });
    for (const { metadata } of items.filter((item) => item.metadata.name?.endsWith(`.${group}`) === true)) {
      const crd = await kube.get({ ...definitions, name: metadata.name ?? '' }, { signal });
      if (defines(crd, kind)) return crd;
    }
    return undefined;
  } catch (thrown) {
    if (isForbidden(thrown) || isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** Objects that the API server does not show for now cannot be released: shown again, they would be deleted, as their owner does not exist then.
 *  @throws TransientError KindHidden */
export async function assertShown(reading: Reading, kinds: readonly GroupKind[]): Promise<void> {
  for (const kind of kinds) {
    // Only custom resources are stored while they are not shown.
    if (!kind.group.includes('.') || (await isListed(reading, kind))) continue;
    const crd = await definitionOf(reading, kind);
    if (crd === undefined) continue;
    const name = crd.metadata.name ?? '';
    const advice = 'Remove that APIService, serve a version of the definition, or delete the definition';
    const text = `objects of ${formatGroupKind(kind)} cannot be released: the API server does not show them, though CustomResourceDefinition "${name}" exists, as where an APIService has taken their place. ${advice}`;
    throw new TransientError('KindHidden', text);
  }
}
