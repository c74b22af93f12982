import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import { createPod, plainContainer, pod } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

async function limit(api: Probe, name: string, limits: readonly object[]): Promise<void> {
  const path = `/api/v1/namespaces/${api.namespace}/limitranges`;
  await api.setUp('POST', path, {
    body: { apiVersion: 'v1', kind: 'LimitRange', metadata: { name }, spec: { limits } },
  });
  await api.settle();
}

function using(resources: object): object {
  return { containers: [{ ...plainContainer, resources }] };
}

/** A refusal whole, its messages sorted as they come in no order; of a pod its resources and annotations. */
function keep(body: JsonValue): unknown {
  if (!isJsonObject(body)) return body;
  const { message, spec, metadata } = body;
  if (typeof message === 'string') {
    const [, head = '', list] = /^(.*is forbidden: )\[(.*)\]$/.exec(message) ?? [];
    return list === undefined ? body : { ...body, message: [head, ...list.split(/, (?=m)/).toSorted()] };
  }
  const { containers = [], initContainers = [] } = spec as unknown as {
    containers?: { resources: unknown }[];
    initContainers?: { resources: unknown }[];
  };
  const { annotations } = metadata as { annotations?: unknown };
  return { annotations, resources: [...containers, ...initContainers].map(({ resources }) => resources) };
}

const ask = (api: Probe, name: string, spec: object): Promise<unknown> => createPod(api, pod(name, spec), { keep });

/** LimitRanges. */
export const cases: Area = area('Admission: limit ranges', (it) => {
  it('ADM-50 fills in the limits and requests of containers', async (api) => {
    await limit(api, 'd', [
      { type: 'Container', default: { cpu: '500m', memory: '128Mi' }, defaultRequest: { cpu: '100m', memory: '64Mi' } },
    ]);
    await ask(api, 'a', {});
    await ask(api, 'b', using({ requests: { cpu: '50m' } }));
    await ask(api, 'c', using({ limits: { cpu: '1', memory: '1Gi' } }));
    await ask(api, 'd', {
      containers: [plainContainer, { ...plainContainer, name: 'd' }],
      initContainers: [{ ...plainContainer, name: 'i' }],
    });
    await ask(api, 'e', using({ requests: { cpu: '50m', memory: '1Mi' }, limits: { cpu: '60m', memory: '2Mi' } }));
  });

  it('ADM-50 refuses containers that ask for too little or too much', async (api) => {
    await limit(api, 'm', [
      { type: 'Container', min: { cpu: '100m', memory: '64Mi' }, max: { cpu: '1', memory: '1Gi' } },
    ]);
    await ask(api, 'a', using({ requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '500m', memory: '1Gi' } }));
    await ask(api, 'b', using({ requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '2', memory: '1Gi' } }));
    await ask(api, 'c', using({ requests: { cpu: '50m', memory: '1Mi' }, limits: { cpu: '2', memory: '2Gi' } }));
  });

  it('ADM-50 refuses a minimum that nothing is asked of', async (api) => {
    await limit(api, 'm', [{ type: 'Pod', min: { cpu: '100m' }, max: { memory: '1Gi' } }]);
    await ask(api, 'a', {});
    await ask(api, 'b', using({ requests: { cpu: '200m' }, limits: { memory: '2Gi' } }));
    await ask(api, 'c', using({ requests: { cpu: '200m' }, limits: { memory: '1Gi' } }));
    await ask(api, 'd', using({ requests: { cpu: '200m' } }));
  });

  it('ADM-50 refuses limits too far above requests', async (api) => {
    await limit(api, 'r', [
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      { type: 'Pod', maxLimitRequestRatio: { memory: '1500m' } },
    ]);
    await ask(api, 'a', using({ requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '300m', memory: '1Gi' } }));
    await ask(api, 'b', using({ requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '200m', memory: '2Gi' } }));
    await ask(api, 'c', using({ requests: { cpu: '100m' } }));
    await ask(api, 'd', {});
  });

  it('ADM-50 sums the containers of a pod', async (api) => {
    await limit(api, 'p', [{ type: 'Pod', max: { cpu: '1', memory: '1Gi' } }]);
    const resources = { requests: { cpu: '600m', memory: '100Mi' }, limits: { cpu: '600m', memory: '100Mi' } };
    const [c, d] = ['c', 'd'].map((name) => ({ ...plainContainer, name, resources }));
    await ask(api, 'a', { containers: [c, d] });
    await ask(api, 'b', { containers: [c], initContainers: [{ ...d, name: 'i' }] });
    await ask(api, 'c', { containers: [c], initContainers: [{ ...d, name: 'i', restartPolicy: 'Always' }] });
  });

  it('ADM-50 limits what a claim asks for', async (api) => {
    await limit(api, 's', [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }]);
    const path = `/api/v1/namespaces/${api.namespace}/persistentvolumeclaims`;
    for (const storage of ['500Mi', '1Gi', '3Gi']) {
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, storageClassName: '' };
      const body = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: `c-${storage.toLowerCase()}` },
        spec,
      };
      await api.ask('POST', path, {
        body,
        keep: (found) => (isJsonObject(found) && found['kind'] === 'Status' ? found : 'taken'),
      });
    }
  });

  it('ADM-50 fills in from several ranges', async (api) => {
    await limit(api, 'a', [{ type: 'Container', defaultRequest: { cpu: '10m' } }]);
    await limit(api, 'b', [{ type: 'Container', default: { memory: '10Mi' } }]);
    const resourcesOf = (body: JsonValue): unknown => (keep(body) as { resources: unknown }).resources;
    await createPod(api, pod('p'), { keep: resourcesOf });
  });
});
