import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** Levels of the Pod Security Standards, the strictest first. */
const podSecurityLevels = ['restricted', 'baseline', 'privileged'] as const;
/** A level of the Pod Security Standards. */
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** What one rule says of a Pod: the strictest level that lets it pass. */
type Rule = (pod: Pod) => PodSecurityLevel;

interface Pod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  /** Containers of all sorts. */
  readonly containers: readonly JsonObject[];
  /** Of the Pod, then of each container. */
  readonly contexts: readonly JsonObject[];
}

function objectAt(parent: JsonObject, ...keys: readonly string[]): JsonObject {
  return keys.reduce<JsonObject>((current, key) => (isJsonObject(current[key]) ? current[key] : {}), parent);
}

function objectsAt(parent: JsonObject, key: string): readonly JsonObject[] {
  const list = parent[key];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function textsAt(parent: JsonObject, key: string): readonly string[] {
  const list = parent[key];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

const isOneOf = (value: JsonValue | undefined, allowed: readonly JsonValue[]): boolean =>
  value === undefined || value === null || allowed.includes(value);

const baselineUnless = (isBad: boolean): PodSecurityLevel => (isBad ? 'privileged' : 'restricted');
const restrictedIf = (isGood: boolean): PodSecurityLevel => (isGood ? 'restricted' : 'baseline');

const hostNamespaces: Rule = ({ spec }) =>
  baselineUnless(['hostNetwork', 'hostPID', 'hostIPC'].some((key) => spec[key] === true));

const hostProcesses: Rule = ({ contexts }) =>
  baselineUnless(contexts.some((context) => objectAt(context, 'windowsOptions')['hostProcess'] === true));

const privilegedContainers: Rule = ({ contexts }) =>
  baselineUnless(contexts.some(({ privileged }) => privileged === true));

const baselineCapabilities = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

const capabilities: Rule = ({ containers }) => {
  const sets = containers.map((container) => objectAt(container, 'securityContext', 'capabilities'));
  const added = sets.flatMap((set) => textsAt(set, 'add'));
  if (added.some((name) => !baselineCapabilities.includes(name))) return 'privileged';
  const isBare = sets.every((set) => textsAt(set, 'drop').includes('ALL'));
  return restrictedIf(isBare && added.every((name) => name === 'NET_BIND_SERVICE'));
};

const restrictedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

const volumes: Rule = ({ spec }) => {
  const kinds = objectsAt(spec, 'volumes').flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));
  if (kinds.includes('hostPath')) return 'privileged';
  return restrictedIf(kinds.every((kind) => restrictedVolumes.includes(kind)));
};

const hostPorts: Rule = ({ containers }) =>
  baselineUnless(
    containers.some((container) => objectsAt(container, 'ports').some(({ hostPort }) => !isOneOf(hostPort, [0]))),
  );

const handlers = ['livenessProbe', 'readinessProbe', 'startupProbe'];

const hostsOfProbes: Rule = ({ containers }) =>
  baselineUnless(
    containers.some((container) => {
      const lifecycle = objectAt(container, 'lifecycle');
      const places = [
        ...handlers.map((key) => objectAt(container, key)),
        ...['postStart', 'preStop'].map((key) => objectAt(lifecycle, key)),
      ];
      const actions = places.flatMap((place) => [objectAt(place, 'httpGet'), objectAt(place, 'tcpSocket')]);
      return actions.some(({ host }) => !isOneOf(host, ['']));
    }),
  );

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

const appArmor: Rule = ({ metadata, contexts }) => {
  const noted = Object.entries(objectAt(metadata, 'annotations')).filter(([key]) => key.startsWith(appArmorAnnotation));
  const isNotedWell = noted.every(
    ([, value]) => typeof value === 'string' && /^($|runtime\/default$|localhost\/)/.test(value),
  );
  const isSetWell = contexts.every((context) =>
    isOneOf(objectAt(context, 'appArmorProfile')['type'], ['RuntimeDefault', 'Localhost']),
  );
  return baselineUnless(!isNotedWell || !isSetWell);
};

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];

const seLinux: Rule = ({ contexts }) =>
  baselineUnless(
    contexts
      .map((context) => objectAt(context, 'seLinuxOptions'))
      .some(({ type, user, role }) => !isOneOf(type, seLinuxTypes) || !isOneOf(user, ['']) || !isOneOf(role, [''])),
  );

const procMount: Rule = ({ contexts }) =>
  baselineUnless(contexts.some((context) => !isOneOf(context['procMount'], ['Default'])));

const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_syncookies',
];

const sysctls: Rule = ({ contexts }) =>
  baselineUnless(
    contexts.some((context) => objectsAt(context, 'sysctls').some(({ name }) => !isOneOf(name, safeSysctls))),
  );

/** What a container's own context says, or else the Pod's. */
function effective({ contexts: [ofPod = {}, ...ofContainers] }: Pod, ...keys: readonly string[]): readonly JsonValue[] {
  const [last = '', ...path] = keys.toReversed();
  const read = (context: JsonObject): JsonValue | undefined => objectAt(context, ...path.toReversed())[last];
  return ofContainers.map((context) => read(context) ?? read(ofPod) ?? null);
}

const seccomp: Rule = (pod) => {
  const types = pod.contexts.map((context) => objectAt(context, 'seccompProfile')['type']);
  if (types.includes('Unconfined')) return 'privileged';
  const good: readonly JsonValue[] = ['RuntimeDefault', 'Localhost'];
  return restrictedIf(effective(pod, 'seccompProfile', 'type').every((type) => good.includes(type)));
};

const escalation: Rule = ({ containers }) =>
  restrictedIf(
    containers.every((container) => objectAt(container, 'securityContext')['allowPrivilegeEscalation'] === false),
  );

const nonRoot: Rule = (pod) => {
  const isNonRoot = effective(pod, 'runAsNonRoot').every((value) => value === true);
  return restrictedIf(isNonRoot && pod.contexts.every(({ runAsUser }) => runAsUser !== 0));
};

const rules: readonly Rule[] = [
  hostNamespaces,
  hostProcesses,
  privilegedContainers,
  capabilities,
  volumes,
  hostPorts,
  hostsOfProbes,
  appArmor,
  seLinux,
  procMount,
  sysctls,
  seccomp,
  escalation,
  nonRoot,
];

function podOf(template: JsonObject): Pod {
  const spec = objectAt(template, 'spec');
  const kinds = ['containers', 'initContainers', 'ephemeralContainers'];
  const containers = kinds.flatMap((key) => objectsAt(spec, key));
  const contexts = [spec, ...containers].map((part) => objectAt(part, 'securityContext'));
  return { metadata: objectAt(template, 'metadata'), spec, containers, contexts };
}

/** The strictest level of the Pod Security Standards that admits Pods of all templates; `restricted` where there are none.
 *  @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export function podSecurityLevel(templates: readonly JsonObject[]): PodSecurityLevel {
  const found = templates.map(podOf).flatMap((pod) => rules.map((rule) => rule(pod)));
  return podSecurityLevels.findLast((level) => found.includes(level)) ?? 'restricted';
}
