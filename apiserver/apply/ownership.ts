import { FieldSet } from './field-set.ts';
import type { ManagerEntry, Managers } from './managed-fields.ts';
import type { Comparison } from './value-walk.ts';

const neverOwned: FieldSet = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/** The set without what no manager owns: `apiVersion`, `kind` and the metadata that the server sets. */
export function ownable(fields: FieldSet): FieldSet {
  return fields.difference(neverOwned);
}

/** The set without reset fields (see reference 7.7) and what is below them. */
export function withoutReset(fields: FieldSet, resetFields: FieldSet | undefined): FieldSet {
  return resetFields === undefined ? fields : fields.differenceWithBelow(resetFields);
}

/** Removes reset fields from each part of a comparison. */
export function filterComparison(comparison: Comparison, resetFields: FieldSet | undefined): Comparison {
  return {
    added: withoutReset(comparison.added, resetFields),
    modified: withoutReset(comparison.modified, resetFields),
    removed: withoutReset(comparison.removed, resetFields),
  };
}

export interface Conflict {
  readonly entry: ManagerEntry;
  readonly fields: FieldSet;
}

/** What of other managers' fields a change would take; `self` is the identity of the one that changes. */
export function conflictsOf(managers: Managers, self: string | undefined, change: Comparison): Conflict[] {
  const taken = change.added.union(change.modified);
  const conflicts: Conflict[] = [];
  for (const [identity, entry] of managers) {
    const fields = identity === self ? new FieldSet() : entry.fields.intersection(taken);
    if (!fields.isEmpty) conflicts.push({ entry, fields });
  }
  return conflicts;
}

/** The managers after a change by `self`: the others lose what it took or removed; entries left empty are dropped. */
export function disown(managers: Managers, self: string | undefined, change: Comparison): Map<string, ManagerEntry> {
  const lost = change.added.union(change.modified).union(change.removed);
  const rest = new Map<string, ManagerEntry>();
  for (const [identity, entry] of managers) {
    const fields = identity === self ? entry.fields : entry.fields.difference(lost);
    if (!fields.isEmpty) rest.set(identity, { ...entry, fields });
  }
  return rest;
}
