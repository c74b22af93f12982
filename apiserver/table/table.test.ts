import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import { formatAge, formatDuration } from '../../src/base/index.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { columnsOf, columnsOfPrinterColumns, parseJsonPath } from './index.ts';

const nowMs = Date.parse('2026-01-02T00:00:00Z');
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

function object(kind: string, content: object): KubeObject {
  const metadata = { name: 'a', namespace: 'n', creationTimestamp: '2026-01-01T23:59:00Z' };
  return { apiVersion: 'v1', kind, metadata, ...content } as KubeObject;
}

function cells(group: string, kind: string, content: object): Record<string, JsonValue> {
  const columns = columnsOf(group, kind);
  return Object.fromEntries(columns.map((column) => [column.name, column.cell(object(kind, content), nowMs)]));
}

test.each([
  [-2000, '<invalid>'],
  [-500, '0s'],
  [119 * second, '119s'],
  [120 * second, '2m'],
  [5 * minute + 10 * second, '5m10s'],
  [10 * minute, '10m'],
  [3 * hour, '3h'],
  [3 * hour + 5 * minute, '3h5m'],
  [47 * hour, '47h'],
  [48 * hour, '2d'],
  [50 * hour, '2d2h'],
  [8 * day, '8d'],
  [730 * day, '2y'],
  [800 * day, '2y70d'],
  [9 * 365 * day, '9y'],
])('%i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('an age without a time is unknown, one that cannot be read invalid', () => {
  expect([formatAge(undefined, nowMs), formatAge('x', nowMs), formatAge('2026-01-01T23:59:57Z', nowMs)]).toEqual([
    '<unknown>',
    '<invalid>',
    '3s',
  ]);
});

describe('JSONPath', () => {
  const root = {
    a: {
      'b.c': 1,
      d: [
        { type: 'X', v: 1 },
        { type: 'Y', v: 2 },
      ],
    },
    e: [1, 2, 3, 4],
    n: null,
  };
  test.each<[string, JsonValue[]]>([
    ['.a.d[0].type', ['X']],
    ['.a.d[-1].v', [2]],
    ['.a.d[?(@.type=="Y")].v', [2]],
    ['.a.d[?(.type=="Y")].v', [2]],
    ["$.a.d[?(@.type=='X')].v", [1]],
    ['.a.d[?(@.v>1)].type', ['Y']],
    ['.a.d[?(@.none)].type', []],
    ['.a.d[*].v', [1, 2]],
    ['.a.b\\.c', [1]],
    ["['a']['b.c']", [1]],
    ['.e[1:3]', [2, 3]],
    ['.e[0,2]', [1, 3]],
    ['..v', [1, 2]],
    ['.n', [null]],
    ['.constructor', []],
    ['.a.d.x.y', []],
  ])('%s finds %j', (path, found) => {
    expect(parseJsonPath(path)?.(root)).toEqual(found);
  });

  test.each(['.a[', '.a[?(@.b==)]', ']', '.a]', `.${'a'.repeat(5000)}`])('cannot read %j', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });

  test('never throws, whatever the path and the value', () => {
    const paths = fc.array(
      fc.constantFrom('.', '..', '[', ']', '*', '?', '(', ')', '@', '"', "'", 'a', '0', ':', ',', '=', '\\'),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(paths, fc.jsonValue(), (parts, value) => {
        const found = parseJsonPath(parts.join(''))?.(value as JsonValue) ?? [];
        expect(found.length).toBeLessThanOrEqual(10_000);
      }),
    );
  });

  test('a path that descends again and again is bounded', () => {
    const wide = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => [1]));
    expect(parseJsonPath(`${'..*'.repeat(1000)}`)?.(wide)?.length).toBeLessThanOrEqual(10_000);
  });
});

describe('printer columns', () => {
  const printed = [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Installed', type: 'string', jsonPath: '.status.conditions[?(.type=="Installed")].reason' },
    { name: 'Source', type: 'string', jsonPath: '.status.source', priority: 1 },
    { name: 'Count', type: 'integer', jsonPath: '.status.count' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Broken', type: 'string', jsonPath: '.a[' },
  ];
  const row = (content: object): JsonValue[] =>
    columnsOfPrinterColumns(printed).map((column) => column.cell(object('Bundle', content), nowMs));

  test('give what their paths find', () => {
    const status = {
      phase: 'Unpacked',
      conditions: [{ type: 'Installed', reason: 'Yes' }],
      source: { type: 'git' },
      count: 2.5,
    };
    expect(row({ status })).toEqual(['a', 'Unpacked', 'Yes', '{"type":"git"}', 2, '60s', null]);
  });

  test('give null for what is missing or of another type', () => {
    expect(row({ status: { count: 'x' } })).toEqual(['a', null, null, null, null, '60s', null]);
  });

  test('default to the age', () => {
    expect(columnsOfPrinterColumns(undefined).map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
  });
});

describe('built-in columns', () => {
  test('of a Deployment', () => {
    const template = {
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', image: 'j' },
        ],
      },
    };
    const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template };
    expect(cells('apps', 'Deployment', { spec, status: { readyReplicas: 2, updatedReplicas: 3 } })).toEqual({
      Name: 'a',
      Ready: '2/3',
      'Up-to-date': 3,
      Available: 0,
      Age: '60s',
      Containers: 'c,d',
      Images: 'i,j',
      Selector: 'a=b',
    });
  });

  test('of a Service', () => {
    const ports = [
      { port: 80, protocol: 'TCP' },
      { port: 443, nodePort: 30443, protocol: 'TCP' },
    ];
    expect(cells('', 'Service', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports } })).toMatchObject({
      'External-IP': '<pending>',
      'Port(s)': '80/TCP,443:30443/TCP',
      Selector: '<none>',
    });
  });

  test('of a default StorageClass', () => {
    const metadata = { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
    expect(cells('storage.k8s.io', 'StorageClass', { metadata })['Name']).toBe('fast (default)');
  });

  test('of a kind without its own', () => {
    expect(columnsOf('example.com', 'Thing').map(({ name }) => name)).toEqual(['Name', 'Created At']);
  });

  const running = { state: { running: {} }, ready: true };
  test.each<[string, JsonObject, JsonObject, string]>([
    ['a running pod', {}, { phase: 'Running', containerStatuses: [running] }, 'Running'],
    [
      'a waiting container',
      {},
      { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull' } } }] },
      'ErrImagePull',
    ],
    [
      'an exit code',
      {},
      { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
      'ExitCode:3',
    ],
    ['a signal', {}, { phase: 'Failed', containerStatuses: [{ state: { terminated: { signal: 9 } } }] }, 'Signal:9'],
    [
      'an init container at work',
      { initContainers: [{ name: 'i' }, { name: 'j' }] },
      {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'i', state: { terminated: { exitCode: 0 } } },
          { name: 'j', state: { running: {} } },
        ],
      },
      'Init:1/2',
    ],
    [
      'a failed init container',
      { initContainers: [{ name: 'i' }] },
      { initContainerStatuses: [{ name: 'i', state: { terminated: { exitCode: 1, reason: 'Error' } } }] },
      'Init:Error',
    ],
    [
      'one container done, one running',
      {},
      {
        phase: 'Running',
        containerStatuses: [{ state: { terminated: { reason: 'Completed', exitCode: 0 } } }, running],
      },
      'NotReady',
    ],
    [
      'a gated pod',
      {},
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] },
      'SchedulingGated',
    ],
    ['an evicted pod', {}, { phase: 'Failed', reason: 'Evicted' }, 'Evicted'],
  ])('the status of %s', (...[, spec, status, text]) => {
    expect(cells('', 'Pod', { spec, status })['Status']).toBe(text);
  });

  test('the status of a pod that goes', () => {
    const metadata = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(cells('', 'Pod', { metadata, status: { phase: 'Running' } })['Status']).toBe('Terminating');
    expect(cells('', 'Pod', { metadata, status: { phase: 'Running', reason: 'NodeLost' } })['Status']).toBe('Unknown');
  });

  test('cells never throw, whatever the object holds', () => {
    const kinds: [string, string][] = [
      ['', 'Pod'],
      ['', 'Service'],
      ['', 'Node'],
      ['', 'Event'],
      ['apps', 'Deployment'],
      ['batch', 'Job'],
      ['autoscaling', 'HorizontalPodAutoscaler'],
      ['networking.k8s.io', 'Ingress'],
      ['', 'ResourceQuota'],
      ['rbac.authorization.k8s.io', 'RoleBinding'],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.jsonValue(), fc.jsonValue(), ([group, kind], spec, status) => {
        cells(group, kind, { spec, status, subjects: spec, roleRef: status, ports: spec });
      }),
    );
  });
});
