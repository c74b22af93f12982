import { bundlePropertiesAnnotation, type DependencyPolicy, hasDependenciesLabel } from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import type { Property } from '../src/constraints/index.ts';
import { dependenciesOf, whyUnknown } from '../src/dependencies/index.ts';
import { type KubeObject, refOf } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import type { UnpackedContent } from './unpacker/index.ts';

/** Not the one that writes what a template gives: what is noted of the content is nothing that a template could take off again. */
export const contentFieldManager = 'longshore-content';

type Texts = Readonly<Record<string, string>>;

function changes(texts: Texts | undefined, key: string, desired: string | undefined): JsonObject | undefined {
  return texts?.[key] === desired ? undefined : { [key]: desired ?? null };
}

/** Whether requirements of a bundle, known or not, may delay its installation. */
function mayWait(policy: DependencyPolicy, properties: readonly Property[], annotations: Texts | undefined): boolean {
  if (policy === 'off') return false;
  const isUnknown = policy === 'enforce' && whyUnknown(properties, annotations) !== undefined;
  return isUnknown || dependenciesOf(properties, annotations).length > 0;
}

/** Records the properties of its content on the Bundle, for the webhook and for those that depend on it; nothing while nothing on the
 *  cluster has dependencies. Returns the Bundle as it is then. */
export async function noteProperties(
  context: ProvisionerContext,
  bundle: KubeObject,
  work: { readonly content: UnpackedContent; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const { dependencies, kube, bundles } = context;
  const { properties } = work.content;
  const { annotations, labels } = bundle.metadata;
  const hasDependencies = mayWait(dependencies.policy, properties, annotations);
  const isNoted = (hasDependencies || dependencies.isUsed) && properties.length > 0;
  const noted = changes(annotations, bundlePropertiesAnnotation, isNoted ? JSON.stringify(properties) : undefined);
  const labelled = changes(labels, hasDependenciesLabel, hasDependencies ? 'true' : undefined);
  if (noted === undefined && labelled === undefined) return bundle;
  const metadata = {
    uid: bundle.metadata.uid ?? '',
    ...(noted === undefined ? {} : { annotations: noted }),
    ...(labelled === undefined ? {} : { labels: labelled }),
  };
  const written = await kube.patch(
    refOf(bundle),
    { metadata },
    { fieldManager: contentFieldManager, signal: work.signal },
  );
  bundles.wrote(written);
  return written;
}
