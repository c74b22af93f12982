import type { JsonObject } from '../../src/base/index.ts';
import { FieldSet, type ManagerEntry, type PathElement, readManagers, writeManagers } from '../apply/index.ts';

/** The version in which a Scale is tracked. */
const scaleVersion = 'autoscaling/v1';

const replicasInScale: readonly PathElement[] = ['f:spec', 'f:replicas'];

/** Where a kind keeps its replicas, for the versions that its managers may have recorded. */
export interface ReplicasField {
  readonly path: readonly PathElement[];
  /** The version of the request. */
  readonly apiVersion: string;
  /** Whether a version is one of the kind's. */
  readonly isKnown: (apiVersion: string) => boolean;
}

/** The managed fields that a Scale shows: of those who own the replicas of its parent. */
export function scaleManagedFields(parent: readonly JsonObject[] | undefined, field: ReplicasField): JsonObject[] {
  const entries = [...readManagers(parent).values()].filter(
    ({ apiVersion, fields }) => field.isKnown(apiVersion) && fields.has(field.path),
  );
  return writeManagers(
    entries.map((entry) => ({ ...entry, apiVersion: scaleVersion, fields: FieldSet.of(replicasInScale) })),
  );
}

/** What makes an entry of the parent and one of the Scale the same: those of updates never are, for their versions differ. */
function isSame(parent: ManagerEntry, scale: ManagerEntry): boolean {
  const isApply = parent.operation === 'Apply' && scale.operation === 'Apply';
  return isApply && parent.manager === scale.manager && parent.subresource === scale.subresource;
}

/** The managed fields of the parent after a write to its Scale: who owned the replicas and does not any more loses them, who owns them
 *  now gets an entry without a time. */
export function parentManagedFields(
  parent: readonly JsonObject[] | undefined,
  scale: readonly JsonObject[] | undefined,
  field: ReplicasField,
): JsonObject[] {
  const ofScale = [...readManagers(scale).values()].filter(({ fields }) => fields.has(replicasInScale));
  const replicas = FieldSet.of(field.path);
  const ofParent = [...readManagers(parent).values()].filter(({ apiVersion }) => field.isKnown(apiVersion));
  const kept = ofParent.map((entry) => {
    const isKept = !entry.fields.has(field.path) || ofScale.some((other) => isSame(entry, other));
    return isKept ? entry : { ...entry, fields: entry.fields.difference(replicas) };
  });
  const isOld = (entry: ManagerEntry): boolean =>
    ofParent.some((other) => other.fields.has(field.path) && isSame(other, entry));
  const added = ofScale
    .filter((entry) => !isOld(entry))
    .map((entry) => ({ ...entry, apiVersion: field.apiVersion, time: undefined, fields: replicas }));
  return writeManagers([...kept, ...added]);
}
