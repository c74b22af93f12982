import { expect, test } from 'vitest';
import type { ClusterServiceVersion, InstallModeType, OperatorGroup } from '../api/index.ts';
import { placementOf } from './index.ts';

const modes: readonly InstallModeType[] = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
const ofGroup = { 'olm.operatorGroup': 'group', 'olm.operatorNamespace': 'own' };

interface Operator {
  readonly annotations?: Record<string, string>;
  readonly deletionTimestamp?: string;
  readonly supported?: readonly InstallModeType[];
  readonly status?: Partial<NonNullable<ClusterServiceVersion['status']>>;
}

function operator({
  annotations = ofGroup,
  supported = modes,
  status = { phase: 'Succeeded' },
  ...metadata
}: Operator = {}): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat', namespace: 'own', annotations, ...metadata },
    spec: {
      displayName: 'Boat',
      install: { strategy: 'deployment' },
      installModes: modes.map((type) => ({ type, supported: supported.includes(type) })),
    },
    status: status as NonNullable<ClusterServiceVersion['status']>,
  };
}

function group(namespaces: readonly string[] | undefined, name = 'group'): OperatorGroup {
  return {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name, namespace: 'own' },
    status: { lastUpdated: '2026-01-01T00:00:00Z', ...(namespaces !== undefined && { namespaces }) },
  };
}

const unresolved: OperatorGroup = { ...group([]), status: undefined } as never;
const failed = (reason: string): Operator => ({ status: { phase: 'Failed', reason } });

test.each([
  { name: 'of a global group', csv: {}, groups: [group([''])], kind: 'everywhere' },
  { name: 'of a group with targets', csv: {}, groups: [group(['own', 'x'])], kind: 'namespaces' },
  {
    name: 'that failed for a reason of its own',
    csv: failed('ComponentUnhealthy'),
    groups: [group(['x'])],
    kind: 'namespaces',
  },
  { name: 'without a group', csv: {}, groups: [], kind: 'nowhere' },
  { name: 'of a group that selects nothing', csv: {}, groups: [group(undefined)], kind: 'nowhere' },
  { name: 'that does not support the targets', csv: { supported: [] }, groups: [group(['x'])], kind: 'nowhere' },
  { name: 'that conflicts', csv: failed('InterOperatorGroupOwnerConflict'), groups: [group(['x'])], kind: 'nowhere' },
  { name: 'that is being deleted', csv: { deletionTimestamp: 'now' }, groups: [group(['x'])], kind: 'nowhere' },
  { name: 'that is a copy', csv: { status: { reason: 'Copied' } }, groups: [group(['x'])], kind: 'nowhere' },
  { name: 'with two groups', csv: {}, groups: [group(['x']), group(['x'], 'other')], kind: 'unknown' },
  { name: 'of a group that is not resolved', csv: {}, groups: [unresolved], kind: 'unknown' },
  { name: 'without a phase', csv: { status: {} }, groups: [group(['x'])], kind: 'unknown' },
  { name: 'whose group is alone again', csv: failed('TooManyOperatorGroups'), groups: [group(['x'])], kind: 'unknown' },
  { name: 'with the annotations of another group', csv: { annotations: {} }, groups: [group(['x'])], kind: 'unknown' },
])('an operator $name is active: $kind', ({ csv, groups, kind }) => {
  expect(placementOf(operator(csv), groups).kind).toBe(kind);
});
