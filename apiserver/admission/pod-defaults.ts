import type { JsonObject } from '../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  forbidden,
  type KubeObject,
  objectOf,
  objectsOf,
  textOf,
} from '../core/index.ts';
import { randomSuffix } from '../registry/index.ts';
import { isNewPod, isPodWrite, podPlugin } from './pod-parts.ts';
import { refusal } from './refusal.ts';

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
/** Priorities that exist even before their objects do. */
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

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
  const containers = [...objectsOf(spec.initContainers), ...objectsOf(spec.containers)];
  const lacking = containers.filter(
    (container) => !objectsOf(container.volumeMounts).some(({ mountPath }) => mountPath === tokenMountPath),
  );
  if (lacking.length === 0) return;
  spec.volumes = [...objectsOf(spec.volumes), tokenVolume(name)];
  for (const container of lacking) {
    container.volumeMounts = [
      ...objectsOf(container.volumeMounts),
      { name, readOnly: true, mountPath: tokenMountPath },
    ];
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
  const mountsToken = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken;
  if (mountsToken !== false) mountToken(spec);
}

/** Whether anything in a pod is taken from a Secret. */
function usesSecrets(spec: JsonObject): boolean {
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) => objectsOf(spec[field]));
  const fromEnv = containers.some(({ env, envFrom }) => {
    const values = objectsOf(env).map(({ valueFrom }) => objectOf(valueFrom)['secretKeyRef']);
    return [...values, ...objectsOf(envFrom).map(({ secretRef }) => secretRef)].some(
      (reference) => reference !== undefined,
    );
  });
  const volumes = objectsOf(spec['volumes']);
  const sources = volumes.flatMap(({ projected }) => objectsOf(objectOf(projected)['sources']));
  return (
    fromEnv ||
    [...volumes, ...sources].some(({ secret }) => secret !== undefined) ||
    objectsOf(spec['imagePullSecrets']).length > 0
  );
}

/** Pods that a kubelet made from files of its own stand for themselves. */
function checkMirror(request: AdmissionRequest): void {
  const spec = objectOf(request.object?.['spec']);
  if (textOf(spec['serviceAccountName']) !== '')
    throw refusal(request, 'a mirror pod may not reference service accounts');
  if (usesSecrets(spec)) throw refusal(request, 'a mirror pod may not reference secrets');
}

function isMirror({ object }: AdmissionRequest): boolean {
  return object?.metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** Pods run as a service account of their namespace. `default` may be missing: it is about to be made. */
export function serviceAccount(cluster: Cluster): AdmissionPlugin {
  const filling = podPlugin('ServiceAccount', (spec, request) => {
    const { namespace } = request;
    const accountName = textOf(spec['serviceAccountName']) || 'default';
    const account = readAccount(cluster, namespace, accountName);
    if (account === undefined && accountName !== 'default') {
      const why = `error looking up service account ${namespace}/${accountName}: serviceaccount "${accountName}" not found`;
      throw refusal(request, why);
    }
    useAccount(spec, accountName, account);
  });
  return {
    ...filling,
    mutate: async (request) => {
      if (!isNewPod(request)) return undefined;
      if (!isMirror(request)) return await filling.mutate?.(request);
      checkMirror(request);
      return undefined;
    },
  };
}

const evictionTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Pods stay for five minutes on a node that is lost, unless they specify otherwise. */
export function defaultTolerationSeconds(): AdmissionPlugin {
  return podPlugin(
    'DefaultTolerationSeconds',
    (spec) => {
      const tolerations = objectsOf(spec.tolerations);
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
    },
    isPodWrite,
  );
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

function checkPriority(
  spec: JsonObject,
  computed: { readonly value: number; readonly policy: string },
  request: AdmissionRequest,
): void {
  const { priority: requested, preemptionPolicy } = spec;
  const from = 'from the given PriorityClass name';
  if (requested !== undefined && requested !== computed.value) {
    const what = `the integer value of priority (${String(requested as number)}) must not be provided in pod spec`;
    throw refusal(request, `${what}; priority admission controller computed ${computed.value} ${from}`);
  }
  if (preemptionPolicy !== undefined && preemptionPolicy !== computed.policy) {
    const what = `the string value of PreemptionPolicy (${textOf(preemptionPolicy)}) must not be provided in pod spec`;
    throw refusal(request, `${what}; priority admission controller computed ${computed.policy} ${from}`);
  }
}

/** Only one class is that of pods without one. */
function checkOnlyDefault(cluster: Cluster, { resource, object, operation }: AdmissionRequest): void {
  const isClass = resource.storageKey === 'priorityclasses.scheduling.k8s.io' && operation !== 'DELETE';
  if (!isClass || object?.['globalDefault'] !== true) return;
  const type = cluster.resource('scheduling.k8s.io', 'priorityclasses');
  const others = type === undefined ? [] : cluster.list(type);
  const other = others.find(
    ({ metadata, globalDefault }) => globalDefault === true && metadata.name !== object.metadata.name,
  );
  if (other === undefined) return;
  const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`;
  throw forbidden({ ...resource, name: object.metadata.name ?? '' }, why);
}

/** A client that replaces a pod may omit what the server set. */
function keepPriority(spec: JsonObject, old: JsonObject): void {
  for (const field of ['priority', 'preemptionPolicy']) {
    const value = old[field];
    if (spec[field] === undefined && value !== undefined) spec[field] = value;
  }
}

/** @throws StatusError 403 for a class that is not there, and for numbers that are not its */
function resolvePriority(spec: JsonObject, cluster: Cluster, request: AdmissionRequest): void {
  const className = textOf(spec['priorityClassName']);
  const found = findPriority(cluster, className);
  if (found === undefined && className !== '') {
    throw refusal(request, `no PriorityClass with name ${className} was found`);
  }
  const computed = { value: found?.value ?? 0, policy: found?.preemptionPolicy ?? 'PreemptLowerPriority' };
  checkPriority(spec, computed, request);
  if (found !== undefined && found.className !== '') spec['priorityClassName'] = found.className;
  spec['priority'] = computed.value;
  spec['preemptionPolicy'] = computed.policy;
}

/** The name of a priority class becomes a number. */
export function priority(cluster: Cluster): AdmissionPlugin {
  const fill = (spec: JsonObject, request: AdmissionRequest): void => {
    if (request.operation === 'UPDATE') keepPriority(spec, objectOf(request.oldObject?.['spec']));
    else resolvePriority(spec, cluster, request);
  };
  return {
    ...podPlugin('Priority', fill, isPodWrite),
    validate: (request) => {
      checkOnlyDefault(cluster, request);
      return Promise.resolve();
    },
  };
}
