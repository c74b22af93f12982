import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { aggregateConditions, startConditions } from './aggregate.ts';

function operator(name: string, installed?: { readonly status: string; readonly reason: string }): KubeObject {
  const condition = installed && {
    type: 'Installed',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    ...installed,
  };
  return {
    apiVersion: 'platform.openshift.io/v1alpha1',
    kind: 'PlatformOperator',
    metadata: { name },
    spec: { package: { name } },
    ...(condition && { status: { conditions: [condition] } }),
  };
}

function shown(conditions: readonly { type: string; status: string; reason: string; message: string }[]): string[] {
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, message].join(' ').trim());
}

const well = { status: 'True', reason: 'InstallSuccessful' };
const bad = { status: 'False', reason: 'SourceFailed' };

test('E-072 the aggregate starts as progressing', () => {
  expect(shown(startConditions)).toEqual(['Available False', 'Progressing True', 'Degraded False']);
});

test('E-072 the aggregate is available without PlatformOperators, and when all are installed', () => {
  expect(shown(aggregateConditions([]))).toEqual([
    'Available True AsExpected No platform operators are present in the cluster',
    'Progressing False',
    'Degraded False',
  ]);
  expect(shown(aggregateConditions([operator('a', well), operator('b', well)]))).toEqual([
    'Available True AsExpected All platform operators are in a successful state',
    'Progressing False',
    'Degraded False',
  ]);
});

test('E-072 one that is not installed makes the aggregate unavailable, each is named with its reason', () => {
  expect(shown(aggregateConditions([operator('b', bad), operator('c', well)]))).toEqual([
    'Available False PlatformOperatorError encountered the failing b platform operator with reason "SourceFailed"',
    'Progressing True',
    'Degraded False',
  ]);
  expect(shown(aggregateConditions([operator('b', bad), operator('a')]))[0]).toBe(
    'Available False PlatformOperatorError [encountered the failing a platform operator with reason "InstallPending", encountered the failing b platform operator with reason "SourceFailed"]',
  );
});
