import { type BundleDeploymentRecord, bundleDeploymentResource, parseBundleDeployment } from '../src/api/index.ts';
import {
  emptyInventory,
  formatGroupKind,
  type InstallationProgress,
  type Inventory,
  parseGroupKind,
  readInventory,
} from '../src/apply/index.ts';
import {
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  sha256Digest,
  sortedKeys,
  TransientError,
} from '../src/base/index.ts';
import { describeRef, type KubeObject, preconditionOf, refOf } from '../src/kube/index.ts';
import { type ProvisionerContext } from './context.ts';
import { fieldManager } from './field-manager.ts';

/** A Bundle that the provisioner has created. */
export interface RecordedBundle {
  readonly name: string;
  readonly uid: string;
  readonly specHash: string;
  /** Of what was installed from it; absent before. */
  readonly contentDigest?: string;
}

/** `status.record` of a BundleDeployment: what belongs to it. Only the provisioner may write the status, and neither `kubectl replace`
 *  nor a patch of metadata changes it; so permissions and deletions rest on it alone.
 *  @see docs/decisions/0008-identity-is-recorded.md */
export interface DeploymentRecord {
  readonly bundles: readonly RecordedBundle[];
  readonly installation: InstallationProgress;
  /** UID of the Bundle that the first installation is of; empty before and afterwards. */
  readonly installingBundle: string;
  readonly inventory: Inventory;
  /** Of objects that name no namespace, where neither the spec nor the bundle decides that. */
  readonly defaultNamespace?: string | undefined;
  /** What is in place; absent while an installation is under way, and where it would not be enough to recognize it. */
  readonly inPlace?: InPlaceRecord | undefined;
  /** Progress of the hooks of a chart; absent before the first. */
  readonly hooks?: HookRecord | undefined;
  /** Progress of the tests of a chart; absent before the first. */
  readonly tests?: TestRecord | undefined;
}

/** Digests by which a new process recognizes what is in place. */
export type InPlaceRecord = NonNullable<BundleDeploymentRecord['inPlace']>;

/** Progress of the hooks of a chart. */
export type HookRecord = NonNullable<BundleDeploymentRecord['hooks']>;

/** Progress of the tests of a chart. */
export type TestRecord = NonNullable<BundleDeploymentRecord['tests']>;

/** Without members that have no value. */
function present<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** The record of this very deployment; undefined when there is none: then it is unknown what belongs to it. */
export function readRecord(deployment: KubeObject): DeploymentRecord | undefined {
  const { metadata, status } = parseBundleDeployment(deployment);
  const { record } = status ?? {};
  if (record === undefined || record.uid !== metadata.uid) return undefined;
  const { uid: _uid, groupKinds, namespaces, adopting, installingBundle = '', ...others } = record;
  const inventory = present({ kinds: groupKinds.map(parseGroupKind), namespaces, adopting });
  return { ...others, installingBundle, inventory };
}

/** Of a deployment that nothing was ever done for, as far as anybody knows. */
export const freshRecord: DeploymentRecord = {
  bundles: [],
  installation: 'NotStarted',
  installingBundle: '',
  inventory: emptyInventory,
};

/** What an earlier version, which kept no record, noted on a deployment that it has installed. Where nothing is active anyone may have written it. */
export function formerInventory(deployment: KubeObject): Inventory | undefined {
  const { activeBundle = '' } = parseBundleDeployment(deployment).status ?? {};
  return activeBundle === '' ? undefined : readInventory(deployment.metadata);
}

/** Where the objects of a deployment are: by its record, or, where it has none yet, by what an earlier version noted on it. */
export function inventoryOf(deployment: KubeObject): Inventory | undefined {
  return readRecord(deployment)?.inventory ?? formerInventory(deployment);
}

/** The record as a member of the status. */
export function formatRecord(deployment: KubeObject, record: DeploymentRecord): JsonObject {
  const { inventory, ...others } = record;
  const { kinds, namespaces, adopting } = inventory;
  const { uid = '' } = deployment.metadata;
  return present({
    uid,
    ...others,
    groupKinds: kinds.map(formatGroupKind),
    namespaces,
    adopting,
  }) satisfies { [Key in keyof BundleDeploymentRecord]: unknown } as unknown as JsonObject;
}

function storedRecord(deployment: KubeObject): JsonValue | undefined {
  return (deployment['status'] as JsonObject | undefined)?.['record'] as JsonValue | undefined;
}

/** Writes the record where it differs. Returns the deployment as it is then.
 *  @throws TransientError DefinitionOutdated when the cluster drops it */
export async function writeRecord(
  { kube, deployments }: Pick<ProvisionerContext, 'kube' | 'deployments'>,
  deployment: KubeObject,
  work: { readonly record: DeploymentRecord; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const record = formatRecord(deployment, work.record);
  if (isJsonEqual(storedRecord(deployment), record)) return deployment;
  // Of a merge patch: what is not mentioned would stay.
  const status = { record: { adopting: null, defaultNamespace: null, inPlace: null, ...record } };
  const patch = { metadata: preconditionOf(deployment), status } as unknown as JsonObject;
  const options = { fieldManager, subresource: 'status', signal: work.signal } as const;
  const written = await kube.patch(refOf(deployment), patch, options);
  deployments.wrote(written);
  if (isJsonEqual(storedRecord(written), record)) return written;
  const definition = `CustomResourceDefinition "${bundleDeploymentResource.plural}.core.rukpak.io"`;
  throw new TransientError(
    'DefinitionOutdated',
    `${describeRef(refOf(deployment))}: the cluster does not keep status.record, which identifies what is installed: ${definition} is not that of this version; apply the definitions of this version (longshore install, or the folder crds/)`,
  );
}

const specHashes = new WeakMap<KubeObject, string>();

/** Digest of the spec of a Bundle, in whichever order its members are. */
function specHashOf(bundle: KubeObject): string {
  let hash = specHashes.get(bundle);
  if (hash === undefined) {
    hash = sha256Digest(JSON.stringify(sortedKeys((bundle['spec'] ?? null) as JsonValue)));
    specHashes.set(bundle, hash);
  }
  return hash;
}

/** Whether a controller owner reference names the deployment of this uid. Who may create Bundles may write that into hers. */
export function isControlledBy({ metadata }: KubeObject, uid: string | undefined): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.controller === true && owner.uid === uid);
}

/** Whether `bundle` is the very Bundle of the entry, with the spec that it was created with. */
export function isRecordedAs(bundle: KubeObject, { uid, specHash }: RecordedBundle): boolean {
  return bundle.metadata.uid === uid && specHashOf(bundle) === specHash;
}

/** The entry of a Bundle that was just created. */
export function entryOf(bundle: KubeObject): RecordedBundle {
  const { name = '', uid = '' } = bundle.metadata;
  return { name, uid, specHash: specHashOf(bundle) };
}
