import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { type AppliedKind, applying, kinds } from '../applying.ts';
import { applyPatch, configMap, pathOf } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const containers = (...items: JsonValue[]): JsonObject => ({ template: { spec: { containers: items } } });
const a: JsonObject = { name: 'a', image: 'a' };

interface Row {
  readonly kind: AppliedKind;
  readonly body: JsonObject;
}

const pods = (body: JsonObject): Row => ({ kind: kinds.podTemplate, body });
const services = (spec: JsonObject): Row => ({ kind: kinds.service, body: { spec } });
const maps = (body: JsonObject): Row => ({ kind: kinds.configMap, body });
const deployments = (spec: JsonObject): Row => ({ kind: kinds.deployment, body: { spec } });

const rows: readonly Row[] = [
  deployments({ foo: 1 }),
  deployments({ bar: { a: 1 } }),
  deployments({ replicas: 'x' }),
  deployments({ replicas: true }),
  deployments({ replicas: [] }),
  deployments({ replicas: {} }),
  deployments({ paused: 'x' }),
  deployments({ paused: 1 }),
  deployments({ template: 'x' }),
  deployments({ template: [] }),
  deployments({ selector: 'x' }),
  deployments({ strategy: { rollingUpdate: { maxSurge: {} } } }),
  deployments({ selector: { matchLabels: { x: 1 } } }),
  maps({ data: 'x' }),
  maps({ data: [] }),
  maps({ data: { a: 1 } }),
  maps({ data: { a: true } }),
  maps({ data: { a: {} } }),
  maps({ data: { a: [] } }),
  maps({ data: { a: null } }),
  maps({ data: null }),
  maps({ binaryData: { a: 'no base64' } }),
  maps({ immutable: 'x' }),
  maps({ foo: 1 }),
  maps({ metadata: { foo: 1 } }),
  maps({ metadata: { labels: { a: 1 } } }),
  maps({ metadata: { labels: 'x' } }),
  maps({ metadata: { finalizers: ['a/b', 'a/b'] } }),
  maps({ metadata: { finalizers: 'a/b' } }),
  maps({ metadata: { finalizers: [1] } }),
  maps({ metadata: { finalizers: [null] } }),
  maps({ metadata: { finalizers: [{}] } }),
  maps({ metadata: { ownerReferences: [{ name: 'x' }] } }),
  maps({ metadata: { ownerReferences: 'x' } }),
  maps({ metadata: { creationTimestamp: 'x' } }),
  maps({ metadata: { creationTimestamp: 1 } }),
  maps({ metadata: { generation: 'x' } }),
  pods(containers(a, a)),
  pods(containers({ image: 'a' })),
  pods(containers({ name: null, image: 'a' })),
  pods(containers('a')),
  pods(containers(null)),
  pods(containers([])),
  pods({ template: { spec: { containers: {} } } }),
  pods({ template: { spec: { containers: 'x' } } }),
  pods({ template: { spec: { containers: null } } }),
  pods(containers({ ...a, ports: [{ containerPort: 80 }, { containerPort: 80 }] })),
  pods(containers({ ...a, ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] })),
  pods(containers({ ...a, ports: [{ name: 'x' }] })),
  pods(containers({ ...a, ports: [{ containerPort: 'x' }] })),
  pods(containers({ ...a, ports: [{ containerPort: 80.5 }] })),
  pods(containers({ ...a, env: [{ value: 'x' }] })),
  pods(
    containers({
      ...a,
      env: [
        { name: 'E', value: '1' },
        { name: 'E', value: '2' },
      ],
    }),
  ),
  pods(containers({ ...a, command: 'x' })),
  pods(containers({ ...a, command: [1] })),
  pods(containers({ ...a, command: [null] })),
  pods(containers({ ...a, resources: { limits: { cpu: 'x' } } })),
  pods(containers({ ...a, resources: { limits: { cpu: {} } } })),
  pods(containers({ ...a, resources: { limits: { cpu: 1, memory: 0.5 } } })),
  pods(containers({ ...a, nope: { x: [] } }, { name: 'b', image: 'b', nope: 1 })),
  pods(containers({ ...a, livenessProbe: { httpGet: { port: 'x', path: 1 } } })),
  pods({ template: { spec: { nodeSelector: { a: 1 } } } }),
  pods({ template: { spec: { nodeSelector: [] } } }),
  pods({ template: { spec: { tolerations: [{ key: 1 }] } } }),
  pods({ template: { spec: { tolerations: [null] } } }),
  pods({ template: { spec: { topologySpreadConstraints: [{ topologyKey: 'x' }] } } }),
  services({ ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }),
  services({ ports: [{ name: 'x' }] }),
  services({ ports: [{ port: 80, targetPort: {} }] }),
  services({ selector: 'x' }),
  services({ externalIPs: [1] }),
];

/** What an apply that does not fit the schema of its kind answers. */
export const cases: Area = area('Server-side apply: schema errors', (it) => {
  for (const { kind, body } of rows) {
    it(`W129 W130 ${kind.kind} ${JSON.stringify(body)}`, async (api) => {
      await applying(api, kind).apply('m', body);
    });
  }

  it('W130 tolerates duplicates in what is stored', async (api) => {
    const { apply, path } = applying(api, kinds.podTemplate);
    const env = [
      { name: 'E', value: '1' },
      { name: 'E', value: '2' },
    ];
    await api.setUp('POST', pathOf(api, 'podtemplates'), {
      body: { metadata: { name: 'a' }, ...containers({ ...a, env }) },
    });
    await apply('m', containers({ ...a, tty: true }));
    await apply('m', containers({ ...a, env: [{ name: 'E', value: '3' }] }));
    await apply('m', containers({ ...a, env: [{ name: 'E', value: '3' }] }), '?force=true');
    await api.ask('GET', path);
  });

  it('W102 finds unknown fields whatever fieldValidation is', async (api) => {
    const { apply } = applying(api, kinds.configMap);
    for (const mode of ['Ignore', 'Warn', 'Strict']) await apply('m', { foo: 1 }, `?fieldValidation=${mode}`);
  });

  it('W105 finds duplicate keys', { differs: 'The YAML parser takes no keys that stand twice.' }, async (api) => {
    const rawBody = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: "1"\n  a: "2"\n';
    for (const mode of ['Ignore', 'Warn', 'Strict']) {
      const path = `${pathOf(api, 'configmaps', 'a')}?fieldManager=m&fieldValidation=${mode}`;
      await api.ask('PATCH', path, { rawBody, contentType: applyPatch });
    }
  });

  it('W129 names the object as the patch names it', async (api) => {
    const path = `${pathOf(api, 'configmaps', 'a')}?fieldManager=m`;
    await api.ask('PATCH', path, { body: { ...configMap('a'), foo: 1 }, contentType: applyPatch });
    const body = { ...configMap('a', { metadata: { namespace: api.namespace } }), foo: 1 };
    await api.ask('PATCH', path, { body, contentType: applyPatch });
    await api.ask('PATCH', path, { body: { ...configMap('b'), foo: 1 }, contentType: applyPatch });
  });
});
