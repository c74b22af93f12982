import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { deployment, pathOf, podTemplate, service, strategicPatch } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const live: JsonObject = {
  containers: [
    {
      name: 'a',
      image: 'a:1',
      command: ['x', 'y'],
      env: [
        { name: 'e1', value: '1' },
        { name: 'e2', value: '2' },
      ],
      ports: [{ containerPort: 80, name: 'http' }, { containerPort: 443 }],
      volumeMounts: [{ name: 'v1', mountPath: '/v1' }],
      resources: { limits: { cpu: '1', memory: '1Gi' } },
    },
    { name: 'b', image: 'b:1' },
  ],
  volumes: [
    { name: 'v1', emptyDir: {} },
    { name: 'v2', configMap: { name: 'c' } },
  ],
  tolerations: [{ key: 'k', operator: 'Exists' }],
  hostAliases: [{ ip: '1.1.1.1', hostnames: ['x'] }],
  imagePullSecrets: [{ name: 's1' }, { name: 's2' }],
  nodeSelector: { n: 'm' },
  securityContext: { runAsUser: 1 },
};

interface Row {
  readonly name: string;
  readonly spec: JsonValue;
}

const containers = (...items: JsonValue[]): JsonObject => ({ containers: items });
const order = (...names: JsonValue[]): JsonObject => ({
  '$setElementOrder/containers': names.map((name) => (typeof name === 'string' ? { name } : name)),
});

const rows: readonly Row[] = [
  { name: 'W115 merges a container by its name', spec: containers({ name: 'a', image: 'a:2' }) },
  { name: 'adds a container', spec: containers({ name: 'c', image: 'c:1' }) },
  { name: 'adds containers before and behind', spec: containers({ name: 'c', image: 'c' }, { name: 'a', tty: true }) },
  { name: 'merges a container twice', spec: containers({ name: 'a', tty: true }, { name: 'a', image: 'a:3' }) },
  { name: 'adds a container twice', spec: containers({ name: 'c', image: 'c:1' }, { name: 'c', tty: true }) },
  { name: 'W116 deletes a container', spec: containers({ name: 'a', $patch: 'delete' }) },
  { name: 'deletes an absent container', spec: containers({ name: 'z', $patch: 'delete' }) },
  {
    name: 'deletes and adds the same container',
    spec: containers({ name: 'a', $patch: 'delete' }, { name: 'a', image: 'n' }),
  },
  { name: 'deletes without a name', spec: containers({ image: 'a', $patch: 'delete' }) },
  { name: 'W117 replaces all containers', spec: containers({ $patch: 'replace' }, { name: 'z', image: 'z:1' }) },
  {
    name: 'replaces all containers by a directive behind them',
    spec: containers({ name: 'z', image: 'z' }, { $patch: 'replace' }),
  },
  {
    name: 'replaces all containers, with a name beside the directive',
    spec: containers({ name: 'z', image: 'z', $patch: 'replace' }),
  },
  {
    name: 'replaces and deletes',
    spec: containers({ $patch: 'replace' }, { name: 'a', $patch: 'delete' }, { name: 'q', image: 'q' }),
  },
  { name: 'merges an item by directive', spec: containers({ name: 'a', image: 'a:2', $patch: 'merge' }) },
  { name: 'refuses an unknown directive in a list', spec: containers({ name: 'a', $patch: 'explode' }) },
  { name: 'refuses a directive that is no text in a list', spec: containers({ name: 'a', $patch: 1 }) },
  { name: 'replaces a map by directive', spec: { securityContext: { $patch: 'replace', runAsGroup: 2 } } },
  { name: 'empties a map by directive', spec: { securityContext: { $patch: 'delete' } } },
  { name: 'empties a map by directive, whatever stands beside', spec: { nodeSelector: { $patch: 'delete', a: 'b' } } },
  { name: 'refuses to merge a map by directive', spec: { nodeSelector: { $patch: 'merge', a: 'b' } } },
  { name: 'refuses an unknown directive in a map', spec: { securityContext: { $patch: 'explode' } } },
  { name: 'refuses a directive that is no text in a map', spec: { securityContext: { $patch: 1 } } },
  { name: 'leaves directives out of new maps', spec: { affinity: { nodeAffinity: {}, $patch: 'replace' } } },
  {
    name: 'leaves directives out of new lists',
    spec: {
      initContainers: [
        { name: 'i', image: 'i' },
        { name: 'j', $patch: 'delete' },
      ],
    },
  },
  {
    name: 'leaves a directive to replace out of new lists',
    spec: { initContainers: [{ $patch: 'replace' }, { name: 'i', image: 'i' }] },
  },
  { name: 'refuses a container without its name', spec: containers({ image: 'a:2' }) },
  { name: 'refuses a container whose name is null', spec: containers({ name: null, image: 'x' }) },
  { name: 'refuses null among containers', spec: containers(null) },
  { name: 'refuses lists among containers', spec: containers([{ name: 'a' }]) },
  { name: 'refuses texts among containers', spec: containers('a') },
  { name: 'refuses texts and maps among containers', spec: containers({ name: 'a' }, 'a') },
  { name: 'refuses numbers among containers', spec: containers(1) },
  { name: 'refuses a map for a list', spec: { containers: { name: 'a' } } },
  { name: 'refuses a text for a list', spec: { containers: 'x' } },
  { name: 'refuses a text for a map', spec: { securityContext: 'x' } },
  { name: 'refuses a list for a map', spec: { securityContext: [] } },
  { name: 'removes a list by null', spec: { volumes: null } },
  { name: 'removes a map by null', spec: { nodeSelector: null } },
  { name: 'removes a member by null', spec: containers({ name: 'a', command: null }) },
  { name: 'removes members of a map by null', spec: containers({ name: 'a', resources: { limits: { cpu: null } } }) },
  { name: 'takes nulls out of what is new', spec: { affinity: { nodeAffinity: null, podAffinity: {} } } },
  {
    name: 'takes nulls out of new items',
    spec: containers({ name: 'c', image: 'c', command: null, securityContext: { privileged: null } }),
  },
  { name: 'empties a list that merges', spec: { volumes: [] } },
  { name: 'empties a list that is replaced', spec: { tolerations: [] } },
  { name: 'replaces a list of texts', spec: containers({ name: 'a', command: ['z'] }) },
  { name: 'replaces a list of maps without merge key', spec: { tolerations: [{ key: 'q', operator: 'Exists' }] } },
  {
    name: 'merges environment by name',
    spec: containers({
      name: 'a',
      env: [
        { name: 'e2', value: '9' },
        { name: 'e3', value: '3' },
      ],
    }),
  },
  { name: 'deletes environment by name', spec: containers({ name: 'a', env: [{ name: 'e1', $patch: 'delete' }] }) },
  {
    name: 'replaces environment',
    spec: containers({ name: 'a', env: [{ $patch: 'replace' }, { name: 'n', value: '0' }] }),
  },
  {
    name: 'merges container ports by port',
    spec: containers({ name: 'a', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 81 }] }),
  },
  {
    name: 'merges container ports, whatever the protocol',
    spec: containers({ name: 'a', ports: [{ containerPort: 443, protocol: 'UDP' }] }),
  },
  {
    name: 'merges mounts by path',
    spec: containers({
      name: 'a',
      volumeMounts: [
        { mountPath: '/v1', name: 'v2' },
        { mountPath: '/w', name: 'v2' },
      ],
    }),
  },
  {
    name: 'merges host aliases by address',
    spec: {
      hostAliases: [
        { ip: '1.1.1.1', hostnames: ['y'] },
        { ip: '2.2.2.2', hostnames: ['z'] },
      ],
    },
  },
  { name: 'merges pull secrets by name', spec: { imagePullSecrets: [{ name: 's3' }, { name: 's1' }] } },
  { name: 'merges a volume, its source beside the old', spec: { volumes: [{ name: 'v1', configMap: { name: 'd' } }] } },
  {
    name: 'retains the keys of a volume',
    spec: { volumes: [{ name: 'v1', configMap: { name: 'd' }, $retainKeys: ['name', 'configMap'] }] },
  },
  {
    name: 'retains keys, one of them absent',
    spec: { volumes: [{ name: 'v1', $retainKeys: ['name', 'emptyDir', 'secret'] }] },
  },
  { name: 'retains no key', spec: { volumes: [{ name: 'v1', emptyDir: {}, $retainKeys: [] }] } },
  {
    name: 'refuses keys that are not retained',
    spec: { volumes: [{ name: 'v1', configMap: { name: 'd' }, $retainKeys: ['name'] }] },
  },
  { name: 'refuses keys to retain that are no list', spec: { volumes: [{ name: 'v1', $retainKeys: 'name' }] } },
  { name: 'refuses keys to retain that are no texts', spec: { volumes: [{ name: 'v1', $retainKeys: [1, 'name'] }] } },
  {
    name: 'retains keys where no strategy requests it',
    spec: { securityContext: { runAsGroup: 3, $retainKeys: ['runAsGroup'] } },
  },
  {
    name: 'retains keys of a new volume',
    spec: { volumes: [{ name: 'v3', emptyDir: {}, $retainKeys: ['name', 'emptyDir'] }] },
  },
  {
    name: 'lets null stand for a key that is not retained',
    spec: { volumes: [{ name: 'v1', emptyDir: null, secret: { secretName: 's' }, $retainKeys: ['name', 'secret'] }] },
  },
  {
    name: 'W118 orders containers',
    spec: { ...order('b', 'a'), ...containers({ name: 'b', image: 'b:2' }, { name: 'a', image: 'a:2' }) },
  },
  { name: 'orders containers without changing them', spec: order('b', 'a') },
  {
    name: 'orders new containers among old',
    spec: { ...order('c', 'a', 'd', 'b'), ...containers({ name: 'c', image: 'c' }, { name: 'd', image: 'd' }) },
  },
  { name: 'orders and deletes', spec: { ...order('b'), ...containers({ name: 'a', $patch: 'delete' }) } },
  { name: 'orders a part of the containers', spec: { ...order('b', 'c'), ...containers({ name: 'c', image: 'c' }) } },
  { name: 'orders unknown containers', spec: order('z', 'a') },
  {
    name: 'refuses a patch in another order',
    spec: { ...order('a', 'b'), ...containers({ name: 'b', tty: true }, { name: 'a', tty: true }) },
  },
  {
    name: 'refuses a patch with more than is ordered',
    spec: { ...order('a'), ...containers({ name: 'a', tty: true }, { name: 'c', image: 'c' }) },
  },
  {
    name: 'refuses an order that is no list',
    spec: { '$setElementOrder/containers': 'x', ...containers({ name: 'a', tty: true }) },
  },
  {
    name: 'refuses an order of texts for maps',
    spec: { '$setElementOrder/containers': ['a'], ...containers({ name: 'a', tty: true }) },
  },
  {
    name: 'refuses an order without the merge key',
    spec: { ...order({ image: 'a' }), ...containers({ name: 'a', tty: true }) },
  },
  {
    name: 'takes an empty order',
    spec: { '$setElementOrder/containers': [], ...containers({ name: 'a', tty: true }) },
  },
  { name: 'orders a list that is absent', spec: { '$setElementOrder/initContainers': [{ name: 'i' }] } },
  { name: 'orders an unknown field', spec: { '$setElementOrder/nope': [{ name: 'i' }] } },
  {
    name: 'orders environment deep inside',
    spec: containers({
      name: 'a',
      '$setElementOrder/env': [{ name: 'e2' }, { name: 'e3' }, { name: 'e1' }],
      env: [{ name: 'e3', value: '3' }],
    }),
  },
  {
    name: 'deletes texts from a list that is replaced',
    spec: containers({ name: 'a', '$deleteFromPrimitiveList/command': ['x'] }),
  },
  {
    name: 'deletes texts by what is no list',
    spec: containers({ name: 'a', '$deleteFromPrimitiveList/command': 'x' }),
  },
  { name: 'deletes texts from a list of maps', spec: { '$deleteFromPrimitiveList/volumes': ['v1'] } },
  {
    name: 'deletes texts from an absent list',
    spec: containers({ name: 'b', '$deleteFromPrimitiveList/command': ['x'] }),
  },
  { name: 'refuses an unknown field', spec: { nope: 1 } },
  { name: 'refuses an unknown field with a map', spec: { nope: { a: 1 } } },
  { name: 'refuses an unknown field with a list', spec: { nope: [] } },
  { name: 'refuses an unknown field of an item', spec: containers({ name: 'a', nope: { a: [] } }) },
  { name: 'refuses an unknown directive key', spec: { $nope: 1 } },
  { name: 'takes an empty map', spec: {} },
  { name: 'takes null', spec: null },
];

const finalizerRows: readonly (readonly [name: string, metadata: JsonObject])[] = [
  ['unites finalizers', { finalizers: ['c/d', 'a/b'] }],
  ['W119 deletes a finalizer', { '$deleteFromPrimitiveList/finalizers': ['a/b'] }],
  ['deletes and adds finalizers', { '$deleteFromPrimitiveList/finalizers': ['a/b'], finalizers: ['e/f'] }],
  ['deletes an absent finalizer', { '$deleteFromPrimitiveList/finalizers': ['z/z'] }],
  ['deletes finalizers by what is no list', { '$deleteFromPrimitiveList/finalizers': 'a/b' }],
  ['deletes finalizers that are no texts', { '$deleteFromPrimitiveList/finalizers': [1, { a: 1 }] }],
  ['orders finalizers', { '$setElementOrder/finalizers': ['e/f', 'a/b', 'c/d'], finalizers: ['e/f'] }],
  ['refuses finalizers out of order', { '$setElementOrder/finalizers': ['a/b', 'e/f'], finalizers: ['e/f', 'a/b'] }],
  [
    'orders and deletes finalizers',
    { '$setElementOrder/finalizers': ['c/d'], '$deleteFromPrimitiveList/finalizers': ['a/b'] },
  ],
  ['adds a finalizer twice', { finalizers: ['e/f', 'e/f'] }],
  ['refuses null among finalizers', { finalizers: [null] }],
  ['refuses maps among finalizers', { finalizers: [{ a: 1 }] }],
  ['removes all finalizers', { finalizers: null }],
  [
    'merges owners by uid',
    {
      ownerReferences: [
        { uid: 'u1', name: 'n', kind: 'K', apiVersion: 'a/v1' },
        { uid: 'u0', name: 'changed' },
      ],
    },
  ],
  ['deletes an owner', { ownerReferences: [{ uid: 'u0', $patch: 'delete' }] }],
  ['replaces labels', { labels: { $patch: 'replace', n: '1' } }],
  ['merges labels', { labels: { n: '1', l: null } }],
];

/** Strategic merge patches of built-in kinds. */
export const cases: Area = area('Strategic merge patch', (it) => {
  const specOf = (body: JsonValue): JsonValue => {
    const { kind, template } = body as { kind: string; template: JsonObject };
    return kind === 'Status' ? body : (template['spec'] ?? null);
  };
  for (const { name, spec } of rows) {
    it(name, async (api) => {
      await api.setUp('POST', pathOf(api, 'podtemplates'), { body: podTemplate('a', live) });
      const body = { template: { spec } };
      await api.ask('PATCH', pathOf(api, 'podtemplates', 'a'), { body, contentType: strategicPatch, keep: specOf });
    });
  }

  for (const [name, metadata] of finalizerRows) {
    it(name, async (api) => {
      const ownerReferences = [{ uid: 'u0', name: 'o', kind: 'O', apiVersion: 'a/v1' }];
      const own = { name: 'a', finalizers: ['a/b', 'c/d'], labels: { l: '1' }, ownerReferences };
      await api.setUp('POST', pathOf(api, 'configmaps'), { body: { metadata: own } });
      const path = pathOf(api, 'configmaps', 'a');
      const keep = (body: JsonValue): JsonValue => {
        const object = body as { kind: string; metadata: JsonObject };
        const { finalizers, ownerReferences: owners, labels } = object.metadata;
        return object.kind === 'Status'
          ? body
          : { finalizers: finalizers ?? null, owners: owners ?? null, labels: labels ?? null };
      };
      await api.ask('PATCH', path, { body: { metadata }, contentType: strategicPatch, keep });
      await api.setUp('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: strategicPatch });
    });
  }

  const strategies: readonly JsonObject[] = [
    { type: 'Recreate', $retainKeys: ['type'] },
    { type: 'Recreate' },
    { $patch: 'replace', type: 'Recreate' },
    { rollingUpdate: { maxSurge: 3 } },
    { rollingUpdate: { maxSurge: 3 }, $retainKeys: ['type', 'rollingUpdate'] },
    { rollingUpdate: null, type: 'Recreate' },
    { rollingUpdate: { maxSurge: 3 }, $retainKeys: ['type'] },
  ];
  for (const strategy of strategies) {
    it(`patches a Deployment's strategy: ${JSON.stringify(strategy)}`, async (api) => {
      const path = pathOf(api, 'apps/v1/deployments', 'a');
      await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), {
        body: deployment('a', { paused: true, replicas: 0 }),
      });
      const keep = (body: JsonValue): JsonValue => {
        const { kind, spec } = body as { kind: string; spec: JsonObject };
        return kind === 'Status' ? body : (spec['strategy'] ?? null);
      };
      await api.ask('PATCH', `${path}?dryRun=All`, { body: { spec: { strategy } }, contentType: strategicPatch, keep });
    });
  }

  const ports: readonly JsonObject[] = [
    { ports: [{ port: 80, targetPort: 8080 }] },
    { ports: [{ port: 81, name: 'new' }] },
    { ports: [{ port: 80, protocol: 'UDP' }] },
    { ports: [{ name: 'http', targetPort: 1 }] },
    { ports: [{ port: 443, $patch: 'delete' }] },
    { ports: [{ $patch: 'replace' }, { port: 1 }] },
    { '$setElementOrder/ports': [{ port: 443 }, { port: 80 }], ports: [{ port: 80, targetPort: 9 }] },
    { selector: { $patch: 'replace', q: 'r' }, externalIPs: ['1.2.3.4'] },
    { selector: null },
  ];
  for (const spec of ports) {
    it(`patches a Service: ${JSON.stringify(spec)}`, async (api) => {
      const own = {
        clusterIP: 'None',
        ports: [
          { name: 'http', port: 80 },
          { name: 'https', port: 443 },
        ],
      };
      await api.setUp('POST', pathOf(api, 'services'), { body: service('a', own) });
      const keep = (body: JsonValue): JsonValue => {
        const { kind, spec: found } = body as { kind: string; spec: JsonObject };
        return kind === 'Status' ? body : { ports: found['ports'] ?? null, selector: found['selector'] ?? null };
      };
      await api.ask('PATCH', pathOf(api, 'services', 'a'), { body: { spec }, contentType: strategicPatch, keep });
    });
  }

  it('reads the merge keys of a service account and of a claim', async (api) => {
    const secrets = [{ name: 's' }, { name: 't' }];
    await api.setUp('POST', pathOf(api, 'serviceaccounts'), {
      body: { metadata: { name: 'a' }, secrets, imagePullSecrets: secrets },
    });
    const change = { secrets: [{ name: 'u' }], imagePullSecrets: [{ name: 'u' }] };
    const keep = (body: JsonValue): JsonValue => {
      const { secrets: own, imagePullSecrets } = body as JsonObject;
      return { own: own ?? null, imagePullSecrets: imagePullSecrets ?? null };
    };
    await api.ask('PATCH', pathOf(api, 'serviceaccounts', 'a'), { body: change, contentType: strategicPatch, keep });
  });

  it('refuses patches that are no maps', async (api) => {
    await api.setUp('POST', pathOf(api, 'podtemplates'), { body: podTemplate('a') });
    const path = pathOf(api, 'podtemplates', 'a');
    for (const rawBody of [
      '',
      '{',
      'x',
      'null',
      '[]',
      '"x"',
      '1',
      '{"a":1} x',
      '{"$patch":"delete"}',
      '{"$patch":"replace"}',
      '{"$patch":"x"}',
    ]) {
      await api.ask('PATCH', path, { rawBody, contentType: strategicPatch, keep: specOf });
      await api.ask('PATCH', `${path}?fieldValidation=Ignore`, { rawBody, contentType: strategicPatch, keep: specOf });
    }
  });
});
