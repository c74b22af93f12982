import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type ClusterServiceVersion, parseClusterServiceVersion } from '../../src/api/index.ts';
import { type JsonObject, objectAt, silentLogger, systemClock, textAt } from '../../src/base/index.ts';
import { createManager } from '../../src/controller/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { createServingContext, ensureServing, type ServingContext } from '../../src/olm/csv/serving/index.ts';
import { type BareCluster, eventually, SteppedClock } from './index.ts';
import { openOlmCluster, temporaryNamespace } from './olm-cluster.ts';

export const user = { fieldManager: 'test' };
export const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
export const rbac = 'rbac.authorization.k8s.io/v1';
export const admission = 'admissionregistration.k8s.io/v1';
export const apiServiceKind = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };
export const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
/** The certificate of the operator. */
export const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'a', name: 'boat-service-cert' };
export const serviceRef = { apiVersion: 'v1', kind: 'Service', namespace: 'a', name: 'boat-service' };
export const delegatorRef = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  name: 'boat-service-system:auth-delegator',
};
export const readerRef = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  namespace: 'kube-system',
  name: 'boat-service-auth-reader',
};

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let cluster: BareCluster;
export let context: ServingContext;
export let clock: SteppedClock;
let namespaces: AsyncDisposableStack;
let stop: AbortController;

/** An APIService that the operator owns. */
export const api = { name: 'boats', group: 'boats.example.com', version: 'v1', kind: 'Widget', deploymentName: 'boat' };
/** A webhook of the operator. */
export const webhook: JsonObject = {
  generateName: 'w.boats.example.com',
  type: 'ValidatingAdmissionWebhook',
  deploymentName: 'boat',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
  rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['boats'] }],
};

interface Plan {
  readonly name?: string;
  readonly namespace?: string;
  readonly apis?: readonly JsonObject[];
  readonly webhooks?: readonly JsonObject[];
  readonly spec?: JsonObject;
}

/** Creates the ClusterServiceVersion of the operator; no controller installs it. */
export async function install({
  name = 'boat.v1',
  namespace = 'a',
  apis = [],
  webhooks = [],
  spec = {},
}: Plan): Promise<ClusterServiceVersion> {
  const selector = { matchLabels: { app: 'boat' } };
  const template = { metadata: { labels: { app: 'boat' } }, spec: { containers: [{ name: 'operator', image: 'x' }] } };
  const strategy = { strategy: 'deployment', spec: { deployments: [{ name: 'boat', spec: { selector, template } }] } };
  const owned = { owned: [...apis] };
  const made = await cluster.kube.create(
    {
      ...csvKind,
      metadata: { name, namespace },
      spec: {
        displayName: 'Boat',
        install: strategy,
        apiservicedefinitions: owned,
        webhookdefinitions: [...webhooks],
        ...spec,
      },
    },
    user,
  );
  await eventually(() => expect(context.caches.versions.get(name, namespace)).toBeDefined());
  return parseClusterServiceVersion(made);
}

/** What the controller of ClusterServiceVersions makes of the result. */
export async function deploy(csv: ClusterServiceVersion): Promise<KubeObject> {
  const serving = await ensureServing(context, csv);
  const { namespace = '' } = csv.metadata;
  const [{ name, spec } = { name: '', spec: {} }] = csv.spec.install.spec?.deployments ?? [];
  const metadata = { name, namespace, labels: { 'olm.managed': 'true' } };
  const amended = serving.amend(name, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...spec } });
  const deployment = (await cluster.kube.apply(amended, { ...user, force: true })).object;
  await eventually(() =>
    expect(context.caches.deployments.get(name, namespace)?.metadata.generation).toBe(deployment.metadata.generation),
  );
  return deployment;
}

/** The webhook configurations of operators. */
export const configurations = async (kind = 'ValidatingWebhookConfiguration'): Promise<readonly KubeObject[]> =>
  (await cluster.kube.list({ apiVersion: admission, kind, labelSelector: 'olm.owner' })).items;

/** Whether an object does not exist. */
export async function isMissing(ref: {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}): Promise<boolean> {
  try {
    await cluster.kube.get(ref);
    return false;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return true;
  }
}

/** The certificate of the operator as it is. */
export async function certificateNow(): Promise<string> {
  return textAt(objectAt((await cluster.kube.get(secretRef)) as JsonObject, 'data'), 'tls.crt');
}

/** Opens a cluster, and caches of what operators serve on it, for the tests of a file, each of which has two empty namespaces, `a` and `b`. */
export function openServingCluster(): void {
  beforeAll(async () => {
    cluster = await openOlmCluster();
    stop = new AbortController();
    const manager = createManager({ kube: cluster.kube, clock: systemClock, log: silentLogger(), signal: stop.signal });
    context = createServingContext(manager);
    await Promise.all(Object.values(context.caches).map(({ whenSynced }) => whenSynced));
  });

  afterAll(async () => {
    stop.abort();
    await cluster[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    clock = new SteppedClock(Date.now());
    context = { ...context, clock };
    namespaces = new AsyncDisposableStack();
    for (const name of ['a', 'b']) {
      namespaces.use(await temporaryNamespace(cluster.kube, name));
      const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
      await cluster.kube.create(
        { ...group, metadata: { name: 'group', namespace: name }, spec: { targetNamespaces: [name] } },
        user,
      );
    }
    await eventually(() => expect(context.groupsIn.get('b')).toHaveLength(1));
  });

  afterEach(async () => {
    const { validatingWebhooks, mutatingWebhooks, clusterRoleBindings, apiServices, roleBindings } = context.caches;
    const made = [validatingWebhooks, mutatingWebhooks, clusterRoleBindings, apiServices, roleBindings].flatMap(
      (cache) => cache.labelled('olm.managed', 'true'),
    );
    for (const { apiVersion, kind, metadata } of made) {
      const { name = '', namespace } = metadata;
      await cluster.kube.delete({ apiVersion, kind, name, namespace }).catch(() => undefined);
    }
    await cluster.kube.delete({ ...definitionKind, name: 'boats.example.com' }).catch(() => undefined);
    await namespaces[Symbol.asyncDispose]();
    await eventually(() => {
      const left = Object.values(context.caches).flatMap((cache) => cache.labelled('olm.managed', 'true'));
      expect(left).toEqual([]);
      expect(context.caches.versions.values()).toEqual([]);
      expect(context.caches.definitions.get('boats.example.com')).toBeUndefined();
    });
  });
}
