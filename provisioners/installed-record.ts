import { formatKindList, type KindRef, type Owner, parseKindList } from '../src/apply/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import { hasFinalizer, type KubeObject, preconditionOf, refOf } from '../src/kube/index.ts';
import { fieldManager, type ProvisionerContext } from './context.ts';

/** On a BundleDeployment: the kinds that were, or are about to be, installed for it. */
const installedKindsAnnotation = 'core.rukpak.io/installed-kinds';
/** On a BundleDeployment that has installed something: its objects are removed in order before it goes. */
export const installedObjectsFinalizer = 'core.rukpak.io/remove-installed-objects';

/** The deployment as the owner of what is installed for it. */
export function ownerOf({ metadata }: KubeObject): Owner {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

/** The kinds that may have objects of the deployment. */
export function recordedKinds({ metadata }: KubeObject): readonly KindRef[] {
  return parseKindList(metadata.annotations?.[installedKindsAnnotation] ?? '');
}

/** Writes the kinds down before the first object of them is written: whatever happens then, they are found again.
 *  Returns the deployment as it is then. */
export async function recordInstalledKinds(
  context: ProvisionerContext,
  object: KubeObject,
  work: { readonly kinds: readonly KindRef[]; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const text = formatKindList(work.kinds);
  const { metadata } = object;
  if (metadata.annotations?.[installedKindsAnnotation] === text && hasFinalizer(object, installedObjectsFinalizer))
    return object;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), installedObjectsFinalizer])];
  const annotations = { [installedKindsAnnotation]: text };
  const patch = { metadata: { finalizers, annotations, ...preconditionOf(object) } };
  const written = await context.kube.patch(refOf(object), patch as JsonObject, { fieldManager, signal: work.signal });
  context.deployments.wrote(written);
  return written;
}
