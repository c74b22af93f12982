import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session } from '../sessions.ts';
import { type Input, imageReference } from './input.ts';

/** The image of a ClusterCatalog: the one that is served, or else the one that is requested; empty where there is none. */
export function clusterCatalogImage(catalog: JsonObject): string {
  const status = objectAt(catalog, 'status', 'resolvedSource', 'image');
  const spec = objectAt(catalog, 'spec', 'source', 'image');
  const image = textAt(status, 'ref') || textAt(spec, 'ref');
  return imageReference.test(image) ? image : '';
}

/** Where the content of a catalog of the cluster is, which the viewer may read: its image, or else the address of its registry.
 *  @throws ConsoleProblem for a catalog without either */
export async function catalogReference({ kube }: Session, input: Input): Promise<string> {
  const name = input.name('catalog');
  if (!input.has('catalogNamespace')) {
    const catalog = await kube.get({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name });
    return found(name, clusterCatalogImage(catalog as unknown as JsonObject));
  }
  const namespace = input.name('catalogNamespace');
  const apiVersion = 'operators.coreos.com/v1alpha1';
  const source = await kube.get({ apiVersion, kind: 'CatalogSource', namespace, name });
  const spec = objectAt(source as unknown as JsonObject, 'spec');
  const address =
    textAt(spec, 'address') ||
    textAt(objectAt(source as unknown as JsonObject, 'status', 'connectionState'), 'address');
  return found(name, textAt(spec, 'image') || (address === '' ? '' : `grpc://${address}`));
}

/** A path would be one of the machine that serves the console. */
const registryAddress = /^grpc:\/\/[a-z0-9][\w.-]*:\d{1,5}$/i;

function found(name: string, reference: string): string {
  if (imageReference.test(reference) || registryAddress.test(reference)) return reference;
  throw new ConsoleProblem(409, 'CatalogUnreadable', {
    message: `catalog ${name} has neither an image nor the address of a registry yet`,
    advice: 'wait until the catalog is ready; longshore operator catalog list shows its state',
  });
}
