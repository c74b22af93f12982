import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

/** These pods are not scheduled, so that only the case changes them. */
function podOf(spec: JsonObject = {}): JsonObject {
  const container = { name: 'c', image: 'x:1' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', labels: { app: 'a' } },
    spec: { schedulerName: 'nobody', automountServiceAccountToken: false, containers: [container], ...spec },
  };
}

async function createPod(api: Probe, spec: JsonObject = {}): Promise<string> {
  const pods = `/api/v1/namespaces/${api.namespace}/pods`;
  await api.setUp('POST', pods, { body: podOf(spec) });
  return `${pods}/a`;
}

function partsOf(body: JsonValue, ...keys: readonly string[]): JsonValue {
  if (!isJsonObject(body) || body['kind'] === 'Status') return body;
  return Object.fromEntries(keys.map((key) => [key, body[key] ?? null]));
}

const specAndStatus = (body: JsonValue): JsonValue => partsOf(body, 'spec', 'status');

function bindingTo(target: JsonObject, metadata: JsonObject = { name: 'a' }): JsonObject {
  return { apiVersion: 'v1', kind: 'Binding', metadata, target };
}

const node = { apiVersion: 'v1', kind: 'Node', name: 'n' };
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';

const bodyTypes = { POST: 'application/json', PUT: 'application/json', PATCH: merge };

const changed = { labels: { app: 'b', x: 'y' }, annotations: { a: 'b' } };

/** What a write with `changed` may have changed. */
function changedParts(body: JsonValue): JsonValue {
  if (!isJsonObject(body) || !isJsonObject(body['metadata'])) return body;
  return partsOf(body['metadata'], 'labels', 'annotations', 'finalizers');
}

/** What may be done to a pod beside changing it. */
export const cases: Area = area('Parts of pods', (it) => {
  it('binds a pod to a node, once', async (api) => {
    const pod = await createPod(api);
    await api.ask('POST', `${pod}/binding`, { body: bindingTo(node) });
    await api.ask('GET', pod, { keep: specAndStatus });
    await api.ask('POST', `${pod}/binding`, { body: bindingTo(node) });
  });
  it('binds a pod through the bindings of its namespace', async (api) => {
    const pod = await createPod(api);
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/bindings`, { body: bindingTo(node) });
    await api.ask('GET', pod, { keep: specAndStatus });
  });
  it('takes annotations and labels of a binding over to the pod', async (api) => {
    const pod = await createPod(api);
    const metadata = { name: 'a', annotations: { a: 'b' }, labels: { c: 'd' } };
    await api.ask('POST', `${pod}/binding`, { body: bindingTo(node, metadata) });
    await api.ask('GET', pod, {
      keep: (body) => partsOf((body as JsonObject)['metadata'] ?? null, 'annotations', 'labels'),
    });
  });
  for (const [name, target] of Object.entries({
    'to no node': { kind: 'Node', name: '' },
    'to something that is no node': { kind: 'Pod', name: 'n' },
    'to a node without a kind': { name: 'n' },
  })) {
    it(`looks at a binding ${name}`, async (api) => {
      const pod = await createPod(api);
      await api.ask('POST', `${pod}/binding`, { body: bindingTo(target) });
    });
  }
  it('refuses to bind what has another name, is gated or is not there', async (api) => {
    const pod = await createPod(api, { schedulingGates: [{ name: 'g' }] });
    await api.ask('POST', `${pod}/binding`, { body: bindingTo(node) });
    await api.ask('POST', `${pod}/binding`, { body: bindingTo(node, { name: 'b' }) });
    await api.ask('POST', `${pod}x/binding`, { body: bindingTo(node, { name: 'ax' }) });
  });
  it('begins a gated pod with a condition', async (api) => {
    const pod = await createPod(api, { schedulingGates: [{ name: 'g' }] });
    await api.ask('GET', pod, { keep: specAndStatus });
    const patch = { spec: { schedulingGates: null } };
    await api.ask('PATCH', pod, { body: patch, contentType: merge, keep: specAndStatus });
  });
  it('adds ephemeral containers, which cannot be changed or removed', async (api) => {
    const pod = await createPod(api);
    const path = `${pod}/ephemeralcontainers`;
    const add = (container: JsonObject): Promise<unknown> =>
      api.ask('PATCH', path, {
        body: { spec: { ephemeralContainers: [container] } },
        contentType: strategic,
        keep: specAndStatus,
      });
    await add({ name: 'debug', image: 'busybox', targetContainerName: 'c' });
    await add({ name: 'debug', image: 'other' });
    await add({ name: 'c', image: 'busybox' });
    await add({ name: 'second', image: '', ports: [{ containerPort: 1 }] });
    await api.ask('PATCH', path, { body: { spec: { ephemeralContainers: null } }, contentType: merge });
    await api.ask('PATCH', path, {
      body: { spec: { hostNetwork: true }, metadata: { labels: { x: 'y' } } },
      contentType: merge,
      keep: (body) => partsOf(body, 'spec'),
    });
    await api.ask('GET', path, { keep: specAndStatus });
  });
  for (const [part, spec] of Object.entries({
    ephemeralcontainers: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] },
    resize: { containers: [{ name: 'c', resources: { requests: { cpu: '200m' } } }] },
  })) {
    it(`changes no metadata of a pod through ${part}`, async (api) => {
      const resources = { requests: { cpu: '100m' } };
      const pod = await createPod(api, { containers: [{ name: 'c', image: 'x:1', resources }] });
      await api.ask('PATCH', `${pod}/${part}`, {
        body: { metadata: { ...changed, finalizers: ['a.example/b'] }, spec },
        contentType: strategic,
        keep: changedParts,
      });
      await api.ask('GET', pod, { keep: changedParts });
    });
  }
  for (const part of ['status', 'ephemeralcontainers', 'resize', 'binding', 'eviction', 'log', 'portforward', 'exec']) {
    it(`finds nothing below ${part}`, async (api) => {
      const pod = await createPod(api);
      for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const) {
        const body = { metadata: changed };
        const sent = method === 'GET' || method === 'DELETE' ? {} : { body, contentType: bodyTypes[method] };
        await api.ask(method, `${pod}/${part}/further`, sent);
      }
      await api.ask('GET', pod, { keep: changedParts });
    });
  }
  it('resizes the containers of a pod', async (api) => {
    const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } };
    const pod = await createPod(api, { containers: [{ name: 'c', image: 'x:1', resources }] });
    const resize = (container: JsonObject): Promise<unknown> =>
      api.ask('PATCH', `${pod}/resize`, {
        body: { spec: { containers: [{ name: 'c', ...container }] } },
        contentType: strategic,
        keep: specAndStatus,
      });
    await resize({ resources: { requests: { cpu: '200m' }, limits: { memory: '128Mi' } } });
    await resize({ resources: { limits: { memory: '32Mi' }, requests: { memory: '16Mi' } } });
    await resize({ resources: { requests: { cpu: null } } });
    await resize({ resources: { limits: { 'ephemeral-storage': '1Gi' } } });
    await resize({ image: 'other' });
    await resize({ resources: { limits: { cpu: '100m' } } });
    await resize({ resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] });
  });
  it('refuses to resize a pod into another class of service, or its list of containers', async (api) => {
    const pod = await createPod(api);
    await api.ask('PATCH', `${pod}/resize`, {
      body: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } },
      contentType: strategic,
    });
    await api.ask('PATCH', `${pod}/resize`, {
      body: { spec: { containers: [{ name: 'd', image: 'x' }] } },
      contentType: strategic,
    });
    await api.ask('PATCH', `${pod}/resize`, {
      body: { spec: { containers: [{ name: 'd', image: 'x' }] } },
      contentType: merge,
    });
    await api.ask('PATCH', pod, {
      body: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } },
      contentType: strategic,
    });
  });
  const statuses: Readonly<Record<string, JsonObject>> = {
    'that reports it runs': {
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      hostIP: '10.0.0.2',
      hostIPs: [{ ip: '10.0.0.2' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
    'with another class of service': { qosClass: 'Guaranteed' },
    'with bad addresses': { podIPs: [{ ip: 'x' }], hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.5' }] },
    'with two addresses of one family': { podIPs: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }] },
    'with addresses of both families': { podIP: '1.2.3.4', podIPs: [{ ip: '1.2.3.4' }, { ip: '::1' }] },
    'with an odd address': { podIPs: [{ ip: '1.2.3.04' }] },
    'with a bad condition': { conditions: [{ type: 'a b', status: 'True' }] },
    'with a bad node': { nominatedNodeName: 'A_b' },
    'with claims that the pod has not': { resourceClaimStatuses: [{ name: 'x' }] },
  };
  for (const [name, status] of Object.entries(statuses)) {
    it(`looks at a status ${name}`, async (api) => {
      const pod = await createPod(api);
      await api.ask('PATCH', `${pod}/status`, { body: { status }, contentType: merge, keep: specAndStatus });
    });
  }
  it('leaves a container that has ended, and is not to start again, as it is', async (api) => {
    const pod = await createPod(api, { restartPolicy: 'Never' });
    const write = (state: JsonObject): Promise<unknown> => {
      const containerStatuses = [{ name: 'c', image: 'x', imageID: '', ready: false, restartCount: 0, state }];
      const body = { status: { phase: 'Running', containerStatuses } };
      return api.ask('PATCH', `${pod}/status`, { body, contentType: merge, keep: specAndStatus });
    };
    await write({ terminated: { exitCode: 1 } });
    await write({ terminated: null, running: {} });
  });
});
