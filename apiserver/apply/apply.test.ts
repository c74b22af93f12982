import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonEqual, type JsonObject } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { StatusError } from '../core/status-error.ts';
import { atOnce } from '../core/steps.ts';
import { loadBuiltinSchemas } from '../schema/builtin-schemas.ts';
import { encodeBuiltIn, FieldSet, fieldSetOf, serverSideApply, trackUpdate } from './index.ts';

const schemas = loadBuiltinSchemas();
const now = '2026-01-02T03:04:05Z';
const later = '2026-01-02T03:05:00Z';

function schemaOf(kind: string): Schema | undefined {
  return schemas.kind(kind === 'Deployment' ? 'apps' : '', 'v1', kind);
}

function apply(...[live, manager, body, options = {}]: [KubeObject | undefined, string, object, object?]): KubeObject {
  const base = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  const patch = { ...base, ...body } as KubeObject;
  const schema = schemaOf(patch.kind);
  return atOnce(
    serverSideApply({ live, patch, manager, apiVersion: patch.apiVersion, now, force: false, schema, ...options }),
  );
}

function update(
  ...[live, manager, updated, options = {}]: [KubeObject | undefined, string, object, object?]
): KubeObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...updated } as KubeObject;
  return atOnce(
    trackUpdate({
      live,
      updated: object,
      manager,
      apiVersion: object.apiVersion,
      now,
      schema: schemaOf(object.kind),
      ...options,
    }),
  );
}

function owners(object: KubeObject): unknown[] {
  return (object.metadata.managedFields ?? []).map((entry) => [
    `${entry['operation'] as string} ${entry['manager'] as string}`,
    entry['fieldsV1'],
  ]);
}

function failureOf(run: () => unknown): StatusError['failure'] {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof StatusError) return thrown.failure;
    throw thrown;
  }
  throw new Error('expected a StatusError');
}

describe('server-side apply of a ConfigMap', () => {
  const a = { 'f:data': { 'f:a': {} } };
  const first = apply(undefined, 'm', { data: { a: '1' } });
  const shared = apply(first, 'n', { data: { a: '1', b: '2' } });

  test('gives the applier what it applied', () => {
    expect(owners(first)).toEqual([['Apply m', a]]);
  });

  test('shares equal values without conflict', () => {
    expect(shared['data']).toEqual({ a: '1', b: '2' });
    expect(owners(shared)).toEqual([
      ['Apply m', a],
      ['Apply n', { 'f:data': { 'f:a': {}, 'f:b': {} } }],
    ]);
  });

  test('prunes what only this manager owned', () => {
    const released = apply(shared, 'm', { data: {} });
    expect(released['data']).toEqual({ a: '1', b: '2' });
    expect(owners(released)[0]).toEqual(['Apply m', { 'f:data': {} }]);
    expect(apply(released, 'n', { data: { a: '1' } })['data']).toEqual({ a: '1' });
  });

  test('refuses to take a field, takes it by force', () => {
    const owned = apply(undefined, 'n', { data: { a: '1' } });
    expect(failureOf(() => apply(owned, 'm', { data: { a: '9' } }))).toEqual({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "n": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "n"', field: '.data.a' }] },
    });
    const taken = apply(owned, 'm', { data: { a: '9' } }, { force: true });
    expect(taken['data']).toEqual({ a: '9' });
    expect(owners(taken)).toEqual([['Apply m', a]]);
  });

  test('names every conflict, by manager', () => {
    const live = update(apply(undefined, 'n', { data: { a: '1' } }), 'patcher', { data: { a: '1', b: '2' } });
    expect(failureOf(() => apply(live, 'm', { data: { a: '9', b: '9' } })).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "n":\n- .data.a\nconflicts with "patcher" using v1:\n- .data.b',
    );
  });

  test('keeps times when nothing changed', () => {
    expect(apply(first, 'm', { data: { a: '1' } }, { now: later })).toEqual(first);
  });

  test('unites sets', () => {
    const withFinalizer = (name: string): JsonObject => ({
      metadata: { name: 'a', namespace: 'default', finalizers: [name] },
    });
    const both = apply(apply(undefined, 'm', withFinalizer('a/b')), 'n', withFinalizer('c/d'));
    expect([...(both.metadata.finalizers ?? [])].sort()).toEqual(['a/b', 'c/d']);
    expect(owners(both)[0]).toEqual(['Apply m', { 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } } }]);
    expect(apply(both, 'm', {}).metadata.finalizers).toEqual(['c/d']);
  });

  test('gives an object that was not tracked to before-first-apply', () => {
    const live = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { a: '1', b: '2' },
    };
    expect(owners(apply(live, 'm', { data: { a: '1' } }))).toEqual([
      ['Apply m', a],
      ['Update before-first-apply', { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } }],
    ]);
  });

  test('lets kubectl take over what client-side apply set, and refreshes its annotation', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { a: '1', b: '1' },
    });
    const metadata = { name: 'a', annotations: { [annotation]: last } };
    const live = update(undefined, 'kubectl-client-side-apply', { metadata, data: { a: '1', b: '1' } });
    const next = apply(live, 'kubectl', { data: { a: '2', b: '1' } });
    expect(next['data']).toEqual({ a: '2', b: '1' });
    const text = next.metadata.annotations?.[annotation] ?? '';
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ data: { a: '2', b: '1' } });
    const edited = update(live, 'kubectl-edit', { metadata, data: { a: '1', b: '7' } });
    expect(failureOf(() => apply(edited, 'kubectl', { data: { a: '2', b: '2' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.b',
    );
  });
});

describe('server-side apply of a Deployment', () => {
  const deployment = (containers: JsonObject[], spec: JsonObject = {}): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers } },
      ...spec,
    },
  });
  const containersOf = (object: KubeObject): unknown =>
    (object['spec'] as { template: { spec: { containers: unknown } } }).template.spec.containers;

  test('tracks containers by name, the selector as one', () => {
    expect(owners(apply(undefined, 'm', deployment([{ name: 'c', image: 'i' }])))).toEqual([
      [
        'Apply m',
        {
          'f:spec': {
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:app': {} } },
              'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
            },
          },
        },
      ],
    ]);
  });

  test('removes a container with its defaulted fields when its only applier drops it', () => {
    const live = apply(undefined, 'm', deployment([{ name: 'c', image: 'i' }]));
    (containersOf(live) as JsonObject[])[0] = { name: 'c', image: 'i', imagePullPolicy: 'Always' };
    const both = apply(live, 'n', deployment([{ name: 'd', image: 'j' }]));
    expect(containersOf(both)).toMatchObject([{ name: 'c' }, { name: 'd' }]);
    expect(containersOf(apply(both, 'm', deployment([])))).toMatchObject([{ name: 'd', image: 'j' }]);
  });

  test('fills the default protocol into port keys', () => {
    const live = apply(undefined, 'm', deployment([{ name: 'c', ports: [{ containerPort: 80 }] }]));
    expect(JSON.stringify(owners(live))).toContain(String.raw`k:{\"containerPort\":80,\"protocol\":\"TCP\"}`);
  });

  test('conflicts on an atomic list as a whole', () => {
    const live = apply(undefined, 'm', deployment([{ name: 'c', args: ['x'] }]));
    expect(failureOf(() => apply(live, 'n', deployment([{ name: 'c', args: ['x', 'y'] }]))).message).toBe(
      'Apply failed with 1 conflict: conflict with "m": .spec.template.spec.containers[name="c"].args',
    );
  });

  test('shows what the Go types always write', () => {
    const live = apply(undefined, 'm', deployment([{ name: 'c', image: 'i', env: [] }]));
    expect(live['status']).toEqual({});
    expect(containersOf(live)).toEqual([{ name: 'c', image: 'i', resources: {} }]);
  });

  test.each([
    [deployment([], { foo: 1 }), '.spec.foo: field not declared in schema'],
    [
      deployment([{ name: 'c' }, { name: 'c' }]),
      '.spec.template.spec.containers: duplicate entries for key [name="c"]',
    ],
    [deployment([], { replicas: 'x' }), '.spec.replicas: expected numeric (int or float), got string'],
    [deployment([], { foo: 1, bar: 2 }), '.spec.foo: field not declared in schema'],
  ])('refuses what the schema does not allow: %#', (body, problem) => {
    const failure = failureOf(() => apply(undefined, 'm', body));
    expect(failure).toEqual({
      code: 500,
      message: `failed to create typed patch object (default/a; apps/v1, Kind=Deployment): ${problem}`,
    });
  });
});

describe('tracking of updates', () => {
  test('a creator owns the maps that it brings', () => {
    const created = update(undefined, 'kubectl-create', {
      metadata: { name: 'a', labels: { x: '1' } },
      data: { a: '1' },
    });
    expect(owners(created)).toEqual([
      [
        'Update kubectl-create',
        { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } },
      ],
    ]);
    const bare = update(created, 'p', { metadata: { ...created.metadata, labels: undefined }, data: { a: '1' } });
    expect(owners(bare)).toEqual([['Update kubectl-create', { 'f:data': { '.': {}, 'f:a': {} } }]]);
  });

  test('an update takes fields without conflict, and the applier is refused after', () => {
    const live = apply(undefined, 'm', { data: { a: '1' } });
    const patched = update(live, 'kubectl-patch', { metadata: live.metadata, data: { a: '5' } });
    expect(owners(patched)).toEqual([['Update kubectl-patch', { 'f:data': { 'f:a': {} } }]]);
    expect(failureOf(() => apply(patched, 'm', { data: { a: '9' } })).message).toContain(
      'conflict with "kubectl-patch" using v1: .data.a',
    );
  });

  test.each([[[]], [[{}]]])('%j clears all, and nothing is tracked until an apply', (managedFields) => {
    const live = update(undefined, 'm', { data: { a: '1' } });
    const cleared = update(live, 'n', { metadata: { name: 'a', managedFields }, data: { a: '2' } });
    expect(cleared.metadata.managedFields).toBeUndefined();
    expect(update(cleared, 'n', { data: { a: '3' } }).metadata.managedFields).toBeUndefined();
  });

  test('broken managed fields of a request are replaced by the stored ones', () => {
    const live = update(undefined, 'm', { data: { a: '1' } });
    for (const entry of [
      { operation: 'x' },
      { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'k:{': {} } },
    ]) {
      const next = update(live, 'n', { metadata: { name: 'a', managedFields: [entry] }, data: { a: '1' } });
      expect(owners(next)).toEqual(owners(live));
    }
  });

  test('at most ten Update entries stay, the oldest become ancient-changes', () => {
    let live = update(undefined, 'm0', { data: { k0: '0' } });
    for (let index = 1; index < 15; index += 1) {
      const stamp = `2026-01-02T03:04:${String(10 + index)}Z`;
      live = update(
        live,
        `m${index}`,
        { metadata: live.metadata, data: { ...(live['data'] as object), [`k${index}`]: '0' } },
        { now: stamp },
      );
    }
    expect(live.metadata.managedFields).toHaveLength(10);
    expect(live.metadata.managedFields?.[0]).toMatchObject({
      manager: 'ancient-changes',
      time: '2026-01-02T03:04:15Z',
    });
    expect(JSON.stringify(live.metadata.managedFields?.[0]?.['fieldsV1'])).toContain('f:k4');
  });

  test('a map that gives way to a list takes what was in it along', () => {
    const options = { schema: undefined };
    const live = apply(undefined, 'm', { spec: { q: { w: 1 }, r: 1 } }, options);
    const next = update(live, 'u', { metadata: live.metadata, spec: { q: [1], r: 1 } }, options);
    expect(owners(next)).toEqual([
      ['Apply m', { 'f:spec': { '.': {}, 'f:r': {} } }],
      ['Update u', { 'f:spec': { 'f:q': {} } }],
    ]);
  });

  test('a subresource has entries of its own and cannot send managed fields', () => {
    const live = update(undefined, 'm', { data: { a: '1' } });
    const next = update(
      live,
      'ctrl',
      { metadata: { name: 'a', managedFields: [{}] }, data: { a: '2' } },
      { subresource: 'status' },
    );
    expect(next.metadata.managedFields).toMatchObject([{ manager: 'ctrl', subresource: 'status' }, { manager: 'm' }]);
  });

  test('reset fields have no owner', () => {
    const resetFields = FieldSet.of(['f:data']);
    const created = update(
      undefined,
      'm',
      { metadata: { name: 'a', labels: { x: '1' } }, data: { a: '1' } },
      { resetFields },
    );
    expect(owners(created)).toEqual([['Update m', { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } }]]);
  });
});

test('metadata of custom objects is tracked as that of all objects', () => {
  const bare = { apiVersion: 'example.com/v1', kind: 'Thing' };
  const metadata = (finalizer: string): object => ({ name: 'a', namespace: 'default', finalizers: [finalizer] });
  const custom: Schema = { type: 'object', properties: { spec: { type: 'object' } } };
  for (const schema of [custom, undefined]) {
    const first = apply(undefined, 'm', { ...bare, metadata: metadata('a/b') }, { schema });
    const both = apply(first, 'n', { ...bare, metadata: metadata('c/d') }, { schema });
    expect([...(both.metadata.finalizers ?? [])].sort()).toEqual(['a/b', 'c/d']);
  }
});

test('encodeBuiltIn gives an object that is complete as it is', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z' },
    data: { a: '1' },
  };
  expect(encodeBuiltIn(object, schemaOf('ConfigMap'))).toBe(object);
});

const elements = fc.constantFrom('f:a', 'f:b', 'k:{"name":"c"}', 'v:"x"');
const sets = fc
  .array(fc.array(elements, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => FieldSet.of(...paths));

describe('field sets', () => {
  test('survive being written and read', () => {
    fc.assert(fc.property(sets, (set) => FieldSet.parse(set.toJson()).isEqual(set)));
  });

  test('obey the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(a.union(b).isEqual(b.union(a))).toBe(true);
        expect(a.intersection(b).union(a.difference(b)).isEqual(a)).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
        expect(a.differenceWithBelow(b).difference(a).isEmpty).toBe(true);
      }),
    );
  });

  test.each([[{ 'x:y': {} }], [{ 'k:[]': {} }], [{ 'v:{': {} }], [[]]])('refuse %j', (json) => {
    expect(() => FieldSet.parse(json)).toThrow('fieldsV1');
  });
});

const trees = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(fc.constantFrom('1', '2'), fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2'))),
);

test('applying twice changes nothing, applying nothing removes what was owned', () => {
  fc.assert(
    fc.property(trees, trees, (live, applied) => {
      const options = { schema: undefined };
      const base = apply(undefined, 'o', { spec: live }, options);
      const once = apply(base, 'm', { spec: applied }, { ...options, force: true });
      expect(apply(once, 'm', { spec: applied }, { ...options, now: later })).toEqual(once);
      const gone = apply(once, 'm', {}, options);
      expect(owners(gone).some((owner) => isJsonEqual((owner as [string])[0], 'Apply m'))).toBe(false);
      const left = fieldSetOf({ spec: (gone['spec'] ?? null) as JsonObject }, undefined);
      expect(left.difference(fieldSetOf({ spec: live }, undefined)).isEmpty).toBe(true);
    }),
  );
});
