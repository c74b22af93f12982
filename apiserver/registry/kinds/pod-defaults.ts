import { isTrueAt, type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import { ensureObject, numberAt, setDefaults } from '../../core/index.ts';

const probeDefaults: JsonObject = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

function setZeroDefaults(parent: JsonObject, defaults: JsonObject): void {
  for (const key of Object.keys(defaults)) if (parent[key] === 0) delete parent[key];
  setDefaults(parent, defaults);
}

function defaultHandler(handler: JsonObject | undefined): void {
  const httpGet = objectAt(handler, 'httpGet');
  if (httpGet !== undefined) setDefaults(httpGet, { path: '/', scheme: 'HTTP' });
  const grpc = objectAt(handler, 'grpc');
  if (grpc !== undefined) setDefaults(grpc, { service: '' });
}

function defaultProbes(container: JsonObject): void {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = objectAt(container, name);
    if (probe === undefined) continue;
    setZeroDefaults(probe, probeDefaults);
    defaultHandler(probe);
  }
  const lifecycle = objectAt(container, 'lifecycle');
  for (const name of ['postStart', 'preStop']) defaultHandler(objectAt(lifecycle, name));
}

/** `Always` for no tag and for `latest`; a digest without a tag counts as a fixed version. */
function pullPolicy(image: string): string {
  if (image === '') return 'IfNotPresent';
  const [name = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  if (tag === undefined) return digest === undefined ? 'Always' : 'IfNotPresent';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultContainer(container: JsonObject): void {
  setDefaults(container, {
    imagePullPolicy: pullPolicy(textAt(container, 'image')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  ensureObject(container, 'resources');
  for (const port of objectsAt(container, 'ports')) setDefaults(port, { protocol: 'TCP' });
  for (const variable of objectsAt(container, 'env')) {
    const field = objectAt(variable, 'valueFrom', 'fieldRef');
    if (field !== undefined) setDefaults(field, { apiVersion: 'v1' });
  }
  defaultProbes(container);
}

const volumeDefaults: Readonly<Record<string, JsonObject>> = {
  secret: { defaultMode: 420 },
  configMap: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420 },
  projected: { defaultMode: 420 },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

function defaultFieldRefs(items: readonly JsonObject[]): void {
  for (const item of items) {
    const field = objectAt(item, 'fieldRef');
    if (field !== undefined) setDefaults(field, { apiVersion: 'v1' });
  }
}

/** What the source of a volume leaves unsaid; `owner` is a volume of a pod, or the spec of a PersistentVolume. */
export function defaultVolumeSource(owner: JsonObject): void {
  for (const [source, defaults] of Object.entries(volumeDefaults)) {
    const given = objectAt(owner, source);
    if (given !== undefined) setDefaults(given, defaults);
  }
  const hostPath = objectAt(owner, 'hostPath');
  if (hostPath !== undefined && valueAt(hostPath, 'type') === undefined) hostPath['type'] = '';
}

function defaultVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
  defaultVolumeSource(volume);
  const claim = objectAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  if (claim !== undefined) setDefaults(claim, { volumeMode: 'Filesystem' });
  defaultFieldRefs(objectsAt(objectAt(volume, 'downwardAPI'), 'items'));
  for (const source of objectsAt(objectAt(volume, 'projected'), 'sources')) {
    const token = objectAt(source, 'serviceAccountToken');
    if (token !== undefined) setDefaults(token, { expirationSeconds: 3600 });
    defaultFieldRefs(objectsAt(objectAt(source, 'downwardAPI'), 'items'));
  }
}

/** Every container of a pod, the init and ephemeral ones included. */
function containersOf(spec: JsonObject | undefined): JsonObject[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((name) => objectsAt(spec, name));
}

/** Defaults of a PodSpec in a pod or in a template.
 *  @see docs/spec/kube-api-types.md#pod-template */
export function defaultPodSpec(spec: JsonObject): void {
  setDefaults(spec, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
  });
  ensureObject(spec, 'securityContext');
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const container of containersOf(spec)) defaultContainer(container);
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
}

/** Defaults of `template` of a workload's spec, which is made when it is missing. */
export function defaultTemplate(owner: JsonObject): void {
  const template = ensureObject(owner, 'template');
  const metadata = ensureObject(template, 'metadata');
  if (!Object.hasOwn(metadata, 'creationTimestamp')) metadata['creationTimestamp'] = null;
  defaultPodSpec(ensureObject(template, 'spec'));
}

/** What only pods get, not templates: requests from limits, service links, ports on the network of the host. */
export function defaultPodOnly(spec: JsonObject): void {
  setDefaults(spec, { enableServiceLinks: true });
  if ((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) spec['terminationGracePeriodSeconds'] = 1;
  const isOnHost = isTrueAt(spec, 'hostNetwork');
  for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]) {
    const limits = objectAt(container, 'resources', 'limits');
    if (limits !== undefined) setDefaults(ensureObject(ensureObject(container, 'resources'), 'requests'), limits);
    if (!isOnHost) continue;
    for (const port of objectsAt(container, 'ports')) {
      setZeroDefaults(port, { hostPort: port['containerPort'] ?? 0 });
    }
  }
}
