import {
  adoptAnnotation,
  apiVersion,
  bundleDeploymentResource,
  installFieldManager,
  orphanAnnotation,
  ownerKindLabel,
  ownerNameLabel,
  releasedFromAnnotation,
  type ServiceAccountName,
} from '../api/index.ts';
import { type JsonObject, sha256Digest } from '../base/index.ts';
import { describeRef, type KubeObject, type ObjectMeta, type OwnerReference, refOf } from '../kube/index.ts';
import { applySetId, partOfLabel } from './inventory.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import { otherManager, systemOf } from './other-owner.ts';

/** The BundleDeployment that objects are installed for. */
export interface Owner {
  readonly name: string;
  readonly uid: string;
  /** The account that reads and writes its objects; undefined: our own permissions. */
  readonly account?: ServiceAccountName | undefined;
}

/** Field manager of everything that is installed. */
export const fieldManager: string = installFieldManager;

const policyAnnotation = 'helm.sh/resource-policy';
const ownerKind = bundleDeploymentResource.kind;

/** What the server sets by itself, or what would turn an apply into something else. */
const serverFields = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'];

/** Whether the object is retained when its deployment is deleted. */
export function isRetained(metadata: ObjectMeta): boolean {
  return metadata.annotations?.[policyAnnotation]?.trim().toLowerCase() === 'keep';
}

/** Blocking the owner's deletion requires a permission on the owner, which its account needs for nothing else: objects are deleted
 *  before their owner anyway. */
function ownerReference({ name, uid, account }: Owner): OwnerReference {
  return { apiVersion, kind: ownerKind, name, uid, controller: true, blockOwnerDeletion: account === undefined };
}

/** The garbage collector may delete what refers to its owner, in any order. It must not get what holds the objects of others:
 *  CustomResourceDefinitions and Namespaces; nor objects to be retained. */
function mayBeCollected(object: KubeObject): boolean {
  return !isRetained(object.metadata) && !isCrd(object) && !isNamespace(object);
}

/** A bundle's object as it is applied for `owner`: with labels and, where the garbage collector may have it, owner reference, in
 *  `namespace` (undefined: cluster-scoped). `object` itself stays as it is. */
export function ownedBy(object: KubeObject, owner: Owner, namespace: string | undefined): KubeObject {
  const entries = Object.entries(object.metadata).filter(([key]) => !serverFields.includes(key));
  const { namespace: _given, ownerReferences = [], ...rest } = Object.fromEntries(entries) as ObjectMeta;
  const references = mayBeCollected(object) ? [...ownerReferences, ownerReference(owner)] : ownerReferences;
  const labels = {
    ...rest.labels,
    [ownerKindLabel]: ownerKind,
    [ownerNameLabel]: owner.name,
    [partOfLabel]: applySetId(owner),
  };
  const metadata: ObjectMeta = {
    ...rest,
    labels,
    ...(namespace === undefined ? {} : { namespace }),
    ...(references.length === 0 ? {} : { ownerReferences: references }),
  };
  const { status: _status, ...content } = object;
  return { ...content, metadata } as KubeObject;
}

/** An object of `ownedBy` that the garbage collector never deletes. */
export function withoutOwner(object: KubeObject, { name }: Owner): KubeObject {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const references = ownerReferences.filter((reference) => !isReferenceTo(reference, name));
  return {
    ...object,
    metadata: { ...metadata, ...(references.length === 0 ? {} : { ownerReferences: references }) },
  };
}

/** The name of the BundleDeployment that the labels name. */
export function labelledOwner(metadata: ObjectMeta): string | undefined {
  return metadata.labels?.[ownerKindLabel] === ownerKind ? metadata.labels[ownerNameLabel] : undefined;
}

/** Whether an owner reference names the BundleDeployment `name`. */
export function isReferenceTo(reference: OwnerReference, name: string): boolean {
  return reference.kind === ownerKind && reference.apiVersion === apiVersion && reference.name === name;
}

interface Mark {
  readonly where: 'label' | 'annotation';
  readonly key: string;
  readonly want: string;
  readonly found: string | undefined;
}

function adoptionMarks(metadata: ObjectMeta, owner: Owner, releaseNamespace: string): readonly Mark[] {
  const annotation = (key: string, want: string): Mark => {
    return { where: 'annotation', key, want, found: metadata.annotations?.[key] };
  };
  const managedBy = 'app.kubernetes.io/managed-by';
  return [
    { where: 'label', key: managedBy, want: 'Helm', found: metadata.labels?.[managedBy] },
    annotation('meta.helm.sh/release-name', owner.name),
    annotation('meta.helm.sh/release-namespace', releaseNamespace),
  ];
}

function markProblem(mark: Mark): string {
  const what = `${mark.where} validation error: `;
  if (mark.found === undefined) return `${what}missing key "${mark.key}": must be set to "${mark.want}"`;
  return `${what}key "${mark.key}" must equal "${mark.want}": current value is "${mark.found}"`;
}

/** Under which circumstances an object that exists may be taken over. */
export interface TakeoverTerms {
  readonly systemNamespace: string;
  /** Where objects go that name no namespace: that of a release that is adopted. Default: the system namespace, where RukPak has its releases. */
  readonly installNamespace?: string | undefined;
  readonly isUpgrade: boolean;
  /** The user asked for it. */
  readonly mayAdopt: boolean;
  /** Whether the BundleDeployment that the object's labels name exists. */
  readonly isOtherThere: boolean;
}

/** Marks of the Helm release of that name which the object does not have: of RukPak's, unless it is one in the install namespace. */
function missingMarks({ metadata }: KubeObject, owner: Owner, terms: TakeoverTerms): readonly Mark[] {
  const { systemNamespace, installNamespace = systemNamespace } = terms;
  const missing = [systemNamespace, installNamespace].map((namespace) =>
    adoptionMarks(metadata, owner, namespace).filter(({ want, found }) => want !== found),
  );
  return missing.find((marks) => marks.length === 0) ?? missing[0] ?? [];
}

/** Whether the object has marks that allow `owner` to adopt it, as its former deployment or as its Helm release. */
function isLeftTo(existing: KubeObject, owner: Owner, terms: TakeoverTerms): boolean {
  if (existing.metadata.annotations?.[releasedFromAnnotation] === owner.name) return true;
  return systemOf(existing, terms.systemNamespace) === undefined && missingMarks(existing, owner, terms).length === 0;
}

/** Why `owner` cannot adopt `existing`; undefined when it can: it has the owner's labels, the marks of a Helm
 *  release of that name, or was released by a deployment of that name; or the user requests it and it has no other owner. */
export function takeoverProblem(existing: KubeObject, owner: Owner, terms: TakeoverTerms): string | undefined {
  const labelled = labelledOwner(existing.metadata);
  if (labelled === owner.name) return undefined;
  const what = describeRef(refOf(existing));
  const system = systemOf(existing, terms.systemNamespace);
  const isAsked = terms.mayAdopt && system === undefined;
  if (labelled !== undefined) {
    if (isAsked && !terms.isOtherThere) return undefined;
    return foreignObject(what, otherOwner(labelled, owner, terms.isOtherThere), terms.isUpgrade);
  }
  if (isAsked || isLeftTo(existing, owner, terms)) return undefined;
  if (system !== undefined) return foreignObject(what, ofSystem(system), terms.isUpgrade);
  const faults = missingMarks(existing, owner, terms).map(markProblem);
  return foreignObject(what, [...faults, managerHint(existing, owner)].join('; '), terms.isUpgrade);
}

/** Taken over, it would be deleted with the next version of the bundle that does not have it. */
function ofSystem(system: string): string {
  return `it belongs to ${system} itself and cannot be adopted: rename the object in the bundle`;
}

function managerHint(existing: KubeObject, owner: Owner): string {
  const manager = otherManager(existing);
  if (manager === undefined) return adoptHint(owner);
  return `it is managed by ${manager}: remove it there first, or rename the object in the bundle; ${adoptHint(owner)}`;
}

function adoptHint(owner: Owner): string {
  return `to take it over, annotate ${ownerKind} "${owner.name}" with ${adoptAnnotation}: "true"`;
}

/** Whose it is, and what to do about it. */
export function otherOwner(other: string, owner: Owner, isThere: boolean): string {
  if (!isThere) return `it belongs to ${ownerKind} "${other}", which does not exist; ${adoptHint(owner)}`;
  const way = `annotate that object with ${orphanAnnotation}: "true" before you delete it`;
  return `it belongs to ${ownerKind} "${other}"; to move it, ${way}, or remove it from its bundle`;
}

/** The message for an object of another owner. */
export function foreignObject(what: string, why: string, isUpgrade: boolean): string {
  const action = isUpgrade ? 'update' : 'install';
  return `rendered manifests contain a resource that already exists. Unable to continue with ${action}: ${what} exists and cannot be imported into the current release: invalid ownership metadata; ${why}`;
}

/** Whether an entry of `metadata.managedFields` records an installation. */
export function isAppliedEntry(entry: JsonObject): boolean {
  return entry['manager'] === fieldManager && entry['operation'] === 'Apply' && entry['subresource'] === undefined;
}

function appliedEntry({ managedFields = [] }: ObjectMeta): JsonObject | undefined {
  return managedFields.find(isAppliedEntry);
}

/** Whether the object, which has `owner`'s labels, was really installed for it: controllers copy labels. */
export function isInstalledFor(metadata: ObjectMeta, owner: string): boolean {
  const isReferring = metadata.ownerReferences?.some((reference) => isReferenceTo(reference, owner)) === true;
  return isReferring || appliedEntry(metadata) !== undefined;
}

/** Whether the object has `owner`'s labels and was installed for it. */
export function belongsTo(metadata: ObjectMeta, owner: string): boolean {
  return labelledOwner(metadata) === owner && isInstalledFor(metadata, owner);
}

/** Changes whenever a field that was applied has been changed by someone else, or the object was replaced; stays the same
 *  when others change other fields. It rests on what the server records of field ownership: the time shows values that were applied
 *  by our own name, unless that was in the second of our own write. */
export function fingerprintOf({ metadata }: KubeObject): string {
  const { uid = '', deletionTimestamp } = metadata;
  const { fieldsV1 = null, time = null } = appliedEntry(metadata) ?? {};
  return sha256Digest(JSON.stringify([uid, deletionTimestamp ?? '', fieldsV1, time]));
}
