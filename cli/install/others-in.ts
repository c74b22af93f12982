import { ownSecretNames } from '../../src/api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import {
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type OwnerReference,
} from '../../src/kube/index.ts';
import { listIfServed } from './deletion.ts';
import { isLabeledOurs } from './installed.ts';

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What a cluster puts into every namespace. */
const clusterOwn =
  /^(kube-root-ca\.crt|openshift-service-ca\.crt|default-token-.+|(default|builder|deployer)-dockercfg-.+)$/;
/** Of built-in kinds those that users would miss. */
const missedKinds: readonly Kind[] = [
  ...['Secret', 'ConfigMap', 'Service', 'PersistentVolumeClaim'].map((kind) => ({ apiVersion: 'v1', kind })),
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  ...['Job', 'CronJob'].map((kind) => ({ apiVersion: 'batch/v1', kind })),
];

/** Kinds of objects in namespaces that others have defined; what bundles have brought was written by us too, so that the label alone counts. */
async function customKinds(kube: KubeClient): Promise<readonly Kind[]> {
  const definitions = await kube.list({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
  return definitions.items
    .filter((definition) => !isLabeledOurs(definition))
    .flatMap((definition) => {
      const spec = objectAt(definition as unknown as JsonObject, 'spec');
      if (textAt(spec, 'scope') !== 'Namespaced') return [];
      const versions = (spec?.['versions'] ?? []) as readonly JsonObject[];
      const served = versions.find((version) => version['served'] === true);
      const apiVersion = `${textAt(spec, 'group')}/${textAt(served, 'name')}`;
      return served === undefined ? [] : [{ apiVersion, kind: textAt(objectAt(spec, 'names'), 'kind') }];
    });
}

/** Whether it is an object of the whole cluster that is not being deleted. Owners in the namespace are listed themselves. */
async function isClusterOwner(kube: KubeClient, { apiVersion, kind, name, uid }: OwnerReference): Promise<boolean> {
  try {
    if ((await kube.resolve(apiVersion, kind)).isNamespaced) return false;
    const { metadata } = await kube.get({ apiVersion, kind, name });
    return metadata.uid === uid && metadata.deletionTimestamp === undefined;
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

async function isOfOthers(kube: KubeClient, object: KubeObject): Promise<boolean> {
  const { name = '', ownerReferences } = object.metadata;
  if (isLabeledOurs(object) || ownSecretNames.includes(name) || clusterOwn.test(name)) return false;
  if (ownerReferences === undefined) return true;
  for (const owner of ownerReferences) if (await isClusterOwner(kube, owner)) return true;
  return false;
}

async function othersOf(target: Kind, kube: KubeClient, namespace: string): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for (const object of await listIfServed(kube, { ...target, namespace })) {
      if (await isOfOthers(kube, object)) found.push(`${target.kind} ${object.metadata.name ?? ''}`);
    }
    return found;
  } catch (thrown) {
    // As when the webhook that converts them does not answer: they must not be deleted unseen.
    if (!isKubeError(thrown)) throw thrown;
    return [`objects of the kind ${target.kind}, which cannot be listed`];
  }
}

/** Objects of other owners in the namespace: those of built-in kinds that users would miss, and custom resources. */
export async function othersIn(kube: KubeClient, namespace: string): Promise<string[]> {
  const found: string[] = [];
  for (const target of [...missedKinds, ...(await customKinds(kube))]) {
    found.push(...(await othersOf(target, kube, namespace)));
  }
  return found;
}
