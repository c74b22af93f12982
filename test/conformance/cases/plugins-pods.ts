import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import { createPod, plainContainer, pod, refusal, specPart } from '../pods.ts';
import { type Area, area } from '../suite.ts';

const accountParts = specPart(
  'serviceAccountName',
  'serviceAccount',
  'imagePullSecrets',
  'volumes',
  'containers',
  'initContainers',
  'ephemeralContainers',
  'automountServiceAccountToken',
);
const priorityParts = specPart('priority', 'priorityClassName', 'preemptionPolicy');
const mergePatch = 'application/merge-patch+json';

/** What is filled into pods, and what they may not refer to. */
export const cases: Area = area(
  'Admission: pods',
  (it) => {
    it('ADM-50 gives a pod its account, its token, tolerations and a priority', async (api) => {
      const keep = specPart(
        'serviceAccountName',
        'volumes',
        'containers',
        'tolerations',
        'priority',
        'preemptionPolicy',
        'enableServiceLinks',
      );
      await createPod(api, pod('plain'), { keep });
    });

    it('ADM-44 refuses an account that is not there', async (api) => {
      await createPod(api, pod('p', { serviceAccountName: 'none' }));
      await createPod(api, pod('', { serviceAccountName: 'none' }, { generateName: 'p-' }));
      await createPod(api, pod('q', { serviceAccount: 'none' }));
    });

    it('ADM-44 uses the account that a pod names, and its pull secrets', async (api) => {
      const accounts = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
      const account = { apiVersion: 'v1', kind: 'ServiceAccount' };
      const imagePullSecrets = [{ name: 'pull' }];
      await api.setUp('POST', accounts, { body: { ...account, metadata: { name: 'puller' }, imagePullSecrets } });
      await api.setUp('POST', accounts, {
        body: { ...account, metadata: { name: 'quiet' }, automountServiceAccountToken: false },
      });
      await api.settle();
      await createPod(api, pod('a', { serviceAccountName: 'puller' }), { keep: accountParts });
      await createPod(api, pod('b', { serviceAccountName: 'puller', imagePullSecrets: [{ name: 'own' }] }), {
        keep: accountParts,
      });
      await createPod(api, pod('c', { serviceAccountName: 'quiet' }), { keep: accountParts });
      await createPod(api, pod('d', { serviceAccountName: 'quiet', automountServiceAccountToken: true }), {
        keep: accountParts,
      });
      await createPod(api, pod('e', { automountServiceAccountToken: false }), { keep: accountParts });
    });

    it('ADM-50 mounts no token over what is mounted there', async (api) => {
      const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
      const own = { ...plainContainer, volumeMounts: [{ name: 'v', mountPath }] };
      const volumes = [{ name: 'v', emptyDir: {} }];
      await createPod(api, pod('a', { containers: [own], volumes }), { keep: accountParts });
      const other = { ...plainContainer, name: 'd' };
      await createPod(
        api,
        pod('b', { containers: [own, other], volumes, initContainers: [{ ...plainContainer, name: 'i' }] }),
        { keep: accountParts },
      );
    });

    it('ADM-44 wants no secret or account in a mirror pod', async (api) => {
      const annotations = { 'kubernetes.io/config.mirror': 'x' };
      // Without a node of its own no mirror pod gets any further.
      await createPod(api, pod('b', { serviceAccountName: 'default' }, { annotations }));
      const volumes = [{ name: 's', secret: { secretName: 'x' } }];
      await createPod(api, pod('c', { volumes }, { annotations }));
    });

    it('ADM-50 adds the tolerations that lack', async (api) => {
      const keep = specPart('tolerations');
      const notReady = 'node.kubernetes.io/not-ready';
      const lists = [
        [{ key: notReady, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }],
        [{ operator: 'Exists' }],
        [{ operator: 'Exists', effect: 'NoSchedule' }],
        [{ key: notReady, operator: 'Exists' }],
        [{ key: notReady, operator: 'Equal', value: 'x', effect: 'NoExecute' }],
      ];
      for (const [index, tolerations] of lists.entries())
        await createPod(api, pod(`p${index}`, { tolerations }), { keep });
      const memory = { ...plainContainer, resources: { requests: { memory: '1Mi' } } };
      await createPod(api, pod('memory', { containers: [memory] }), { keep });
    });

    it('ADM-49 refuses a priority class that is not there, and a priority that is not its', async (api) => {
      await createPod(api, pod('a', { priorityClassName: 'none' }));
      await createPod(api, pod('b', { priority: 7 }));
      await createPod(api, pod('c', { priority: 0 }), { keep: priorityParts });
      await createPod(api, pod('d', { preemptionPolicy: 'Never' }));
    });

    it('ADM-49 gives a pod the number of its class', async (api) => {
      const name = api.unique('class');
      const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
      api.cleanUp(`${path}/${name}`);
      const body = {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name },
        value: 12,
        preemptionPolicy: 'Never',
      };
      await api.setUp('POST', path, { body });
      await api.settle();
      await createPod(api, pod('a', { priorityClassName: name }), { keep: priorityParts });
      await createPod(api, pod('b', { priorityClassName: name, priority: 12 }), { keep: priorityParts });
      await createPod(api, pod('c', { priorityClassName: name, priority: 13 }));
      await createPod(api, pod('d', { priorityClassName: name, preemptionPolicy: 'PreemptLowerPriority' }));
      await createPod(api, pod('e', { priorityClassName: 'system-node-critical' }), { keep: priorityParts });
    });

    it('ADM-48 gives a claim the default class', async (api) => {
      const classes = '/apis/storage.k8s.io/v1/storageclasses';
      const [name, other] = [api.unique('class'), api.unique('other')];
      for (const each of [name, other]) api.cleanUp(`${classes}/${each}`);
      const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'example.com/none' };
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      await api.setUp('POST', classes, { body: { ...storageClass, metadata: { name, annotations } } });
      await api.setUp('POST', classes, { body: { ...storageClass, metadata: { name: other } } });
      await api.settle();
      const claims = `/api/v1/namespaces/${api.namespace}/persistentvolumeclaims`;
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const claim = (label: string, more: object): unknown => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: label },
        spec: { ...spec, ...more },
      });
      const keep = (body: unknown): unknown => {
        const { metadata, spec: made } = body as {
          metadata: { finalizers: unknown };
          spec: { storageClassName?: string };
        };
        return [made.storageClassName ?? 'none', metadata.finalizers];
      };
      await api.ask('POST', claims, { body: claim('a', {}), keep });
      await api.ask('POST', claims, { body: claim('b', { storageClassName: other }), keep });
      await api.ask('POST', claims, { body: claim('c', { storageClassName: '' }), keep });
    });

    it('ADM-48 lets a claim grow where its class allows it', { needs: 'controllers' }, async (api) => {
      const classes = '/apis/storage.k8s.io/v1/storageclasses';
      const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'example.com/none' };
      const claims = `/api/v1/namespaces/${api.namespace}/persistentvolumeclaims`;
      for (const label of ['grows', 'stays']) {
        const name = api.unique(label);
        for (const path of [classes, '/api/v1/persistentvolumes']) api.cleanUp(`${path}/${name}`);
        const allowVolumeExpansion = label === 'grows';
        await api.setUp('POST', classes, { body: { ...storageClass, metadata: { name }, allowVolumeExpansion } });
        const accessModes = ['ReadWriteOnce'];
        const volume = {
          accessModes,
          capacity: { storage: '1Gi' },
          storageClassName: name,
          hostPath: { path: '/tmp' },
        };
        const head = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } };
        await api.setUp('POST', '/api/v1/persistentvolumes', { body: { ...head, spec: volume } });
        const spec = { accessModes, resources: { requests: { storage: '1Gi' } }, storageClassName: name };
        await api.setUp('POST', claims, {
          body: { ...head, kind: 'PersistentVolumeClaim', metadata: { name: label }, spec },
        });
        const isBound = (found: JsonValue): boolean =>
          (found as { status?: { phase?: string } }).status?.phase === 'Bound';
        await api.eventually(`${claims}/${label}`, isBound);
        const grow = { spec: { resources: { requests: { storage: '2Gi' } } } };
        await api.ask('PATCH', `${claims}/${label}`, { body: grow, contentType: mergePatch, keep: refusal });
      }
    });

    it('ADM-50 takes overhead and scheduling from a runtime class', async (api) => {
      const classes = '/apis/node.k8s.io/v1/runtimeclasses';
      const [name, plain] = [api.unique('runtime'), api.unique('plain')];
      for (const each of [name, plain]) api.cleanUp(`${classes}/${each}`);
      const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', handler: 'h' };
      const scheduling = { nodeSelector: { a: 'b' }, tolerations: [{ key: 't', operator: 'Exists' }] };
      await api.setUp('POST', classes, {
        body: { ...runtime, metadata: { name }, overhead: { podFixed: { cpu: '100m' } }, scheduling },
      });
      await api.setUp('POST', classes, { body: { ...runtime, metadata: { name: plain } } });
      await api.settle();
      const keep = specPart('overhead', 'nodeSelector', 'tolerations', 'runtimeClassName');
      await createPod(api, pod('a', { runtimeClassName: name }), { keep });
      await createPod(api, pod('b', { runtimeClassName: name, nodeSelector: { a: 'c' } }), { keep });
      await createPod(api, pod('c', { runtimeClassName: name, nodeSelector: { d: 'e' } }), { keep });
      await createPod(api, pod('d', { runtimeClassName: 'none' }));
      await createPod(api, pod('e', { runtimeClassName: name, overhead: { cpu: '5m' } }), { keep });
      await createPod(api, pod('f', { overhead: { cpu: '5m' } }), { keep });
      await createPod(api, pod('g', { runtimeClassName: plain }), { keep });
    });

    it('ADM-48 gives an Ingress the default class', async (api) => {
      const classes = '/apis/networking.k8s.io/v1/ingressclasses';
      const name = api.unique('ingress-class');
      api.cleanUp(`${classes}/${name}`);
      const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
      await api.setUp('POST', classes, {
        body: {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'IngressClass',
          metadata: { name, annotations },
          spec: { controller: 'example.com/c' },
        },
      });
      await api.settle();
      const path = `/apis/networking.k8s.io/v1/namespaces/${api.namespace}/ingresses`;
      const spec = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
      const ingress = (label: string, meta: object = {}): unknown => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: label, ...meta },
        spec,
      });
      const keep = (body: unknown): unknown =>
        isJsonObject(body) && isJsonObject(body['spec']) ? (body['spec']['ingressClassName'] ?? 'none') : body;
      await api.ask('POST', path, { body: ingress('a'), keep });
      await api.ask('POST', path, {
        body: ingress('b', { annotations: { 'kubernetes.io/ingress.class': 'x' } }),
        keep,
      });
    });

    it('ADM-50 taints a new node that is not ready yet', async (api) => {
      const name = api.unique('node');
      api.cleanUp(`/api/v1/nodes/${name}`);
      const keep = (body: unknown): unknown => (body as { spec?: unknown }).spec;
      await api.ask('POST', '/api/v1/nodes', {
        body: { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { unschedulable: true } },
        keep,
      });
    });
  },
  { serial: true },
);
