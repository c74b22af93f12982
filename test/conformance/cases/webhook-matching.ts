import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { type AdmissionRequest, openHooks } from '../hooks.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const asAlice = { as: { user: 'alice', groups: ['system:masters'] } };
const configMap = (name: string, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
});
const deployment = (name: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const rule = (group: string, resources: string[], operations: string[] = ['*']): JsonObject => ({
  apiGroups: [group],
  apiVersions: ['*'],
  operations,
  resources,
});
const shape = (request: AdmissionRequest): unknown => {
  const { object, oldObject, ...rest } = request;
  return {
    ...rest,
    hasObject: object !== null && object !== undefined,
    hasOldObject: oldObject !== null && oldObject !== undefined,
  };
};
/** Managers that are new to a Scale have no time on their way. */
const withoutTimes = (request: AdmissionRequest): unknown =>
  JSON.parse(JSON.stringify(request, (key, value: unknown) => (key === 'time' ? undefined : value)));
const allow = (): JsonObject => ({ allowed: true });

interface Watched {
  readonly spec: JsonObject;
  readonly keep?: (request: AdmissionRequest) => unknown;
}

/** Records what a webhook is asked while something is done. */
async function watchCalls(api: Probe, { spec, keep = shape }: Watched, act: () => Promise<void>): Promise<void> {
  const hooks = await openHooks(api);
  await hooks.install('ValidatingWebhookConfiguration', { seen: { answer: allow, spec } });
  await act();
  hooks.recordCalls('seen', keep);
}

/** Creates a Deployment of no pods and waits until its controller has reported its whole status. */
async function settledDeployment(api: Probe): Promise<string> {
  const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
  await api.setUp('POST', path, { body: deployment('d') });
  await api.eventually(`${path}/d`, (found) => JSON.stringify(found).includes('"type":"Available"'));
  return path;
}

function isObserved(body: JsonValue): boolean {
  const { metadata, status } = body as { metadata: JsonObject; status?: JsonObject };
  return status?.['observedGeneration'] === metadata['generation'];
}

/** Which requests a webhook is called for, and what it receives. */
export const cases: Area = area('What webhooks are asked', (it) => {
  it('ADM-27 create, update, patch and delete, with objects and options', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await watchCalls(api, { spec: { rules: [rule('', ['configmaps'])] }, keep: (request) => request }, async () => {
      await api.ask('POST', path, { ...asAlice, body: configMap('a') });
      await api.ask('PUT', `${path}/a?fieldManager=m`, { ...asAlice, body: { ...configMap('a'), data: { x: 'y' } } });
      const patch = { body: { data: { z: 'z' } }, contentType: 'application/merge-patch+json' };
      await api.ask('PATCH', `${path}/a`, { ...asAlice, ...patch });
      const apply = { rawBody: JSON.stringify(configMap('b')), contentType: 'application/apply-patch+yaml' };
      await api.ask('PATCH', `${path}/b?fieldManager=m&force=true`, { ...asAlice, ...apply });
      const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
      await api.ask('DELETE', `${path}/a`, { ...asAlice, body: options });
    });
  });

  it('ADM-16 rule "*" leaves subresources out', { needs: 'controllers' }, async (api) => {
    const path = await settledDeployment(api);
    await watchCalls(
      api,
      {
        spec: { rules: [rule('apps', ['*'], ['UPDATE'])] },
        keep: (request) => [
          request['operation'],
          request['subResource'] ?? null,
          (request['userInfo'] as JsonObject)['username'] === 'alice',
        ],
      },
      async () => {
        const patch = { body: { status: { observedGeneration: 1 } }, contentType: 'application/merge-patch+json' };
        await api.ask('PATCH', `${path}/d/status`, { ...asAlice, ...patch, keep: () => null });
      },
    );
  });

  it('ADM-17 rule "*/*" takes subresources in', { needs: 'controllers' }, async (api) => {
    const path = await settledDeployment(api);
    const hooks = await openHooks(api);
    await hooks.install('ValidatingWebhookConfiguration', {
      seen: { answer: allow, spec: { rules: [rule('apps', ['*/*'], ['UPDATE'])] } },
    });
    const status = { body: { status: { observedGeneration: 1 } }, contentType: 'application/merge-patch+json' };
    await api.ask('PATCH', `${path}/d/status`, { ...asAlice, ...status, keep: () => null });
    // A controller that writes at the same time would make the server ask again.
    await api.eventually(`${path}/d`, isObserved);
    const scale = { body: { spec: { replicas: 0 } }, contentType: 'application/merge-patch+json' };
    await api.ask('PATCH', `${path}/d/scale`, { ...asAlice, ...scale, keep: () => null });
    const own = hooks.calls.filter(({ request }) => (request['userInfo'] as JsonObject)['username'] === 'alice');
    api.record(
      'asked by alice',
      own.map(({ request }) => shape(request)),
    );
  });

  it('scales, seen and changed', { needs: 'controllers' }, async (api) => {
    const path = await settledDeployment(api);
    const hooks = await openHooks(api);
    const spec = { rules: [rule('apps', ['deployments/scale'], ['UPDATE'])] };
    const patch = Buffer.from('[{"op":"add","path":"/spec/replicas","value":-2}]').toString('base64');
    const change = ({ name, object }: AdmissionRequest): JsonObject =>
      name === 'd' && JSON.stringify(object).includes('"replicas":3')
        ? { allowed: true, patchType: 'JSONPatch', patch }
        : { allowed: true };
    await hooks.install('MutatingWebhookConfiguration', { changing: { answer: change, spec } });
    await hooks.install('ValidatingWebhookConfiguration', { judging: { answer: allow, spec } });
    const contentType = 'application/merge-patch+json';
    for (const replicas of [2, 3]) {
      await api.ask('PATCH', `${path}/d/scale?dryRun=All`, { ...asAlice, body: { spec: { replicas } }, contentType });
    }
    for (const first of ['changing', 'judging']) hooks.recordCalls(first, withoutTimes);
  });

  it('a rule for one subresource, and one for all subresources of a resource', {
    needs: 'controllers',
  }, async (api) => {
    const path = await settledDeployment(api);
    const hooks = await openHooks(api);
    await hooks.install('ValidatingWebhookConfiguration', {
      one: { answer: allow, spec: { rules: [rule('apps', ['deployments/scale'], ['UPDATE'])] } },
      all: { answer: allow, spec: { rules: [rule('apps', ['deployments/*'], ['UPDATE'])] } },
    });
    const scale = { body: { spec: { replicas: 0 } }, contentType: 'application/merge-patch+json' };
    await api.ask('PATCH', `${path}/d/scale`, { ...asAlice, ...scale, keep: () => null });
    for (const hook of ['one', 'all']) {
      const own = hooks.calls.filter(
        (call) => call.hook === hook && (call.request['userInfo'] as JsonObject)['username'] === 'alice',
      );
      api.record(
        hook,
        own.map(({ request }) => [request['resource'], request['subResource'], request['kind']] as unknown),
      );
    }
  });

  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
  };
  for (const [id, matchPolicy] of [
    ['ADM-18', 'Equivalent'],
    ['ADM-19', 'Exact'],
  ] as const) {
    it(`${id} a rule for one version and matchPolicy ${matchPolicy}, asked in another version`, async (api) => {
      const versions = { ...rule('autoscaling', ['horizontalpodautoscalers'], ['CREATE']), apiVersions: ['v1'] };
      const path = `/apis/autoscaling/v2/namespaces/${api.namespace}/horizontalpodautoscalers`;
      await watchCalls(
        api,
        { spec: { rules: [versions], matchPolicy }, keep: (request) => request },
        async () => void (await api.ask('POST', path, { ...asAlice, body: autoscaler, keep: () => null })),
      );
    });
  }

  it('ADM-20 namespaceSelector that leaves the namespace out', async (api) => {
    await watchCalls(api, { spec: { namespaceSelector: { matchLabels: { no: 'such-label' } } } }, async () => {
      await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { ...asAlice, body: configMap('a') });
    });
  });

  it('ADM-21 namespaceSelector selects a Namespace by its own labels', async (api) => {
    const name = api.unique('labelled');
    api.cleanUp(`/api/v1/namespaces/${name}`);
    const spec = { rules: [rule('', ['namespaces'], ['CREATE'])], namespaceSelector: { matchLabels: { own: name } } };
    await watchCalls(api, { spec }, async () => {
      const metadata = { name, labels: { own: name } };
      await api.ask('POST', '/api/v1/namespaces', {
        ...asAlice,
        body: { apiVersion: 'v1', kind: 'Namespace', metadata },
      });
    });
  });

  it('ADM-22 objectSelector that only the old labels meet', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    const spec = { rules: [rule('', ['configmaps'], ['UPDATE'])], objectSelector: { matchLabels: { old: 'yes' } } };
    await watchCalls(api, { spec }, async () => {
      await api.setUp('POST', path, { body: configMap('a', { old: 'yes' }) });
      await api.ask('PUT', `${path}/a`, { ...asAlice, body: configMap('a') });
      await api.ask('PUT', `${path}/a`, { ...asAlice, body: { ...configMap('a'), data: { x: 'y' } } });
    });
  });

  it('scope Cluster leaves namespaced objects out', async (api) => {
    await watchCalls(api, { spec: { rules: [{ ...rule('', ['*'], ['CREATE']), scope: 'Cluster' }] } }, async () => {
      await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { ...asAlice, body: configMap('a') });
    });
  });

  it('ADM-25 a dry run asks with dryRun, and stores nothing', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await watchCalls(api, { spec: {} }, async () => {
      await api.ask('POST', `${path}?dryRun=All`, { ...asAlice, body: configMap('a') });
      await api.ask('GET', `${path}/a`);
    });
  });

  it('generateName asks without a name', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } };
    await watchCalls(
      api,
      { spec: {}, keep: (request) => [request['name'] ?? null, (request['object'] as JsonObject)['metadata']] },
      async () => void (await api.ask('POST', path, { ...asAlice, body })),
    );
  });

  it('a deletion of many asks about each', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    for (const name of ['a', 'b']) await api.setUp('POST', path, { body: configMap(name, { many: 'yes' }) });
    await watchCalls(
      api,
      { spec: { rules: [rule('', ['configmaps'], ['DELETE'])] }, keep: (request) => request['name'] },
      async () => {
        await api.ask('DELETE', `${path}?labelSelector=many=yes`, { ...asAlice, keep: () => null });
      },
    );
  });

  it('ADM-28 a connection to a pod asks with CONNECT', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/pods`;
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'nowhere' };
    await api.setUp('POST', path, { body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec } });
    const hooks = await openHooks(api);
    const deny = (): JsonObject => ({ allowed: false, status: { message: 'nobody goes in' } });
    const rules = [rule('', ['pods/exec', 'pods/attach', 'pods/portforward'], ['CONNECT'])];
    // Options have no labels that a selector could meet.
    await hooks.install('ValidatingWebhookConfiguration', {
      door: { answer: deny, spec: { rules, objectSelector: {} } },
    });
    await api.ask('POST', `${path}/p/exec?command=ls&command=-l&container=c&stdout=true&tty=true`, asAlice);
    await api.ask('GET', `${path}/p/exec?command=ls&stdout=1`, asAlice);
    await api.ask('POST', `${path}/p/attach?stdin=true&stdout=true&stderr=true`, asAlice);
    await api.ask('POST', `${path}/p/portforward?ports=80`, asAlice);
    hooks.recordCalls('door');
  });

  it('ADM-34 no webhook is asked about webhook configurations', async (api) => {
    const name = api.unique('watched');
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const spec = { rules: [rule('*', ['*'], ['CREATE'])], objectSelector: { matchLabels: { own: name } } };
    await watchCalls(api, { spec }, async () => {
      const metadata = { name, labels: { own: name } };
      api.cleanUp(`${path}/${name}`);
      const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata };
      await api.ask('POST', path, { ...asAlice, body });
    });
  });
});
