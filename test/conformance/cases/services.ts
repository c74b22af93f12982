import { isJsonEqual, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

function service(name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: 'a' }, ports: [{ port: 80 }], ...spec },
  };
}

function specOf(body: JsonValue): JsonValue {
  const { spec, code, message } = body as JsonObject;
  return { ...(spec === undefined ? {} : { spec }), ...(code === undefined ? {} : { code, message }) } as JsonObject;
}

function clusterIpOf(body: unknown): string {
  return ((body as JsonObject)['spec'] as { clusterIP: string }).clusterIP;
}

const keep = specOf;

/** Creates a service and replaces it by another; both answers are recorded. */
async function change(api: Probe, from: JsonObject, to: JsonObject): Promise<void> {
  const path = `/api/v1/namespaces/${api.namespace}/services`;
  await api.ask('POST', path, { body: service('s', from), keep });
  await api.ask('PUT', `${path}/s`, { body: service('s', to), keep });
}

/** Addresses and ports that Services are given, keep and give back. */
export const cases: Area = area('Allocations of Services', (it) => {
  it('TYPE-12 refuses a node port outside the range', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const body = service('s', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] });
    await api.ask('POST', path, { body });
  });

  it('TYPE-13 refuses a node port that another service has', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const { body } = await api.setUp('POST', path, { body: service('first', { type: 'NodePort' }) });
    const [port] = ((body as JsonObject)['spec'] as JsonObject)['ports'] as JsonObject[];
    const nodePort = Number(port?.['nodePort']);
    api.alias(`Invalid value: ${nodePort}`, 'Invalid value: the port');
    await api.ask('POST', path, { body: service('second', { type: 'NodePort', ports: [{ port: 80, nodePort }] }) });
  });

  it('refuses a cluster IP that another service has', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const { body } = await api.setUp('POST', path, { body: service('first', {}) });
    const clusterIP = clusterIpOf(body);
    api.alias(clusterIP, 'the ip');
    await api.ask('POST', path, { body: service('second', { clusterIP }) });
  });

  it('gives a cluster IP back when its service is deleted', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const { body } = await api.setUp('POST', path, { body: service('first', {}) });
    const clusterIP = clusterIpOf(body);
    api.alias(clusterIP, 'the ip');
    await api.setUp('DELETE', `${path}/first`);
    await api.ask('POST', path, { body: service('second', { clusterIP }), keep });
  });

  it('TYPE-14 gives addresses to an ExternalName service that becomes ClusterIP', async (api) => {
    await change(api, { type: 'ExternalName', externalName: 'a.example.com' }, { type: 'ClusterIP' });
  });

  it('TYPE-14 takes addresses from a service that becomes ExternalName', async (api) => {
    await change(api, {}, { type: 'ExternalName', externalName: 'a.example.com' });
  });

  it('gives node ports to a service that becomes NodePort', async (api) => {
    await change(api, {}, { type: 'NodePort' });
  });

  it('takes node ports from a service that becomes ClusterIP', async (api) => {
    await change(api, { type: 'NodePort' }, { type: 'ClusterIP' });
  });

  it('keeps cluster IP and node port on a PUT that leaves them out', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const { body } = await api.setUp('POST', path, { body: service('s', { type: 'NodePort' }) });
    const answer = await api.ask('PUT', `${path}/s`, { body: service('s', { type: 'NodePort' }), keep });
    api.record('same spec', isJsonEqual(specOf(body ?? null), specOf(answer.body ?? null)));
  });

  it('keeps node ports by the names of ports', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const ports = (names: readonly string[]): JsonObject => ({
      type: 'NodePort',
      ports: names.map((name, index) => ({ name, port: 80 + index })),
    });
    const nodePorts = (body: JsonValue | undefined): Map<JsonValue | undefined, JsonValue | undefined> => {
      const list = ((body as JsonObject)['spec'] as JsonObject)['ports'] as JsonObject[];
      return new Map(list.map(({ name, nodePort }) => [name, nodePort]));
    };
    const before = nodePorts((await api.setUp('POST', path, { body: service('s', ports(['a', 'b'])) })).body);
    const after = nodePorts((await api.ask('PUT', `${path}/s`, { body: service('s', ports(['b', 'a'])), keep })).body);
    api.record('same by name', before.get('a') === after.get('a') && before.get('b') === after.get('b'));
  });

  it('gives one node port to the same port of two protocols', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const ports = [
      { name: 'tcp', port: 53, protocol: 'TCP' },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ];
    const { body } = await api.ask('POST', path, { body: service('s', { type: 'NodePort', ports }), keep });
    const list = ((body as JsonObject)['spec'] as JsonObject)['ports'] as JsonObject[];
    api.record('same', list[0]?.['nodePort'] === list[1]?.['nodePort']);
  });

  it('gives a health check port to a load balancer with local traffic, and takes it back', async (api) => {
    await change(api, { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, { type: 'LoadBalancer' });
  });

  it('refuses to change a health check port', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const { body } = await api.setUp('POST', path, { body: service('s', spec) });
    const { healthCheckNodePort } = (body as JsonObject)['spec'] as JsonObject;
    const other = Number(healthCheckNodePort) === 30_000 ? 30_001 : Number(healthCheckNodePort) - 1;
    const changed = service('s', { ...spec, healthCheckNodePort: other });
    await api.ask('PUT', `${path}/s`, { body: changed });
  });

  it('drops what only a load balancer has when the type changes', async (api) => {
    const balancer = { type: 'LoadBalancer', loadBalancerClass: 'a.example.com/b', externalTrafficPolicy: 'Cluster' };
    await change(api, balancer, { type: 'ClusterIP' });
  });

  it('takes a headless service to a cluster IP of its own only if it specifies one', async (api) => {
    await change(api, { clusterIP: 'None' }, {});
  });

  it('refuses to make a service headless', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    await api.setUp('POST', path, { body: service('s', {}) });
    await api.ask('PUT', `${path}/s`, { body: service('s', { clusterIP: 'None' }) });
  });

  it('creates on PUT of an absent name', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services/s`;
    await api.ask('PUT', path, { body: service('s', {}), keep });
  });

  it('answers a deletion with the service', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    await api.setUp('POST', path, { body: service('s', {}) });
    await api.ask('DELETE', `${path}/s`);
  });

  it('gives two services two cluster IPs in a dry run and after', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    await api.ask('POST', `${path}?dryRun=All`, { body: service('s', {}), keep });
    await api.ask('GET', `${path}/s`);
  });

  it('checks the addresses that a load balancer reports', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const spec = { type: 'LoadBalancer', loadBalancerClass: 'a.example.com/none' };
    await api.setUp('POST', path, { body: service('s', spec) });
    const ingresses: JsonValue[] = [
      [{ ip: 'x' }],
      [{ ip: '1.2.3.4', ipMode: 'Foo' }],
      [{ hostname: '1.2.3.4' }],
      [{ hostname: 'A b', ipMode: 'VIP' }],
      [{ ip: '1.2.3.04' }],
      [{ ip: '1.2.3.4' }, { hostname: 'a.example.com' }],
    ];
    for (const ingress of ingresses) {
      const body = { status: { loadBalancer: { ingress } } };
      const shown = (answer: JsonValue): JsonValue => ({
        status: (answer as JsonObject)['status'] ?? null,
        message: (answer as JsonObject)['message'] ?? null,
      });
      const contentType = 'application/merge-patch+json';
      await api.ask('PATCH', `${path}/s/status`, { body, contentType, keep: shown });
    }
  });

  it('refuses addresses of a load balancer for a service that is none', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    await api.setUp('POST', path, { body: service('s', {}) });
    const body = { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } };
    await api.ask('PATCH', `${path}/s/status`, { body, contentType: 'application/merge-patch+json' });
  });

  it('selects services by type and cluster IP', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    await api.setUp('POST', path, { body: service('a', {}) });
    await api.setUp('POST', path, { body: service('b', { clusterIP: 'None' }) });
    const names = (body: JsonValue): JsonValue =>
      ((body as JsonObject)['items'] as JsonObject[]).map((item) => (item['metadata'] as JsonObject)['name'] ?? null);
    await api.ask('GET', `${path}?fieldSelector=spec.clusterIP=None`, { keep: names });
    await api.ask('GET', `${path}?fieldSelector=spec.type=ClusterIP`, { keep: names });
  });
});
