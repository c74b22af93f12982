import type { JsonValue } from '../../../src/base/index.ts';
import { names, secret, secrets } from '../list-shapes.ts';
import { type Area, area } from '../suite.ts';

/** Collections below a namespace, and those of the cluster. */
const namespaced: readonly string[] = [
  '/api/v1/configmaps',
  '/api/v1/endpoints',
  '/api/v1/events',
  '/api/v1/limitranges',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/pods',
  '/api/v1/podtemplates',
  '/api/v1/replicationcontrollers',
  '/api/v1/resourcequotas',
  '/api/v1/secrets',
  '/api/v1/serviceaccounts',
  '/api/v1/services',
  '/apis/apps/v1/controllerrevisions',
  '/apis/apps/v1/daemonsets',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/statefulsets',
  '/apis/autoscaling/v2/horizontalpodautoscalers',
  '/apis/autoscaling/v1/horizontalpodautoscalers',
  '/apis/batch/v1/cronjobs',
  '/apis/batch/v1/jobs',
  '/apis/coordination.k8s.io/v1/leases',
  '/apis/discovery.k8s.io/v1/endpointslices',
  '/apis/events.k8s.io/v1/events',
  '/apis/networking.k8s.io/v1/ingresses',
  '/apis/networking.k8s.io/v1/networkpolicies',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  '/apis/rbac.authorization.k8s.io/v1/roles',
  '/apis/storage.k8s.io/v1/csistoragecapacities',
];

const ofCluster: readonly string[] = [
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/api/v1/persistentvolumes',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/apiregistration.k8s.io/v1/apiservices',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  '/apis/networking.k8s.io/v1/ingressclasses',
  '/apis/node.k8s.io/v1/runtimeclasses',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/storage.k8s.io/v1/csidrivers',
  '/apis/storage.k8s.io/v1/csinodes',
  '/apis/storage.k8s.io/v1/storageclasses',
  '/apis/storage.k8s.io/v1/volumeattachments',
];

/** Every field that some kind offers: for each kind, which it takes. */
const fields: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.labels',
  'metadata.uid',
  'name',
  'spec.x',
  'spec.nodeName',
  'spec.host',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
  'spec.unschedulable',
  'status.replicas',
  'status.successful',
  'type',
  'spec.clusterIP',
  'spec.type',
  'spec.signerName',
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'regarding.kind',
  'regarding.namespace',
  'regarding.name',
  'regarding.uid',
  'regarding.apiVersion',
  'regarding.resourceVersion',
  'regarding.fieldPath',
  'reason',
  'reportingComponent',
  'reportingController',
  'source',
];

const malformed: readonly string[] = [
  'x',
  'metadata.name',
  'metadata.name=a=b',
  'metadata.name=a\\b',
  'metadata.name=a\\',
  '=',
  '!=',
  '=,x=y',
  ',',
  '=a',
  'metadata.name=a,x',
  'metadata.name<a',
  'metadata.name = a',
  'metadata.name=a,',
  'metadata.name==',
  '!metadata.name',
  'metadata.name in (a)',
];

const onNames: readonly string[] = [
  'metadata.name=a',
  'metadata.name==a',
  'metadata.name!=a',
  'metadata.name=a,metadata.name=b',
  'metadata.name=a,metadata.name!=b',
  'metadata.name!=a,metadata.name!=b',
  'metadata.name=',
  'metadata.name!=',
  'metadata.name=A',
  'metadata.name=a/b',
  'metadata.name=..',
  'metadata.namespace=',
  'metadata.namespace!=x',
  'metadata.namespace=x',
  'metadata.name=a,metadata.namespace=x',
  'type=Opaque',
  'type!=Opaque',
  'type=longshore.example/kind,metadata.name=c',
];

/** Field selectors of lists. */
export const cases: Area = area('Field selectors', (it) => {
  for (const path of [...namespaced, ...ofCluster]) {
    it(`W143 knows which fields select among ${path}`, async (api) => {
      for (const field of fields) {
        const keep = (body: JsonValue): unknown => (body as { readonly message?: string }).message ?? 'selects';
        await api.ask('GET', `${path}?limit=1&fieldSelector=${field}%3Dnone-has-this`, { keep });
      }
    });
  }

  for (const selector of malformed) {
    it(`reports what is wrong with ${JSON.stringify(selector)}`, async (api) => {
      const path = `${secrets(api.namespace)}?fieldSelector=${encodeURIComponent(selector)}`;
      await api.ask('GET', path, { keep: names });
    });
  }

  for (const selector of onNames) {
    it(`selects by ${selector}`, async (api) => {
      const path = secrets(api.namespace);
      for (const name of ['a', 'b']) await api.setUp('POST', path, { body: secret(name) });
      await api.setUp('POST', path, { body: { ...secret('c'), type: 'longshore.example/kind' } });
      await api.ask('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`, { keep: names });
    });
  }

  it('selects in a namespace of all', async (api) => {
    const path = secrets(api.namespace);
    for (const name of ['a', 'b']) await api.setUp('POST', path, { body: secret(name) });
    const within = `metadata.namespace%3D${api.namespace}`;
    await api.ask('GET', `/api/v1/secrets?fieldSelector=${within}`, { keep: names });
    await api.ask('GET', `/api/v1/secrets?fieldSelector=${within},metadata.name%3Db`, { keep: names });
    await api.ask('GET', `/api/v1/secrets?fieldSelector=${within}&limit=1`, { keep: names });
  });

  it('W144 selects Pods by their node, phase and the rest', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/pods`;
    const container = { name: 'c', image: 'registry.example/c' };
    const node = api.unique('node');
    const pods: readonly (readonly [string, Record<string, unknown>])[] = [
      ['a', { nodeName: node, restartPolicy: 'Never', hostNetwork: true }],
      ['b', { schedulerName: 'other' }],
    ];
    for (const [name, spec] of pods) {
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [container], ...spec } };
      await api.setUp('POST', path, { body });
    }
    const selectors = [
      `spec.nodeName=${node}`,
      `spec.nodeName!=${node}`,
      'spec.restartPolicy=Never',
      'spec.schedulerName=other',
      'spec.serviceAccountName=default',
      'spec.hostNetwork=true',
      'spec.hostNetwork=false',
      'status.nominatedNodeName=',
      `spec.nodeName=${node},spec.restartPolicy=Always`,
      `spec.host=${node}`,
    ];
    for (const selector of selectors) {
      const { body } = await api.setUp('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
      api.record(selector, names(body ?? null));
    }
  });

  it('selects Services by type and address', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/services`;
    const ports = [{ port: 80 }];
    const services = { a: { ports }, b: { ports, type: 'NodePort' }, c: { ports, clusterIP: 'None' } };
    for (const [name, spec] of Object.entries(services)) {
      await api.setUp('POST', path, { body: { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec } });
    }
    for (const selector of ['spec.type=ClusterIP', 'spec.type=NodePort', 'spec.clusterIP=None']) {
      await api.ask('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`, { keep: names });
    }
  });

  it('selects Events by what they are about', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/events`;
    const about = (name: string): Record<string, string> => ({
      kind: 'Pod',
      apiVersion: 'v1',
      namespace: api.namespace,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '7',
      fieldPath: 'spec.containers{c}',
    });
    for (const [name, reason, type] of [
      ['a', 'Started', 'Normal'],
      ['b', 'Failed', 'Warning'],
    ] as const) {
      const source = { component: `component-${name}` };
      const body = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: about(name),
        reason,
        type,
        source,
      };
      await api.setUp('POST', path, { body });
    }
    const selectors = [
      'involvedObject.name=a',
      'involvedObject.kind=Pod',
      'involvedObject.kind=Node',
      'involvedObject.uid=uid-of-b',
      'involvedObject.apiVersion=v1',
      'involvedObject.resourceVersion=7',
      'involvedObject.fieldPath=spec.containers{c}',
      `involvedObject.namespace=${api.namespace}`,
      'reason=Failed',
      'type=Normal',
      'source=component-b',
      'reportingComponent=component-a',
      'reportingComponent=',
    ];
    for (const selector of selectors) {
      const { body } = await api.setUp('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
      api.record(selector, names(body ?? null));
    }
    const newer = `/apis/events.k8s.io/v1/namespaces/${api.namespace}/events`;
    for (const selector of [
      'regarding.name=a',
      'regarding.kind=Pod',
      'reason=Failed',
      'reportingController=component-a',
      'type=Warning',
    ]) {
      const { body } = await api.setUp('GET', `${newer}?fieldSelector=${encodeURIComponent(selector)}`);
      api.record(selector, names(body ?? null));
    }
  });

  it('selects Namespaces, Nodes, Jobs and ReplicaSets by their own fields', async (api) => {
    const node = api.unique('node');
    await api.setUp('POST', '/api/v1/nodes', {
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: node }, spec: { unschedulable: true } },
    });
    api.cleanUp(`/api/v1/nodes/${node}`);
    const own = `metadata.name%3D${node}`;
    await api.ask('GET', `/api/v1/nodes?fieldSelector=${own},spec.unschedulable%3Dtrue`, { keep: names });
    await api.ask('GET', `/api/v1/nodes?fieldSelector=${own},spec.unschedulable%3Dfalse`, { keep: names });
    const self = `metadata.name%3D${api.namespace}`;
    await api.ask('GET', `/api/v1/namespaces?fieldSelector=${self},status.phase%3DActive`, { keep: names });
    await api.ask('GET', `/api/v1/namespaces?fieldSelector=${self},status.phase%3DTerminating`, { keep: names });
  });
});
