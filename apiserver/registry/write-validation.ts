import { type FieldError, invalidField } from '../../src/schema/index.ts';
import {
  atOnce,
  dropDuplicateOwners,
  invalid,
  type KubeObject,
  type MetadataFacts,
  type ResourceType,
  type StatusError,
  type Steps,
  validateChangedObjectMeta,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../core/index.ts';
import type { WriteContext, WriteTarget } from './write-context.ts';

function metadataFacts(type: ResourceType): MetadataFacts {
  const { namespaced } = type;
  // Definitions are validated like custom resources, not like the kinds of the core.
  const isCustom = type.isCustom || type.group === 'apiextensions.k8s.io';
  return { namespaced, isCustom, nameProblems: (name) => type.strategy.nameProblems(name) };
}

/** The group that an error names is the one that the resource is stored in: events are of the core group, for every client. */
function refusal(type: ResourceType, name: string, errors: readonly FieldError[]): StatusError {
  const group = type.storageKey.slice(type.plural.length + 1);
  return invalid({ group, kind: type.kind }, name, errors);
}

/** A custom resource has its own kind; for another kind that is the only error. */
function checkKind(type: ResourceType, { kind, metadata }: KubeObject): void {
  if (!type.isCustom || kind === type.kind) return;
  throw invalid({ group: type.group, kind }, metadata.name ?? '', [invalidField('kind', kind, `must be ${type.kind}`)]);
}

/** Metadata and strategy rules of a new object. */
export function newObjectErrors(type: ResourceType, object: KubeObject): FieldError[] {
  return atOnce(newObjectSteps(type, object));
}

function* newObjectSteps(type: ResourceType, object: KubeObject): Steps<FieldError[]> {
  const errors = validateObjectMeta(object.metadata, metadataFacts(type));
  yield;
  return [...errors, ...type.strategy.validate(object, undefined, undefined)];
}

/** Metadata and strategy rules of a new object, from which doubled owner references are dropped; warnings go to the context.
 *  @throws StatusError 422 with every violation */
export function* objectChecks(type: ResourceType, object: KubeObject, context: WriteContext): Steps<void> {
  const { metadata } = object;
  checkKind(type, object);
  for (const text of dropDuplicateOwners(metadata)) context.warn(text);
  const errors = yield* newObjectSteps(type, object);
  yield;
  for (const text of type.strategy.validationWarnings?.(object) ?? []) context.warn(text);
  if (errors.length > 0) throw refusal(type, metadata.name ?? '', errors);
  for (const text of type.strategy.warnings(object, undefined)) context.warn(text);
}

/** The same for a changed object. */
export function* objectUpdateChecks(
  change: { readonly target: WriteTarget; readonly object: KubeObject; readonly old: KubeObject },
  context: WriteContext,
): Steps<void> {
  const { target, object, old } = change;
  checkKind(target.type, object);
  for (const text of dropDuplicateOwners(object.metadata)) context.warn(text);
  const facts = metadataFacts(target.type);
  const checks = target.type.strategy.metadataChecks;
  const errors = [
    ...validateChangedObjectMeta(object.metadata, old.metadata, facts),
    ...(checks.step ? validateObjectMetaUpdate(object.metadata, old.metadata, facts) : []),
  ];
  for (let time = 0; time < checks.asNew; time += 1) errors.push(...validateObjectMeta(object.metadata, facts));
  yield;
  errors.push(...target.type.strategy.validate(object, old, target.subresource));
  yield;
  for (const text of target.type.strategy.validationWarnings?.(object) ?? []) context.warn(text);
  if (errors.length > 0) throw refusal(target.type, object.metadata.name ?? '', errors);
  for (const text of target.type.strategy.warnings(object, old, target.subresource)) context.warn(text);
}
