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

const definitionKinds: ReadonlySet<string> = new Set([
  'CustomResourceDefinition.apiextensions.k8s.io',
  'APIService.apiregistration.k8s.io',
]);

/** Whether definitions of APIs are among what a BundleDeployment has installed. */
export function hasDefinitions(deployment: KubeObject): boolean {
  const { record } = parseBundleDeployment(deployment).status ?? {};
  return record?.groupKinds.some((text) => definitionKinds.has(text)) === true;
}

/** What is kept of the properties of all bundles, which their authors choose: those of hundreds of operators. */
const maxCharacters = 4 * 1024 * 1024;

/** The properties that are noted on the Bundles that BundleDeployments have installed, as they are written: reading them may take long, and is left to the
 *  thread that needs them. Beyond a limit the longest do not count. */
export function notedTexts(
  bundles: Pick<KindCache, 'get'>,
  deployments: readonly KubeObject[],
): ReadonlyMap<KubeObject, string> {
  const found = deployments.flatMap((deployment) => {
    const text = recordedBundle(bundles, deployment)?.metadata.annotations?.[bundlePropertiesAnnotation];
    return text === undefined ? [] : [{ deployment, text }];
  });
  const kept = new Map<KubeObject, string>();
  let left = maxCharacters;
  for (const { deployment, text } of found.toSorted((a, b) => a.text.length - b.text.length)) {
    left -= text.length;
    if (left < 0) break;
    kept.set(deployment, text);
  }
  return kept;
}

/** Reads noted properties; what is none is left out. */
export function readNoted(text: string): readonly Property[] {
  if (text === '') return [];
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
