import { type JsonObject, type JsonValue, sortedKeys } from '../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  forbiddenField,
  immutableText,
  invalidField,
  labelValueProblems,
  PlainText,
  pathSegmentProblems,
  qualifiedNameProblems,
  requiredField,
  type ShownValue,
  tooLongField,
} from '../../src/schema/index.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from './kube-object.ts';

const annotationBytes = 262_144;
const ownGroupFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What the rules for metadata depend on. */
export interface MetadataFacts {
  readonly namespaced: boolean;
  readonly isCustom: boolean;
  /** Of the kind: see Strategy. */
  readonly nameProblems: (name: string) => string[];
  /** Where the metadata is: `metadata`, or the path of an embedded object's. */
  readonly path?: string;
}

function invalidEach(field: string, value: JsonValue, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalidField(field, value, problem));
}

function nameErrors(metadata: ObjectMeta, facts: MetadataFacts, path: string): FieldError[] {
  const { name = '', generateName = '' } = metadata;
  const errors: FieldError[] = [];
  // The name that a base gives must be valid: the base alone may end with a hyphen.
  if (generateName !== '') {
    const isMasked = generateName.length > 1 && generateName.endsWith('-');
    const base = isMasked ? `${generateName.slice(0, -2)}a` : generateName;
    errors.push(...invalidEach(`${path}.generateName`, generateName, facts.nameProblems(base)));
  }
  if (name === '') errors.push(requiredField(`${path}.name`, 'name or generateName is required'));
  else errors.push(...invalidEach(`${path}.name`, name, facts.nameProblems(name)));
  return errors;
}

function namespaceErrors({ namespace = '' }: ObjectMeta, facts: MetadataFacts, path: string): FieldError[] {
  if (facts.namespaced) {
    if (namespace === '') return [requiredField(`${path}.namespace`)];
    return invalidEach(`${path}.namespace`, namespace, dns1123LabelProblems(namespace));
  }
  return namespace === '' ? [] : [forbiddenField(`${path}.namespace`, 'not allowed on this type')];
}

/** Errors of a map of labels: keys first, each followed by its value's. */
export function labelErrors(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalidEach(field, key, qualifiedNameProblems(key)),
    ...invalidEach(field, value, labelValueProblems(value)),
  ]);
}

/** Errors of a map of annotations. */
export function annotationErrors(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const entries = Object.entries(annotations);
  const errors = entries.flatMap(([key]) => invalidEach(field, key, qualifiedNameProblems(key.toLowerCase())));
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return bytes > annotationBytes ? [...errors, tooLongField(field, annotationBytes)] : errors;
}

/** An owner as Go prints its struct; what its pointers point at it does not print. */
function goOwner({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  const texts = { APIVersion: apiVersion, Kind: kind, Name: name, UID: uid };
  const pointers = { Controller: controller, BlockOwnerDeletion: blockOwnerDeletion };
  const parts = [
    ...Object.entries(texts).map(([field, text]) => `${field}:${JSON.stringify(text)}`),
    ...Object.entries(pointers).map(
      ([field, value]) => `${field}:(*bool)(${value === undefined ? 'nil' : '0xc000000000'})`,
    ),
  ];
  return `v1.OwnerReference{${parts.join(', ')}}`;
}

function ownerErrors(owner: OwnerReference, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const parts = owner.apiVersion.split('/');
  const [version = '', group = ''] = parts.length > 2 ? [] : parts.toReversed();
  if (version === '') errors.push(invalidField(`${field}.apiVersion`, owner.apiVersion, 'version must not be empty'));
  for (const key of ['kind', 'name', 'uid'] as const) {
    if (owner[key] === '') errors.push(invalidField(`${field}.${key}`, '', `${key} must not be empty`));
  }
  if (group === '' && version === 'v1' && owner.kind === 'Event') {
    errors.push(
      invalidField(field, new PlainText(goOwner(owner)), '/v1, Kind=Event is disallowed from being an owner'),
    );
  }
  return errors;
}

function filled(owner: OwnerReference): OwnerReference {
  return {
    ...owner,
    apiVersion: owner.apiVersion ?? '',
    kind: owner.kind ?? '',
    name: owner.name ?? '',
    uid: owner.uid ?? '',
  };
}

function ownersErrors(owners: readonly OwnerReference[], path: string): FieldError[] {
  const field = `${path}.ownerReferences`;
  const errors = owners.flatMap((owner) => ownerErrors(filled(owner), field));
  const [first, second] = owners.filter((owner) => owner.controller === true);
  if (first !== undefined && second !== undefined) {
    const names = `${first.kind}/${first.name} and ${second.kind}/${second.name}`;
    const shown = new PlainText(`[]v1.OwnerReference{${owners.map(goOwner).join(', ')}}`);
    const rule = `Only one reference can have Controller set to true. Found "true" in references for ${names}`;
    errors.push(invalidField(field, shown, rule));
  }
  return errors;
}

function finalizerErrors(finalizers: readonly string[], path: string): FieldError[] {
  const field = `${path}.finalizers`;
  const errors = finalizers.flatMap((name) => invalidEach(field, name, qualifiedNameProblems(name)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const rule = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidField(field, [...finalizers], rule));
  }
  return errors;
}

/** Finalizers of built-in kinds belong to a domain, but for a few. */
function standardFinalizerErrors(
  finalizers: readonly string[],
  { isCustom }: MetadataFacts,
  path: string,
): FieldError[] {
  if (isCustom) return [];
  return finalizers.flatMap((name, index) => {
    if (name.includes('/') || ownGroupFinalizers.has(name)) return [];
    const field = `${path}.finalizers[${index}]`;
    return [invalidField(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

/** Errors of a new object's metadata, in the order and words of kube-apiserver. A name made from generateName is already there.
 *  @see docs/spec/kube-api-wire.md#validation */
export function validateObjectMeta(metadata: ObjectMeta, facts: MetadataFacts): FieldError[] {
  const path = facts.path ?? 'metadata';
  return [...ownErrors(metadata, facts, path), ...standardFinalizerErrors(metadata.finalizers ?? [], facts, path)];
}

function ownErrors(metadata: ObjectMeta, facts: MetadataFacts, path: string): FieldError[] {
  return [
    ...nameErrors(metadata, facts, path),
    ...namespaceErrors(metadata, facts, path),
    ...contentErrors(metadata, path),
    ...finalizerErrors(metadata.finalizers ?? [], path),
    ...managedFieldsErrors(metadata, path),
  ];
}

const managerBytes = 128;
const subresourceBytes = 256;

/** Errors of managed fields that a client wrote; those that cannot be read never get here. */
function managedFieldsErrors({ managedFields = [] }: ObjectMeta, path: string): FieldError[] {
  return managedFields.flatMap((entry, index) => {
    const field = `${path}.managedFields[${index}]`;
    const { manager = '', subresource = '' } = entry as { readonly manager?: string; readonly subresource?: string };
    const errors = managerErrors(manager, `${field}.manager`);
    const isLong = Buffer.byteLength(subresource) > subresourceBytes;
    return isLong ? [...errors, tooLongField(`${field}.subresource`, subresourceBytes)] : errors;
  });
}

/** Errors of the name of a field manager: its length, and characters that cannot be printed. */
export function managerErrors(manager: string, field: string): FieldError[] {
  if (Buffer.byteLength(manager) > managerBytes) return [tooLongField(field, managerBytes)];
  const at = manager.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return [];
  const code = (manager.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [invalidField(field, manager, `invalid character U+${code} (at position ${at})`)];
}

function contentErrors(metadata: ObjectMeta, path: string): FieldError[] {
  return [
    ...labelErrors(metadata.labels ?? {}, `${path}.labels`),
    ...annotationErrors(metadata.annotations ?? {}, `${path}.annotations`),
    ...ownersErrors(metadata.ownerReferences ?? [], path),
  ];
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** What the server asks of every changed object, whatever its kind: its causes come before those of the kind.
 *  @see docs/spec/kube-api-wire.md#validation */
export function validateChangedObjectMeta(metadata: ObjectMeta, old: ObjectMeta, facts: MetadataFacts): FieldError[] {
  const path = facts.path ?? 'metadata';
  const general = { ...facts, nameProblems: pathSegmentProblems };
  return [...ownErrors(metadata, general, path), ...stepErrors(metadata, old, path)];
}

/** Errors of the step from `old` to `metadata`, and of the labels, annotations, owners and finalizers by themselves: what every kind
 *  asks again. Messages name an error once; the causes of a Status do not. */
export function validateObjectMetaUpdate(metadata: ObjectMeta, old: ObjectMeta, facts: MetadataFacts): FieldError[] {
  const path = facts.path ?? 'metadata';
  return [...stepErrors(metadata, old, path), ...standardFinalizerErrors(metadata.finalizers ?? [], facts, path)];
}

function stepErrors(metadata: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const errors = (old.deletionTimestamp ?? undefined) === undefined ? [] : newFinalizerErrors(metadata, old, path);
  for (const key of immutableFields) {
    const [now, before] = [metadata[key] ?? undefined, old[key] ?? undefined];
    if (now !== before) errors.push(invalidField(`${path}.${key}`, shownImmutable(key, now), immutableText));
  }
  return [...errors, ...contentErrors(metadata, path), ...managedFieldsErrors(metadata, path)];
}

function shownImmutable(key: string, value: string | number | undefined): ShownValue {
  const isTime = key.endsWith('Timestamp') && typeof value === 'string';
  return isTime ? new PlainText(goTime(value)) : value;
}

/** A time as Go prints it: `2001-01-01 00:00:00 +0000 UTC`. */
function goTime(text: string): string {
  return `${new Date(text).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}

function newFinalizerErrors(metadata: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const known = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((name) => !known.has(name));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  const rule = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbiddenField(`${path}.finalizers`, rule)];
}

/** Takes out owner references that are the same as an earlier one. Changes `metadata`.
 *  @returns warnings, naming the owners that were there twice */
export function dropDuplicateOwners(metadata: ObjectMeta): string[] {
  const owners = metadata.ownerReferences ?? [];
  const byText = new Map<string, OwnerReference>();
  const repeated = new Set<string>();
  for (const owner of owners) {
    const text = JSON.stringify(sortedKeys(owner as unknown as JsonObject));
    if (byText.has(text)) repeated.add(owner.uid);
    else byText.set(text, owner);
  }
  if (byText.size === owners.length) return [];
  metadata.ownerReferences = [...byText.values()];
  return [
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  ];
}

/** Warnings about finalizers that a custom resource newly has and that carry no domain. */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old?.metadata.finalizers);
  const added = (object.metadata.finalizers ?? []).filter((name) => !known.has(name) && !name.includes('/'));
  return added
    .filter((name) => !ownGroupFinalizers.has(name))
    .sort()
    .map((name) => {
      const form = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
      return `metadata.finalizers: "${name}": prefer a domain-qualified ${form} to avoid accidental conflicts with other finalizer writers`;
    });
}
