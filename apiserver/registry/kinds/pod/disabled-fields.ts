import { type JsonObject, objectAt, objectsAt, textAt } from '../../../../src/base/index.ts';
import { containersWithPaths } from './windows.ts';

function dropStopSignal(container: JsonObject): void {
  const lifecycle = objectAt(container, 'lifecycle');
  if (lifecycle === undefined || !Object.hasOwn(lifecycle, 'stopSignal')) return;
  delete lifecycle['stopSignal'];
  if (Object.keys(lifecycle).length === 0) delete container['lifecycle'];
}

/** Volumes of images go, and with them what mounts them. */
function dropImageVolumes(spec: JsonObject): void {
  const volumes = objectsAt(spec, 'volumes');
  const images = new Set(volumes.filter((volume) => objectAt(volume, 'image') !== undefined).map(nameOf));
  if (images.size === 0) return;
  keepItems(spec, 'volumes', (volume) => !images.has(nameOf(volume)));
  for (const [container] of containersWithPaths(spec, '')) {
    keepItems(container, 'volumeMounts', (mount) => !images.has(nameOf(mount)));
  }
}

function nameOf(object: JsonObject): string {
  return textAt(object, 'name');
}

function keepItems(parent: JsonObject, key: string, isKept: (item: JsonObject) => boolean): void {
  const items = objectsAt(parent, key).filter(isKept);
  if (items.length === 0) delete parent[key];
  else parent[key] = items;
}

/** Fields that kube-apiserver knows but, unless a feature is switched on, takes away before it stores. Changes `spec`. */
export function dropDisabledFields(spec: JsonObject): void {
  delete spec['resourceClaims'];
  delete spec['resources'];
  for (const [container] of containersWithPaths(spec, '')) {
    delete objectAt(container, 'resources')?.['claims'];
    dropStopSignal(container);
  }
  dropImageVolumes(spec);
  for (const volume of objectsAt(spec, 'volumes')) {
    for (const source of objectsAt(objectAt(volume, 'projected'), 'sources')) delete source['clusterTrustBundle'];
  }
}
