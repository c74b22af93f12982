import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';

function podImages(deployment: JsonObject): readonly string[] {
  const pod = objectAt(deployment, 'spec', 'template', 'spec');
  return ['containers', 'initContainers'].flatMap((key) => objectsAt(pod, key).map((one) => textAt(one, 'image')));
}

/** Images that a bundle needs, itself among them, sorted: those that its ClusterServiceVersion names first, others without a name.
 *  @see docs/spec/catalogs.md#derived-related-images */
export function relatedImagesOf(csv: JsonObject, image: string | undefined): readonly JsonObject[] {
  const named = objectsAt(objectAt(csv, 'spec'), 'relatedImages').map((one) => ({
    image: textAt(one, 'image'),
    name: textAt(one, 'name'),
  }));
  const deployments = objectsAt(objectAt(csv, 'spec', 'install', 'spec'), 'deployments');
  const known = new Set(named.map((one) => one.image));
  const others = new Set([image ?? '', ...deployments.flatMap(podImages)]);
  const unnamed = [...others].filter((one) => one !== '' && !known.has(one)).map((one) => ({ image: one, name: '' }));
  return [...named, ...unnamed].sort((a, b) => (a.image === b.image ? 0 : a.image < b.image ? -1 : 1));
}
