import { apiVersion, bundleDeploymentResource, ownerKindLabel, ownerNameLabel } from '../api/index.ts';
import { type JsonObject, sha256Digest } from '../base/index.ts';
import { describeRef, type KubeObject, type ObjectMeta, type OwnerReference, refOf } from '../kube/index.ts';

/** The BundleDeployment that objects are installed for. */
export interface Owner {
  readonly name: string;
  readonly uid: string;
}

/** Field manager of everything that is installed. */
export const fieldManager = 'longshore';

const policyAnnotation = 'helm.sh/resource-policy';
const ownerKind = bundleDeploymentResource.kind;

/** What the server sets by itself, or what would turn an apply into something else. */
const serverFields = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'];

/** Whether the object stays when its deployment goes. */
export function isKept(metadata: ObjectMeta): boolean {
  return metadata.annotations?.[policyAnnotation]?.trim().toLowerCase() === 'keep';
}

function ownerReference(owner: Owner): OwnerReference {
  return { apiVersion, kind: ownerKind, name: owner.name, uid: owner.uid, controller: true, blockOwnerDeletion: true };
}

/** A bundle's object as it is applied for `owner`: with labels and owner reference (unless it is to be kept), in
 *  `namespace` (undefined: cluster-scoped). `object` itself stays as it is. */
export function ownedBy(object: KubeObject, owner: Owner, namespace: string | undefined): KubeObject {
  const entries = Object.entries(object.metadata).filter(([key]) => !serverFields.includes(key));
  const { namespace: _given, ownerReferences = [], ...rest } = Object.fromEntries(entries) as ObjectMeta;
  const references = isKept(rest) ? ownerReferences : [...ownerReferences, ownerReference(owner)];
  const labels = { ...rest.labels, [ownerKindLabel]: ownerKind, [ownerNameLabel]: owner.name };
  const metadata: ObjectMeta = {
    ...rest,
    labels,
    ...(namespace === undefined ? {} : { namespace }),
    ...(references.length === 0 ? {} : { ownerReferences: references }),
  };
  const { status: _status, ...content } = object;
  return { ...content, metadata } as KubeObject;
}

/** The name of the BundleDeployment that the labels name. */
export function labelledOwner(metadata: ObjectMeta): string | undefined {
  return metadata.labels?.[ownerKindLabel] === ownerKind ? metadata.labels[ownerNameLabel] : undefined;
}

/** Names of the BundleDeployments that the owner references name. */
export function referencedOwners(metadata: ObjectMeta): readonly string[] {
  return (metadata.ownerReferences ?? [])
    .filter((reference) => reference.kind === ownerKind && reference.apiVersion === apiVersion)
    .map(({ name }) => name);
}

interface Mark {
  readonly where: 'label' | 'annotation';
  readonly key: string;
  readonly want: string;
  readonly found: string | undefined;
}

function adoptionMarks(metadata: ObjectMeta, owner: Owner, systemNamespace: string): readonly Mark[] {
  const annotation = (key: string, want: string): Mark => {
    return { where: 'annotation', key, want, found: metadata.annotations?.[key] };
  };
  const managedBy = 'app.kubernetes.io/managed-by';
  return [
    { where: 'label', key: managedBy, want: 'Helm', found: metadata.labels?.[managedBy] },
    annotation('meta.helm.sh/release-name', owner.name),
    annotation('meta.helm.sh/release-namespace', systemNamespace),
  ];
}

function markProblem(mark: Mark): string {
  const what = `${mark.where} validation error: `;
  if (mark.found === undefined) return `${what}missing key "${mark.key}": must be set to "${mark.want}"`;
  return `${what}key "${mark.key}" must equal "${mark.want}": current value is "${mark.found}"`;
}

/** Why `existing` cannot be taken over for `owner`; undefined when it can: it bears the owner's labels, or the marks of a
 *  Helm release of that name. */
export function takeoverProblem(
  existing: KubeObject,
  owner: Owner,
  context: { readonly systemNamespace: string; readonly isUpgrade: boolean },
): string | undefined {
  const labelled = labelledOwner(existing.metadata);
  if (labelled === owner.name) return undefined;
  const bad = adoptionMarks(existing.metadata, owner, context.systemNamespace).filter(
    ({ want, found }) => want !== found,
  );
  if (labelled === undefined && bad.length === 0) return undefined;
  const why = labelled === undefined ? bad.map(markProblem).join('; ') : `it belongs to ${ownerKind} "${labelled}"`;
  return foreignObject(describeRef(refOf(existing)), why, context.isUpgrade);
}

/** The message for an object that belongs to somebody else. */
export function foreignObject(what: string, why: string, isUpgrade: boolean): string {
  const action = isUpgrade ? 'update' : 'install';
  return `rendered manifests contain a resource that already exists. Unable to continue with ${action}: ${what} exists and cannot be imported into the current release: invalid ownership metadata; ${why}`;
}

/** Changes whenever a field that was applied has been changed by someone else, or the object was replaced; stays the same
 *  when others change other fields. It rests on what the server records of field ownership. */
export function fingerprintOf(object: KubeObject): string {
  const { uid = '', managedFields = [], deletionTimestamp } = object.metadata;
  const mine = managedFields.find(
    (entry: JsonObject) => entry['manager'] === fieldManager && entry['operation'] === 'Apply',
  );
  const fields = mine?.['subresource'] === undefined ? mine?.['fieldsV1'] : undefined;
  return sha256Digest(JSON.stringify([uid, deletionTimestamp ?? '', fields ?? null]));
}
