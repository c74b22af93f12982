import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

/** A certificate request for CN=subject, as PEM in base64. */
const pemBase64 = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITU1IUUNBUUF3RWpFUU1BNEdBMVVFQXd3SGMzVmlhbVZq',
  'ZERCWk1CTUdCeXFHU000OUFnRUdDQ3FHU000OQpBd0VIQTBJQUJLMXlSWTkvQXhNY2kzSXVZY0FqbVBvQ2hkYWNxZWRBNlZr',
  'eTJJclRLWEdYNFd5aXJnM1Y3SnJCCk83cEhlRVVQdTUwaVk0UWpmK0lwVWlrb0ZZSHhFYktnQURBS0JnZ3Foa2pPUFFRREFn',
  'TklBREJGQWlFQWlzQVYKVjkvQlZuR0haYjcyWi90L1dtMWlZdm9DYm5UTm5IUkF3SzJqd1V3Q0lCVk1ncHRJUm1rM1hVQnYy',
  'clY5MjgyKwo1U0tlTHlIRGJ5MzJXVmRncXIrSwotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K',
].join('');

function withoutManagedFields(body: JsonValue): JsonValue {
  const { metadata, ...rest } = body as JsonObject;
  const { managedFields: _fields, ...kept } = (metadata ?? {}) as JsonObject;
  return { ...rest, metadata: kept };
}

const keep = withoutManagedFields;

/** What the administrator is called, and the uid, are the authenticator's own affair. */
function keepRequest(body: JsonValue): JsonValue {
  const kept = withoutManagedFields(body) as JsonObject;
  const { uid: _uid, extra: _extra, ...spec } = (kept['spec'] ?? {}) as JsonObject;
  const username =
    (spec['username'] as string | undefined)?.endsWith('admin') === true
      ? 'the administrator'
      : (spec['username'] ?? null);
  return { ...kept, spec: { ...spec, username } };
}

const merge = 'application/merge-patch+json';

function event(namespace: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace, fieldPath: 'spec' },
    reason: 'Because',
    message: 'text',
    type: 'Normal',
    source: { component: 'c', host: 'h' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-02T00:00:00Z',
    count: 3,
  };
}

function newEvent(namespace: string): JsonObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e' },
    eventTime: '2026-01-01T00:00:00.123456Z',
    regarding: { kind: 'Pod', name: 'p', namespace },
    related: { kind: 'Node', name: 'n' },
    reason: 'Because',
    action: 'Act',
    note: 'text',
    type: 'Normal',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.123456Z' },
  };
}

async function makeRequest(api: Probe): Promise<string> {
  const name = api.unique('request');
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  api.cleanUp(`${path}/${name}`);
  const spec = { request: pemBase64, signerName: 'example.com/none', usages: ['client auth'] };
  const body = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { ...spec, username: 'somebody else', groups: ['forged'] },
  };
  await api.ask('POST', path, { body, keep: keepRequest });
  return `${path}/${name}`;
}

/** What only single kinds do when they are written. */
export const cases: Area = area('Registry behaviour of kinds', (it) => {
  it('TYPE-27 creates a Lease on PUT of an absent name', async (api) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases/l`;
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
    await api.ask('PUT', path, { body, keep });
  });

  it('TYPE-28 finds no ConfigMap to PUT', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps/c`;
    await api.ask('PUT', path, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } } });
  });

  it('TYPE-29 shows an event of the core group in events.k8s.io', async (api) => {
    const scope = `/namespaces/${api.namespace}/events`;
    await api.ask('POST', `/api/v1${scope}`, { body: event(api.namespace), keep });
    await api.ask('GET', `/apis/events.k8s.io/v1${scope}/e`, { keep });
  });

  it('TYPE-29 shows an event of events.k8s.io in the core group', async (api) => {
    const scope = `/namespaces/${api.namespace}/events`;
    await api.ask('POST', `/apis/events.k8s.io/v1${scope}`, { body: newEvent(api.namespace), keep });
    await api.ask('GET', `/api/v1${scope}/e`, { keep });
  });

  it('TYPE-30 warns of the pods of a Job that is deleted without a policy', async (api) => {
    const path = `/apis/batch/v1/namespaces/${api.namespace}/jobs`;
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } };
    const body = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { suspend: true, template } };
    await api.setUp('POST', path, { body });
    const status = (answer: JsonValue): JsonValue => (answer as JsonObject)['kind'] ?? null;
    await api.ask('DELETE', `${path}/j`, { keep: status });
  });

  it('takes an autoscaler of version 1 apart into version 2', async (api) => {
    const scope = `/namespaces/${api.namespace}/horizontalpodautoscalers`;
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
    const spec = { maxReplicas: 3, targetCPUUtilizationPercentage: 55, scaleTargetRef };
    const body = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec };
    const specOf = (answer: JsonValue): JsonValue => (answer as JsonObject)['spec'] ?? null;
    await api.ask('POST', `/apis/autoscaling/v1${scope}`, { body, keep: specOf });
    await api.ask('GET', `/apis/autoscaling/v2${scope}/h`, { keep: specOf });
  });

  it('keeps in annotations what version 1 of an autoscaler has no fields for', async (api) => {
    const scope = `/namespaces/${api.namespace}/horizontalpodautoscalers`;
    const metrics = [
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
      { type: 'Pods', pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '5' } } },
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's' },
          metric: { name: 'o', selector: { matchLabels: { a: 'b' } } },
          target: { type: 'Value', value: '7' },
        },
      },
      { type: 'External', external: { metric: { name: 'e' }, target: { type: 'AverageValue', averageValue: '3' } } },
    ];
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
    const spec = { maxReplicas: 3, scaleTargetRef, metrics, behavior };
    const body = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec };
    await api.setUp('POST', `/apis/autoscaling/v2${scope}`, { body });
    const shown = (answer: JsonValue): JsonValue => {
      const { spec: given, metadata } = answer as { spec: JsonValue; metadata: { annotations: JsonObject } };
      const { 'autoscaling.alpha.kubernetes.io/conditions': _conditions, ...annotations } = metadata.annotations;
      return { spec: given, annotations };
    };
    const { body: old } = await api.ask('GET', `/apis/autoscaling/v1${scope}/h`, { keep: shown });
    const specOf = (answer: JsonValue): JsonValue => (answer as JsonObject)['spec'] ?? null;
    await api.setUp('DELETE', `/apis/autoscaling/v1${scope}/h`);
    const { metadata, ...rest } = old as { metadata: JsonObject };
    const again = { ...rest, metadata: { name: 'h', annotations: metadata['annotations'] ?? {} } };
    await api.setUp('POST', `/apis/autoscaling/v1${scope}`, { body: again });
    await api.ask('GET', `/apis/autoscaling/v2${scope}/h`, { keep: specOf });
  });

  it('writes down who asks for a certificate, and lets approval alone decide', async (api) => {
    const path = await makeRequest(api);
    const approved = { type: 'Approved', status: 'True', reason: 'r', message: 'm' };
    const conditions = { status: { conditions: [approved] } };
    await api.ask('PATCH', path, { body: conditions, contentType: merge, keep: keepRequest });
    await api.ask('PATCH', `${path}/status`, { body: conditions, contentType: merge, keep: keepRequest });
    await api.ask('PATCH', `${path}/approval`, { body: conditions, contentType: merge, keep: keepRequest });
    const denied = { status: { conditions: [approved, { ...approved, type: 'Denied' }] } };
    await api.ask('PATCH', `${path}/approval`, { body: denied, contentType: merge, keep: keepRequest });
    await api.ask('PATCH', `${path}/approval`, {
      body: { status: { conditions: [] } },
      contentType: merge,
      keep: keepRequest,
    });
    await api.ask('PATCH', path, { body: { spec: { usages: ['any'] } }, contentType: merge, keep: keepRequest });
    const certificate = { status: { certificate: 'eA==' } };
    await api.ask('PATCH', `${path}/status`, { body: certificate, contentType: merge, keep: keepRequest });
    await api.ask('PATCH', `${path}/approval`, { body: certificate, contentType: merge, keep: keepRequest });
  });

  it('changes the finalizers of a namespace through its own endpoint alone', async (api) => {
    const name = api.unique('held');
    const path = `/api/v1/namespaces/${name}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: ['example.com/x'] } };
    const shown = (answer: JsonValue): JsonValue => {
      const { spec, message } = answer as JsonObject;
      return { spec: spec ?? null, message: message ?? null };
    };
    await api.ask('POST', '/api/v1/namespaces', { body, keep: shown });
    await api.ask('PATCH', path, { body: { spec: { finalizers: [] } }, contentType: merge, keep: shown });
    const bad = { ...body, spec: { finalizers: ['a b'] } };
    await api.ask('PUT', `${path}/finalize`, { body: bad, keep: shown });
    await api.ask('PUT', `${path}/finalize`, { body: { ...body, spec: { finalizers: ['kubernetes'] } }, keep: shown });
    await api.ask('PATCH', `${path}/status`, { body: { status: { phase: 'Foo' } }, contentType: merge, keep: shown });
    await api.setUp('DELETE', path);
  });

  it('gives a Namespace the label that selectors find it by, whatever it is sent with', async (api) => {
    const name = api.unique('labelled');
    api.cleanUp(`/api/v1/namespaces/${name}`);
    const labels = { 'kubernetes.io/metadata.name': 'other', a: 'b' };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
    const labelsOf = (answer: JsonValue): JsonValue =>
      ((answer as JsonObject)['metadata'] as JsonObject)['labels'] ?? null;
    await api.ask('POST', '/api/v1/namespaces', { body, keep: labelsOf });
    const change = { metadata: { labels: { 'kubernetes.io/metadata.name': null } } };
    await api.ask('PATCH', `/api/v1/namespaces/${name}`, { body: change, contentType: merge, keep: labelsOf });
  });

  for (const kind of ['flowcontrol.apiserver.k8s.io/v1/flowschemas', 'scheduling.k8s.io/v1/priorityclasses']) {
    it(`has the ${kind.split('/').at(-1) ?? ''} of every cluster`, async (api) => {
      const own = (answer: JsonValue): JsonValue => {
        const items = (answer as JsonObject)['items'] as JsonObject[];
        const names = items.map((item) => (item['metadata'] as JsonObject)['name'] as string);
        return names.filter((name) => !/^c[0-9a-f]{8}-/.test(name)).sort();
      };
      await api.ask('GET', `/apis/${kind}`, { keep: own });
    });
  }

  it('has the priority levels, the service network and the local API services of every cluster', async (api) => {
    const own = (answer: JsonValue): JsonValue => {
      const items = (answer as JsonObject)['items'] as JsonObject[];
      const names = items.map((item) => (item['metadata'] as JsonObject)['name'] as string);
      return names.filter((name) => !name.endsWith('example.com') && !/^c[0-9a-f]{8}-/.test(name)).sort();
    };
    await api.ask('GET', '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', { keep: own });
    await api.ask('GET', '/apis/networking.k8s.io/v1/servicecidrs', { keep: own });
    await api.ask('GET', '/apis/apiregistration.k8s.io/v1/apiservices', { keep: own });
  });

  const ownAddresses = 'Cluster IPs are given out without IPAddress objects: no other server shares the network.';
  it('takes an IPAddress for every cluster IP', { differs: ownAddresses }, async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
    const { body: made } = await api.setUp('POST', path, { body });
    const { clusterIP } = (made as { spec: { clusterIP: string } }).spec;
    api.alias(clusterIP, 'the ip');
    await api.ask('GET', `/apis/networking.k8s.io/v1/ipaddresses/${clusterIP}`, { keep });
    await api.setUp('DELETE', `${path}/s`);
    await api.untilDeleted(`/apis/networking.k8s.io/v1/ipaddresses/${clusterIP}`);
  });
});
