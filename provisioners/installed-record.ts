import { adoptAnnotation, deleteCrdsAnnotation, readDeploymentConfig } from '../src/api/index.ts';
import {
  emptyInventory,
  type InstallationProgress,
  type Inventory,
  inventoryMetadata,
  type Owner,
  type UninstallRequest,
} from '../src/apply/index.ts';
import { isJsonObject, type JsonObject } from '../src/base/index.ts';
import { hasFinalizer, type KubeObject, preconditionOf, refOf } from '../src/kube/index.ts';
import { type ProvisionerContext } from './context.ts';
import { inventoryOf, readRecord } from './deployment-record.ts';
import { fieldManager } from './field-manager.ts';

/** On a BundleDeployment that has installed something: its objects are removed in order before it goes. */
export const installedObjectsFinalizer = 'core.rukpak.io/remove-installed-objects';

/** The deployment as the owner of what is installed for it. */
export function ownerOf({ metadata }: KubeObject): Owner {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

/** The same, with whom the deployment wants its objects read and written by.
 *  @throws TerminalError InvalidConfig */
export function actingOwnerOf(object: KubeObject): Owner {
  return { ...ownerOf(object), account: readDeploymentConfig(configOf(object)).serviceAccount };
}

/** Whether the deployment's annotation `key` is `true`. */
export function isAsked({ metadata }: KubeObject, key: string): boolean {
  return metadata.annotations?.[key] === 'true';
}

/** `spec.config` of the deployment; empty when it has none. */
export function configOf(object: KubeObject): JsonObject {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  return isJsonObject(spec['config']) ? spec['config'] : {};
}

/** The deployment with the namespace that its objects without one were installed in, if it names none: another system namespace must not move them, which
 *  would delete their volumes. */
export function withRecordedNamespace(object: KubeObject, systemNamespace: string): KubeObject {
  const { defaultNamespace = systemNamespace } = readRecord(object) ?? {};
  const config = configOf(object);
  if (defaultNamespace === systemNamespace || config['installNamespace'] !== undefined) return object;
  const spec = { ...(object['spec'] as JsonObject), config: { ...config, installNamespace: defaultNamespace } };
  return { ...object, spec };
}

/** What the deployment wants of the objects of `bundle`: another configuration makes another revision. */
export function revisionOf(object: KubeObject, bundle: KubeObject): string {
  const config = configOf(object);
  const { uid = '' } = bundle.metadata;
  return Object.keys(config).length === 0 ? uid : `${uid} with ${JSON.stringify(config)}`;
}

/** Whether `revision` is one of the objects of `bundle`, with whichever configuration. */
export function isRevisionOf(revision: string, { metadata }: KubeObject): boolean {
  return metadata.uid !== undefined && revision.startsWith(metadata.uid);
}

/** How the deployment wants to have its objects installed, for a request to the engine.
 *  @throws TerminalError InvalidConfig */
export function installOptionsOf(object: KubeObject): {
  readonly recorded: Inventory;
  readonly progress: InstallationProgress;
  readonly installNamespace: string | undefined;
  readonly mayAdopt: boolean;
  readonly mayDeleteCrds: boolean;
} {
  const { installNamespace } = readDeploymentConfig(configOf(object));
  const record = readRecord(object);
  return {
    recorded: record?.inventory ?? emptyInventory,
    progress: record?.installation ?? 'Done',
    installNamespace,
    mayAdopt: isAsked(object, adoptAnnotation),
    mayDeleteCrds: isAsked(object, deleteCrdsAnnotation),
  };
}

/** What becomes of namespaces that were made for the deployment, for a request to the engine. */
export function namespaceTerms(
  { deployments, events }: ProvisionerContext,
  object: KubeObject,
): Pick<UninstallRequest, 'othersIn' | 'onNamespaceRetained'> {
  return {
    othersIn: (namespace) =>
      deployments.values().find((other) => {
        if (other.metadata.name === object.metadata.name) return false;
        const { namespaces = [] } = inventoryOf(other) ?? {};
        return namespaces.includes(namespace);
      })?.metadata.name,
    onNamespaceRetained: (message) => events.record(object, { type: 'Warning', reason: 'NamespaceKept', message }),
  };
}

/** Whether the deployment has the finalizer and the metadata of an ApplySet that show where its objects are. */
function isMarked(object: KubeObject, inventory: Inventory, tool: string): boolean {
  const { metadata } = object;
  const { labels, annotations } = inventoryMetadata(metadata.name ?? '', inventory, tool);
  return (
    hasFinalizer(object, installedObjectsFinalizer) &&
    Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value) &&
    Object.entries(annotations).every(([key, value]) => (metadata.annotations?.[key] ?? null) === value)
  );
}

/** Shows in the metadata where objects are: the deployment becomes the parent of an ApplySet, and has the finalizer that keeps it until its
 *  objects are removed. For tools to read: nothing here rests on it. Returns the deployment as it is then. */
export async function markInstalled(
  context: ProvisionerContext,
  object: KubeObject,
  work: { readonly inventory: Inventory; readonly signal: AbortSignal },
): Promise<KubeObject> {
  if (isMarked(object, work.inventory, context.tool)) return object;
  const { metadata } = object;
  const { labels, annotations } = inventoryMetadata(metadata.name ?? '', work.inventory, context.tool);
  const finalizers = [...new Set([...(metadata.finalizers ?? []), installedObjectsFinalizer])];
  const patch = { metadata: { finalizers, labels, annotations, ...preconditionOf(object) } };
  const written = await context.kube.patch(refOf(object), patch as JsonObject, { fieldManager, signal: work.signal });
  context.deployments.wrote(written);
  return written;
}
