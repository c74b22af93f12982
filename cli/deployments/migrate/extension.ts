import { setTimeout as pause } from 'node:timers/promises';
import {
  bundleDeploymentResource,
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleVersionAnnotation,
  catalogNameLabel,
  clusterExtensionResource,
  extensionChoiceAnnotation,
  packageNameAnnotation,
  parseBundleDeployment,
  platformChoiceAnnotation,
  platformOperatorResource,
  platformPackageLabel,
} from '../../../src/api/index.ts';
import { type JsonObject, listOfTexts, objectAt, parseJson, TerminalError, textAt } from '../../../src/base/index.ts';
import { conditionsOf, type KubeClient, type KubeObject, preconditionOf, refOf } from '../../../src/kube/index.ts';
import type { Waiting } from '../run/wait.ts';
import { migrationOf } from './record.ts';

const pollMs = 300;
const writer = { fieldManager: 'rukpakctl' };

/** A ClusterExtension that continues what a BundleDeployment has installed. */
export interface ExtensionTarget {
  readonly deployment: KubeObject;
  readonly extension: KubeObject;
  /** The installed bundle, as a catalog names it. */
  readonly bundle: { readonly name: string; readonly version: string; readonly image: string };
}

function packageOf(deployment: KubeObject): string | undefined {
  const label = deployment.metadata.labels?.[platformPackageLabel];
  return label ?? migrationOf(deployment)?.package;
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

function refuse(deployment: KubeObject, why: string): never {
  const text = `BundleDeployment "${deployment.metadata.name}" cannot become a ClusterExtension: ${why}; nothing was changed`;
  throw new TerminalError('NotMigrated', text);
}

function bundleNameOf(deployment: KubeObject, packageName: string, version: string): string {
  const choice = deployment.metadata.annotations?.[platformChoiceAnnotation];
  const chosen =
    choice === undefined ? '' : textAt(parseJson(platformChoiceAnnotation, choice) as JsonObject, 'bundle');
  const name = chosen === '' ? migrationOf(deployment)?.clusterServiceVersion : chosen;
  return name ?? `${packageName}.v${version}`;
}

function namespaceOf(deployment: KubeObject, config: JsonObject): string {
  const named = textAt(config, 'installNamespace');
  if (named !== '') return named;
  const record = objectAt(deployment['status'] as JsonObject, 'record') ?? {};
  const [only, ...others] = listOfTexts(record, 'namespaces');
  if (only !== undefined && others.length === 0) return only;
  return refuse(deployment, 'its objects are in several namespaces, and spec.config.installNamespace names none');
}

/** The bundle that the deployment has installed from an image. */
function installedOf(deployment: KubeObject): { readonly image: string; readonly version: string } {
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
  return { deployment, extension, bundle: { name: bundleNameOf(deployment, packageName, version), version, image } };
}

async function until(
  { kube, timeoutMs, progress }: Waiting,
  object: KubeObject,
  missingOf: (live: KubeObject) => string | undefined,
): Promise<KubeObject> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const live = await kube.get(refOf(object));
    const missing = missingOf(live);
    if (missing === undefined) return { ...live, apiVersion: object.apiVersion, kind: object.kind };
    const what = `${object.kind} "${object.metadata.name}"`;
    if (performance.now() > untilMs)
      throw new TerminalError('NotInstalled', `${what}: ${missing}; run the command again to wait further`);
    progress.show(`${what}: ${missing}`);
    await pause(pollMs);
  }
}

/** PlatformOperators let go of it; the BundleDeployment stays. */
async function releaseFromPlatform(waiting: Waiting, deployment: KubeObject): Promise<KubeObject> {
  const isPlatform = ({ kind }: { readonly kind: string }): boolean => kind === platformOperatorResource.kind;
  for (const { name } of (deployment.metadata.ownerReferences ?? []).filter(isPlatform)) {
    await waiting.kube.delete({ ...platformOperatorResource, name }, { propagationPolicy: 'Orphan' });
  }
  return await until(waiting, deployment, ({ metadata }) =>
    (metadata.ownerReferences ?? []).some(isPlatform) ? 'waiting until no PlatformOperator owns it' : undefined,
  );
}

function handedOver(live: KubeObject, { metadata }: KubeObject, target: ExtensionTarget): JsonObject {
  const { apiVersion, kind } = clusterExtensionResource;
  const { name, version, image } = target.bundle;
  const catalog = objectAt(target.extension['spec'] as JsonObject, 'source', 'catalog') ?? {};
  const packageName = textAt(catalog, 'packageName');
  const { name: owner = '', uid = '' } = metadata;
  const choice = {
    package: packageName,
    bundle: name,
    version,
    image,
    catalog: { name: '-' },
    reason: 'it was installed before',
  };
  return {
    metadata: {
      ...preconditionOf(live),
      labels: { [platformPackageLabel]: null },
      annotations: {
        [platformChoiceAnnotation]: null,
        [extensionChoiceAnnotation]: JSON.stringify({ ...choice, chosenAt: '' }),
      },
      ownerReferences: [{ apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      template: {
        metadata: {
          annotations: {
            [packageNameAnnotation]: packageName,
            [bundleNameAnnotation]: name,
            [bundleVersionAnnotation]: version,
            [bundleReferenceAnnotation]: image,
          },
        },
      },
    },
  };
}

/** Hands a BundleDeployment over to a ClusterExtension, and waits until that reports it as installed.
 *  @throws TerminalError NotInstalled */
export async function handOver(waiting: Waiting, target: ExtensionTarget): Promise<void> {
  const { kube } = waiting;
  const free = await releaseFromPlatform(waiting, target.deployment);
  const extension = await kube.apply(target.extension, { ...writer, force: false });
  await kube.patch(refOf(free), handedOver(free, extension.object, target), writer);
  await until(waiting, target.extension, (live) => {
    const progressing = conditionsOf(live).find(({ type }) => type === 'Progressing');
    const isDone = progressing?.reason === 'Succeeded' && progressing.observedGeneration === live.metadata.generation;
    return isDone ? undefined : (progressing?.message ?? 'waiting for its conditions');
  });
}

/** Deletes a ClusterExtension, and leaves its BundleDeployment in place. */
export async function releaseExtension(kube: KubeClient, extension: KubeObject): Promise<void> {
  await kube.delete(refOf(extension), { propagationPolicy: 'Orphan' });
}
