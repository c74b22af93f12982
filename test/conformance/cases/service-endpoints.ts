import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { plainContainer, pod } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const mergePatch = 'application/merge-patch+json';

function core(api: Probe, rest: string): string {
  return `/api/v1/namespaces/${api.namespace}/${rest}`;
}

function slices(api: Probe, service: string): string {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${service}`);
  return `/apis/discovery.k8s.io/v1/namespaces/${api.namespace}/endpointslices?labelSelector=${selector}`;
}

interface PodState {
  readonly ip?: string;
  readonly isReady?: boolean;
  readonly phase?: string;
}

/** A Service, and the node on which its pods are: one that is not there would be in no endpoints. */
async function prepare(api: Probe, body: unknown): Promise<void> {
  const node = api.unique('node');
  api.cleanUp(`/api/v1/nodes/${node}`);
  await api.setUp('POST', '/api/v1/nodes', { body: { apiVersion: 'v1', kind: 'Node', metadata: { name: node } } });
  await api.setUp('POST', core(api, 'services'), { body });
}

/** A pod on a node without a kubelet, in the state that its kubelet would report. */
async function makePod(api: Probe, name: string, given: PodState & { readonly spec?: object }): Promise<void> {
  const { spec = {}, ...state } = given;
  const labels = { app: 'web' };
  const ports = [{ name: 'http', containerPort: 8080 }];
  const containers = [{ ...plainContainer, ports }];
  const body = pod(name, { schedulerName: 'nobody', nodeName: api.unique('node'), containers, ...spec }, { labels });
  await api.setUp('POST', core(api, 'pods'), { body });
  await report(api, name, state);
}

async function report(api: Probe, name: string, { ip, isReady = false, phase = 'Running' }: PodState): Promise<void> {
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  const addresses = ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] };
  await api.setUp('PATCH', core(api, `pods/${name}/status`), {
    body: { status: { phase, conditions, ...addresses } },
    contentType: 'application/strategic-merge-patch+json',
  });
}

function service(name: string, spec: object = {}): unknown {
  const ports = [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'plain', port: 81, targetPort: 9090 },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: { own: 'label' } },
    spec: { selector: { app: 'web' }, ports, ...spec },
  };
}

function subsetsOf(body: JsonValue): JsonObject[] {
  const subsets = isJsonObject(body) ? body['subsets'] : undefined;
  return Array.isArray(subsets) ? subsets.filter((item) => isJsonObject(item)) : [];
}

function endpointsOf(body: JsonValue): JsonObject[] {
  const items = isJsonObject(body) && Array.isArray(body['items']) ? body['items'] : [];
  return items
    .flatMap((item) => (isJsonObject(item) && Array.isArray(item['endpoints']) ? item['endpoints'] : []))
    .filter((item) => isJsonObject(item));
}

/** Slices without the name that each is given, and their endpoints in the order of their addresses. */
function plainSlices(body: JsonValue): unknown {
  const items = (
    body as { items: { metadata: Record<string, unknown>; endpoints: { addresses: string[] }[] | null }[] }
  ).items;
  return items.map(({ metadata, endpoints, ...slice }) => {
    const { generateName, labels, ownerReferences } = metadata;
    const sorted = (endpoints ?? []).toSorted((a, b) => String(a.addresses).localeCompare(String(b.addresses)));
    return {
      ...slice,
      metadata: { generateName, labels, ownerReferences },
      endpoints: sorted,
    };
  });
}

/** The ports of a subset come in the order of a hash. */
function sortedPorts(subsets: unknown): unknown {
  const all = (subsets ?? []) as { ports: { port: number }[] }[];
  return all.map(({ ports, ...rest }) => ({ ...rest, ports: ports.toSorted((a, b) => a.port - b.port) }));
}

async function show(api: Probe, name: string): Promise<void> {
  const keep = (body: JsonValue): unknown => {
    const { metadata, subsets } = body as { metadata: JsonObject; subsets: unknown };
    return {
      labels: metadata['labels'],

      ownerReferences: metadata['ownerReferences'],
      subsets: sortedPorts(subsets),
    };
  };
  await api.ask('GET', core(api, `endpoints/${name}`), { keep });
  await api.ask('GET', slices(api, name), { keep: plainSlices });
}

const ready = (body: JsonValue): number =>
  endpointsOf(body).filter(({ conditions }) => isJsonObject(conditions) && conditions['ready'] === true).length;

/** Waits until both report this many pods. */
async function untilReady(api: Probe, count: number, all: number): Promise<void> {
  const name = 'web';
  await api.eventually(slices(api, name), (body) => ready(body) === count && endpointsOf(body).length === all);
  const addresses = (body: JsonValue): number =>
    subsetsOf(body).flatMap((subset) => (Array.isArray(subset['addresses']) ? subset['addresses'] : [])).length;
  const others = (body: JsonValue): number =>
    subsetsOf(body).flatMap((subset) => (Array.isArray(subset['notReadyAddresses']) ? subset['notReadyAddresses'] : []))
      .length;
  await api.eventually(
    core(api, `endpoints/${name}`),
    (body) => addresses(body) === count && others(body) === all - count,
  );
}

/** Where the pods of a Service are. */
export const cases: Area = area('Endpoints of Services', (it) => {
  it('CTL-10 lists ready and unready pods', controllers, async (api) => {
    await prepare(api, service('web'));
    await makePod(api, 'a', { ip: '10.1.0.1', isReady: true });
    await makePod(api, 'b', { ip: '10.1.0.2' });
    await makePod(api, 'c', {});
    await untilReady(api, 1, 2);
    await show(api, 'web');
    await report(api, 'b', { ip: '10.1.0.2', isReady: true });
    await untilReady(api, 2, 2);
    await show(api, 'web');
  });

  it('CTL-10 makes both for a Service that selects nothing there', controllers, async (api) => {
    await api.setUp('POST', core(api, 'services'), { body: service('empty', { selector: { app: 'none' } }) });
    await api.eventually(core(api, 'endpoints/empty'), (body) => isJsonObject(body) && body['kind'] === 'Endpoints');
    await api.eventually(slices(api, 'empty'), (body) => (body as { items: unknown[] }).items.length === 1);
    await show(api, 'empty');
  });

  it('CTL-10 makes neither for a Service without a selector', controllers, async (api) => {
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bare' }, spec: { ports: [{ port: 80 }] } };
    await api.setUp('POST', core(api, 'services'), { body });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await api.ask('GET', core(api, 'endpoints/bare'));
    await api.ask('GET', slices(api, 'bare'), { keep: plainSlices });
  });

  it('CTL-10 publishes unready pods where a Service requests it', controllers, async (api) => {
    await prepare(api, service('web', { publishNotReadyAddresses: true }));
    await makePod(api, 'a', { ip: '10.1.0.1' });
    await untilReady(api, 1, 1);
    await show(api, 'web');
  });

  it('CTL-10 names the pods of a headless Service', controllers, async (api) => {
    await prepare(api, service('web', { clusterIP: 'None' }));
    await makePod(api, 'a', { ip: '10.1.0.1', isReady: true, spec: { hostname: 'first', subdomain: 'web' } });
    await untilReady(api, 1, 1);
    await show(api, 'web');
  });

  it('CTL-10 leaves out pods that have ended', controllers, async (api) => {
    await prepare(api, service('web'));
    await makePod(api, 'a', { ip: '10.1.0.1', isReady: true });
    await makePod(api, 'b', { ip: '10.1.0.2', isReady: true });
    await untilReady(api, 2, 2);
    await report(api, 'b', { ip: '10.1.0.2', phase: 'Succeeded' });
    await untilReady(api, 1, 1);
    await api.setUp('DELETE', `${core(api, 'pods/a')}?gracePeriodSeconds=0`);
    await untilReady(api, 0, 0);
    await show(api, 'web');
  });

  it('CTL-10 shows a pod that is being deleted as terminating', controllers, async (api) => {
    await prepare(api, service('web'));
    await makePod(api, 'a', { ip: '10.1.0.1', isReady: true });
    await untilReady(api, 1, 1);
    await api.setUp('DELETE', `${core(api, 'pods/a')}?gracePeriodSeconds=30`);
    await api.eventually(slices(api, 'web'), (body) => ready(body) === 0 && endpointsOf(body).length === 1);
    await api.ask('GET', slices(api, 'web'), { keep: plainSlices });
    await api.setUp('DELETE', `${core(api, 'pods/a')}?gracePeriodSeconds=0`);
  });

  it('CTL-10 removes both with the Service', controllers, async (api) => {
    await prepare(api, service('web'));
    await makePod(api, 'a', { ip: '10.1.0.1', isReady: true });
    await untilReady(api, 1, 1);
    await api.setUp('DELETE', core(api, 'services/web'));
    await api.untilDeleted(core(api, 'endpoints/web'));
    await api.eventually(slices(api, 'web'), (body) => (body as { items: unknown[] }).items.length === 0);
  });

  it('CTL-10 follows the ports and the selector of the Service', controllers, async (api) => {
    await prepare(api, service('web'));
    await makePod(api, 'a', { ip: '10.1.0.1', isReady: true });
    await untilReady(api, 1, 1);
    const change = { spec: { ports: [{ port: 80, targetPort: 1234, appProtocol: 'http' }] } };
    await api.setUp('PATCH', core(api, 'services/web'), { body: change, contentType: mergePatch });
    await api.eventually(slices(api, 'web'), (body) => JSON.stringify(body).includes('1234'));
    await api.eventually(core(api, 'endpoints/web'), (body) => JSON.stringify(body).includes('1234'));
    await show(api, 'web');
    await api.setUp('PATCH', core(api, 'services/web'), {
      body: { spec: { selector: { app: 'other' } } },
      contentType: mergePatch,
    });
    await untilReady(api, 0, 0);
  });

  it('CTL-10 mirrors Endpoints that a user makes for a Service', controllers, async (api) => {
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bare' }, spec: { ports: [{ port: 80 }] } };
    await api.setUp('POST', core(api, 'services'), { body });
    const subsets = [
      { addresses: [{ ip: '10.2.0.1' }], notReadyAddresses: [{ ip: '10.2.0.2' }], ports: [{ port: 80 }] },
    ];
    await api.setUp('POST', core(api, 'endpoints'), {
      body: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'bare' }, subsets },
    });
    await api.eventually(slices(api, 'bare'), (found) => endpointsOf(found).length === 2);
    await api.ask('GET', slices(api, 'bare'), { keep: plainSlices });
    await api.setUp('DELETE', core(api, 'endpoints/bare'));
    await api.eventually(slices(api, 'bare'), (found) => endpointsOf(found).length === 0);
  });
});
