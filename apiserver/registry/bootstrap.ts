import { formatTimestamp, isJsonEqual, isJsonObject, type Logger } from '../../src/base/index.ts';
import { type Cluster, type KubeObject, StatusError } from '../core/index.ts';
import { defaultFlows, defaultRbac, localApiServices, reconciled, withTimes } from './bootstrap-objects.ts';
import { advertisedAddress, kubernetesEndpoints, kubernetesService, serviceNetwork } from './bootstrap-services.ts';

const as = 'system:apiserver';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(
  (name): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
);

function priorityClass(name: string, value: number, description: string): KubeObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description };
}

const priorityClasses = [
  priorityClass('system-cluster-critical', 2_000_000_000, 'For what the cluster as a whole cannot do without.'),
  priorityClass('system-node-critical', 2_000_001_000, 'For what a node cannot do without; never moved away.'),
];

/** What the first objects are made from. */
export interface Bootstrap {
  readonly cluster: Cluster;
  readonly log: Logger;
  readonly nowMs: number;
  /** `data` of the ConfigMap `extension-apiserver-authentication`, for servers that stand beside this one. */
  readonly extensionAuthentication: Readonly<Record<string, string>>;
}

function extensionAuthentication(data: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...data } };
}

async function write({ cluster, log }: Bootstrap, object: KubeObject, live: KubeObject | undefined): Promise<void> {
  const group = object.apiVersion.includes('/') ? (object.apiVersion.split('/')[0] ?? '') : '';
  const resource = cluster.resourceOfKind(group, object.kind);
  if (resource === undefined) return;
  try {
    const { status, ...rest } = object;
    const written =
      live === undefined
        ? await cluster.create(resource, rest as KubeObject, { as })
        : await cluster.update(resource, object, { as });
    if (live !== undefined || status === undefined) return;
    await cluster.update(resource, { ...written, status }, { as, subresource: 'status' });
  } catch (thrown) {
    // A server without one of its objects is of more use than none.
    if (!(thrown instanceof StatusError)) throw thrown;
    log.error({ err: thrown, kind: object.kind, name: object.metadata.name }, 'object of a fresh cluster was refused');
  }
}

function findLive(cluster: Cluster, { apiVersion, kind, metadata }: KubeObject): KubeObject | undefined {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const resource = cluster.resourceOfKind(group, kind);
  const { namespace = '', name = '' } = metadata;
  return resource === undefined ? undefined : cluster.get(resource, { namespace, name });
}

/** Creates an object, with its status where it has one; one that is there already is left as it is. */
async function ensure(options: Bootstrap, object: KubeObject): Promise<void> {
  if (findLive(options.cluster, object) === undefined) await write(options, object, undefined);
}

/** Creates a default role or binding, or puts back what was taken from it. */
async function ensureRbac(options: Bootstrap, object: KubeObject): Promise<void> {
  const live = findLive(options.cluster, object);
  const desired = live === undefined ? object : reconciled(live, object);
  if (desired !== undefined) await write(options, desired, live);
}

/** The authorities may be others than at the last start. */
async function publishAuthentication(options: Bootstrap): Promise<void> {
  const object = extensionAuthentication(options.extensionAuthentication);
  const live = findLive(options.cluster, object);
  const published = isJsonObject(live?.['data']) ? live['data'] : {};
  const data = { ...published, ...options.extensionAuthentication };
  if (live === undefined) await write(options, object, undefined);
  else if (!isJsonEqual(published, data)) await write(options, { ...live, data }, live);
}

/** Creates what every cluster has from its first moment. Changes to these objects are kept, but for what default roles and bindings lack. */
export async function bootstrap(options: Bootstrap): Promise<void> {
  const plain = [...namespaces, ...priorityClasses];
  // Together, so that they wait for the disk together.
  await Promise.all([
    ...plain.map((object) => ensure(options, object)),
    publishAuthentication(options),
    ...defaultRbac.map((object) => ensureRbac(options, object)),
  ]);
}

/** Creates objects that describe the server and that no one waits for: may run beside the first requests. */
export async function describeServer(options: Bootstrap, port: number): Promise<void> {
  await ensure(options, kubernetesService(port));
  const ip = advertisedAddress();
  if (ip !== undefined) await replaceEndpoints(options, kubernetesEndpoints(ip, port));
  const now = formatTimestamp(options.nowMs);
  const objects = [serviceNetwork, ...localApiServices, ...defaultFlows.map((object) => withTimes(object, now))];
  // Together, so that they wait for the disk together.
  await Promise.all(objects.map((object) => ensure(options, object)));
}

/** The port may be another than at the last start. */
async function replaceEndpoints(options: Bootstrap, objects: readonly KubeObject[]): Promise<void> {
  const replace = async (object: KubeObject): Promise<void> => {
    const live = findLive(options.cluster, object);
    await write(options, live === undefined ? object : { ...live, ...object, metadata: live.metadata }, live);
  };
  await Promise.all(objects.map(replace));
}
