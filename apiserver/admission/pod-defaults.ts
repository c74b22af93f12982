import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { forbidden } from '../http/status-error.ts';
import type { Cluster } from '../registry/cluster.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { randomSuffix } from '../registry/names.ts';
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts';

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const pods = { group: '', plural: 'pods' };
/** Priorities that exist even before their objects do. */
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A plug-in that fills in the spec of new pods; `change` gets a copy of its own. */
function podPlugin(name: string, change: (spec: JsonObject, request: AdmissionRequest) => void): AdmissionPlugin {
  return {
    name,
    mutate: (request) => {
      const { object, operation, resource, subresource } = request;
      const isNewPod = operation === 'CREATE' && resource.storageKey === 'pods' && subresource === undefined;
      if (!isNewPod || object === undefined || !isJsonObject(object.spec)) return Promise.resolve(undefined);
      const spec = structuredClone(object.spec);
      change(spec, request);
      return Promise.resolve({ ...object, spec } as KubeObject);
    },
  };
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}

function mountToken(spec: JsonObject): void {
  const name = `kube-api-access-${randomSuffix()}`;
  const containers = [...objects(spec.initContainers), ...objects(spec.containers)];
  const lacking = containers.filter(
    (container) => !objects(container.volumeMounts).some(({ mountPath }) => mountPath === tokenMountPath),
  );
  if (lacking.length === 0) return;
  spec.volumes = [...objects(spec.volumes), tokenVolume(name)];
  for (const container of lacking) {
    container.volumeMounts = [...objects(container.volumeMounts), { name, readOnly: true, mountPath: tokenMountPath }];
  }
}

function readAccount(cluster: Cluster, namespace: string, name: string): KubeObject | undefined {
  const type = cluster.resource('', 'serviceaccounts');
  return type === undefined ? undefined : cluster.get(type, { namespace, name });
}

function useAccount(spec: JsonObject, name: string, account: KubeObject | undefined): void {
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  if (spec.imagePullSecrets === undefined && Array.isArray(account?.imagePullSecrets)) {
    spec.imagePullSecrets = structuredClone(account.imagePullSecrets);
  }
  const wish = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken;
  if (wish !== false) mountToken(spec);
}

/** Pods run as a service account of their namespace. `default` may be missing: it is about to be made. */
export function serviceAccount(cluster: Cluster): AdmissionPlugin {
  return podPlugin('ServiceAccount', (spec, { namespace, name }) => {
    const accountName = textOf(spec.serviceAccountName) || 'default';
    const account = readAccount(cluster, namespace, accountName);
    if (account === undefined && accountName !== 'default') {
      const why = `error looking up service account ${namespace}/${accountName}: serviceaccount "${accountName}" not found`;
      throw forbidden({ ...pods, name }, why);
    }
    useAccount(spec, accountName, account);
  });
}

const evictionTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Pods stay for five minutes on a node that is lost, unless they say otherwise. */
export function defaultTolerationSeconds(): AdmissionPlugin {
  return podPlugin('DefaultTolerationSeconds', (spec) => {
    const tolerations = objects(spec.tolerations);
    const tolerates = (taint: string): boolean =>
      tolerations.some(
        ({ key, effect }) =>
          (key === taint || key === undefined || key === '') &&
          (effect === 'NoExecute' || effect === undefined || effect === ''),
      );
    const missing = evictionTaints.filter((taint) => !tolerates(taint));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
    spec.tolerations = [...tolerations, ...added];
  });
}

interface ResolvedPriority {
  readonly value: number;
  readonly preemptionPolicy: string;
  readonly className: string;
}

function priorityOf(priorityClass: KubeObject): ResolvedPriority {
  const { value, preemptionPolicy, metadata } = priorityClass;
  return {
    value: typeof value === 'number' ? value : 0,
    preemptionPolicy: typeof preemptionPolicy === 'string' ? preemptionPolicy : 'PreemptLowerPriority',
    className: metadata.name ?? '',
  };
}

function findPriority(cluster: Cluster, className: string): ResolvedPriority | undefined {
  const type = cluster.resource('scheduling.k8s.io', 'priorityclasses');
  if (type === undefined) return undefined;
  if (className === '') {
    const byDefault = cluster.list(type).find(({ globalDefault }) => globalDefault === true);
    return byDefault === undefined ? undefined : priorityOf(byDefault);
  }
  const found = cluster.get(type, { namespace: '', name: className });
  if (found !== undefined) return priorityOf(found);
  const value = systemPriorities.get(className);
  return value === undefined ? undefined : { value, preemptionPolicy: 'PreemptLowerPriority', className };
}

/** The name of a priority class becomes a number. */
export function priority(cluster: Cluster): AdmissionPlugin {
  return podPlugin('Priority', (spec, { name }) => {
    const className = textOf(spec.priorityClassName);
    const found = findPriority(cluster, className);
    if (found === undefined && className !== '') {
      throw forbidden({ ...pods, name }, `no PriorityClass with name ${className} was found`);
    }
    if (found !== undefined && found.className !== '') spec.priorityClassName = found.className;
    spec.priority = found?.value ?? 0;
    spec.preemptionPolicy ??= found?.preemptionPolicy ?? 'PreemptLowerPriority';
  });
}
