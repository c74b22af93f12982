import { bundlePropertiesAnnotation, parseBundleDeployment } from '../../api/index.ts';
import { isJsonObject, parseJson, TerminalError } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';
import type { KindCache, KubeObject } from '../../kube/index.ts';

/** The Bundle that a BundleDeployment has installed. Users who may create Bundles may make one of the same name and owner: it is the one that was recorded,
 *  or none. */
export function recordedBundle(bundles: Pick<KindCache, 'get'>, deployment: KubeObject): KubeObject | undefined {
  const { activeBundle = '', record } = parseBundleDeployment(deployment).status ?? {};
  const bundle = activeBundle === '' ? undefined : bundles.get(activeBundle);
  if (bundle === undefined || record?.uid !== deployment.metadata.uid) return undefined;
  return record?.bundles.some(({ uid }) => uid === bundle.metadata.uid) === true ? bundle : undefined;
}

function readNoted({ metadata }: KubeObject): readonly Property[] {
  const text = metadata.annotations?.[bundlePropertiesAnnotation];
  if (text === undefined) return [];
  try {
    const list = parseJson(bundlePropertiesAnnotation, text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((item): Property[] => {
      const { type, value = null } = isJsonObject(item) ? item : {};
      return typeof type === 'string' ? [{ type, value }] : [];
    });
  } catch (thrown) {
    if (thrown instanceof TerminalError) return [];
    throw thrown;
  }
}

/** Reads the properties that are noted on the Bundle that a BundleDeployment has installed, of each object once. */
export function notedReader(bundles: Pick<KindCache, 'get'>): (deployment: KubeObject) => readonly Property[] {
  const known = new WeakMap<KubeObject, readonly Property[]>();
  return (deployment) => {
    const bundle = recordedBundle(bundles, deployment);
    if (bundle === undefined) return [];
    const properties = known.get(bundle) ?? readNoted(bundle);
    known.set(bundle, properties);
    return properties;
  };
}
