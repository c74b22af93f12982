import {
  bundleDeploymentResource,
  catalogNameLabel,
  clusterExtensionResource,
  extensionChoiceAnnotation,
  type PlatformChoice,
  packageNameAnnotation,
  parseBundleDeployment,
  platformChoiceAnnotation,
  platformPackageLabel,
} from '../../../src/api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  listOfTexts,
  objectAt,
  parseJson,
  TerminalError,
  textAt,
} from '../../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/index.ts';
import { migrationOf } from './record.ts';

/** A ClusterExtension that continues what a BundleDeployment has installed. */
export interface ExtensionTarget {
  readonly deployment: KubeObject;
  readonly extension: KubeObject;
  readonly packageName: string;
  /** The installed bundle, as a catalog names it. */
  readonly bundle: { readonly name: string; readonly version: string; readonly image: string };
}

/** What was chosen for the BundleDeployment, by a ClusterExtension or a PlatformOperator; it may have been written by anybody. */
export function choiceOn({ metadata }: KubeObject): Partial<PlatformChoice> {
  const { annotations = {} } = metadata;
  const text = annotations[extensionChoiceAnnotation] ?? annotations[platformChoiceAnnotation];
  if (text === undefined) return {};
  try {
    const value = parseJson('the choice', text);
    return isJsonObject(value) ? (value as Partial<PlatformChoice>) : {};
  } catch (thrown) {
    if (thrown instanceof TerminalError) return {};
    throw thrown;
  }
}

function packageOf(deployment: KubeObject): string | undefined {
  const label = deployment.metadata.labels?.[platformPackageLabel];
  const template = objectAt(deployment['spec'] as JsonObject, 'template', 'metadata', 'annotations');
  const noted = textAt(template ?? {}, packageNameAnnotation);
  return label ?? migrationOf(deployment)?.package ?? (noted === '' ? undefined : noted);
}

/** The BundleDeployment that installs a package, regardless of who made it. */
export async function deploymentWith(kube: KubeClient, packageName: string): Promise<KubeObject | undefined> {
  const { items } = await kube.list(bundleDeploymentResource);
  const found =
    items.find((one) => packageOf(one) === packageName) ?? items.find(({ metadata }) => metadata.name === packageName);
  return found && { ...found, apiVersion: bundleDeploymentResource.apiVersion, kind: bundleDeploymentResource.kind };
}

/** The ClusterExtension of a package. */
export async function extensionWith(kube: KubeClient, packageName: string): Promise<KubeObject | undefined> {
  const { items } = await kube.list(clusterExtensionResource);
  const found = items.find(
    ({ spec }) => textAt(objectAt(spec as JsonObject, 'source', 'catalog') ?? {}, 'packageName') === packageName,
  );
  return found && { ...found, apiVersion: clusterExtensionResource.apiVersion, kind: clusterExtensionResource.kind };
}

export function refuse(deployment: KubeObject, why: string): never {
  const text = `BundleDeployment "${deployment.metadata.name}" cannot be migrated: ${why}; nothing was changed`;
  throw new TerminalError('NotMigrated', text);
}

function bundleNameOf(deployment: KubeObject, packageName: string, version: string): string {
  const { bundle } = choiceOn(deployment);
  const name = typeof bundle === 'string' && bundle !== '' ? bundle : migrationOf(deployment)?.clusterServiceVersion;
  return name ?? `${packageName}.v${version}`;
}

export function namespaceOf(deployment: KubeObject, config: JsonObject): string {
  const named = textAt(config, 'installNamespace');
  if (named !== '') return named;
  const record = objectAt(deployment['status'] as JsonObject, 'record') ?? {};
  const [only, ...others] = listOfTexts(record, 'namespaces');
  if (only !== undefined && others.length === 0) return only;
  return refuse(deployment, 'its objects are in several namespaces, and spec.config.installNamespace names none');
}

/** The bundle that the deployment has installed from an image. */
export function installedOf(deployment: KubeObject): { readonly image: string; readonly version: string } {
  const { spec, status } = parseBundleDeployment(deployment);
  const image = spec.template.spec.source.image?.ref;
  if (image === undefined) return refuse(deployment, 'its bundle is not an image');
  const { activeBundle, activeVersion: version = '' } = status ?? {};
  if (activeBundle === undefined || version === '') return refuse(deployment, 'it has not installed anything yet');
  return { image, version };
}

/** Namespace, account and configuration of the extension. */
function placeOf(deployment: KubeObject, config: JsonObject): JsonObject {
  const namespace = namespaceOf(deployment, config);
  const account = objectAt(config, 'serviceAccount');
  if (account !== undefined && textAt(account, 'namespace') !== namespace) {
    return refuse(deployment, `its service account is not in namespace "${namespace}"`);
  }
  const { installNamespace: _place, serviceAccount: _account, ...inline } = config;
  return {
    namespace,
    ...(account !== undefined && { serviceAccount: { name: textAt(account, 'name') } }),
    ...(Object.keys(inline).length > 0 && { config: { configType: 'Inline', inline } }),
  };
}

/** What a BundleDeployment becomes: its version is pinned, so that nothing changes by the migration.
 *  @throws TerminalError NotMigrated */
export function extensionTarget(
  deployment: KubeObject,
  packageName: string,
  catalog: string | undefined,
): ExtensionTarget {
  const { image, version } = installedOf(deployment);
  const selector = catalog === undefined ? {} : { selector: { matchLabels: { [catalogNameLabel]: catalog } } };
  const source = { sourceType: 'Catalog', catalog: { packageName, version, ...selector } };
  const config = (parseBundleDeployment(deployment).spec.config ?? {}) as JsonObject;
  const extension: KubeObject = {
    apiVersion: clusterExtensionResource.apiVersion,
    kind: clusterExtensionResource.kind,
    metadata: { name: deployment.metadata.name ?? '' },
    spec: { ...placeOf(deployment, config), source },
  };
  return {
    deployment,
    extension,
    packageName,
    bundle: { name: bundleNameOf(deployment, packageName, version), version, image },
  };
}
