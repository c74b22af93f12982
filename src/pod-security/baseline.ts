import { isTrueAt, type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../base/index.ts';
import {
  containersOf,
  containersWhere,
  containerWords,
  distinct,
  type Finding,
  isSet,
  type PodView,
  plural,
  quoted,
  securityOf,
  setters,
} from './pod-view.ts';

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const defaultCapabilities = new Set([
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
]);

/** Empty where the profile has no type. */
function profileType(security: JsonObject | undefined, field: string): string {
  return textAt(objectAt(security, field), 'type');
}

const goodProfiles = ['', 'RuntimeDefault', 'Localhost'];

function isBadAppArmor(part: JsonObject): boolean {
  return !goodProfiles.includes(profileType(securityOf(part), 'appArmorProfile'));
}

function badAppArmorAnnotations({ annotations }: PodView): string[] {
  return Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && isBadValue(value))
    .map(([key, value]) => `${key}="${value}"`)
    .toSorted();
}

function isBadValue(profile: string): boolean {
  return profile !== '' && profile !== 'runtime/default' && !profile.startsWith('localhost/');
}

export function appArmorProfile(pod: PodView): Finding {
  const isPodBad = isBadAppArmor(pod.spec);
  const containers = containersWhere(pod, isBadAppArmor);
  const annotations = badAppArmorAnnotations(pod);
  const who = [
    ...setters(isPodBad, containers),
    ...(annotations.length === 0 ? [] : [plural('annotation', annotations.length)]),
  ];
  if (who.length === 0) return undefined;
  const values = [...(isPodBad || containers.length > 0 ? ['Unconfined'] : []), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

export function capabilities(pod: PodView): Finding {
  const badIn = (container: JsonObject): string[] =>
    listOfTexts(objectAt(container, 'securityContext', 'capabilities'), 'add').filter(
      (name) => !defaultCapabilities.has(name),
    );
  const containers = containersWhere(pod, (container) => badIn(container).length > 0);
  if (containers.length === 0) return undefined;
  const names = distinct(containersOf(pod).flatMap(badIn));
  return {
    reason: 'non-default capabilities',
    detail: `${containerWords(containers)} must not include ${quoted(names)} in securityContext.capabilities.add`,
  };
}

export function hostNamespaces({ spec }: PodView): Finding {
  const set = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => isTrueAt(spec, field));
  return set.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: set.map((field) => `${field}=true`).join(', ') };
}

export function hostPathVolumes({ spec }: PodView): Finding {
  const names = objectsAt(spec, 'volumes')
    .filter((volume) => isSet(volume, 'hostPath'))
    .map((volume) => textAt(volume, 'name'));
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` };
}

export function hostPorts(pod: PodView): Finding {
  const portsOf = (container: JsonObject): string[] =>
    objectsAt(container, 'ports')
      .map(({ hostPort }) => Number(hostPort ?? 0))
      .filter((port) => port !== 0)
      .map(String);
  const containers = containersWhere(pod, (container) => portsOf(container).length > 0);
  if (containers.length === 0) return undefined;
  const ports = distinct(containersOf(pod).flatMap(portsOf));
  const verb = containers.length === 1 ? 'uses' : 'use';
  const detail = `${containerWords(containers)} ${verb} ${plural('hostPort', ports.length)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail };
}

export function privileged(pod: PodView): Finding {
  const containers = containersWhere(pod, (container) => isTrueAt(securityOf(container), 'privileged'));
  return containers.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${containerWords(containers)} must not set securityContext.privileged=true` };
}

export function procMount(pod: PodView): Finding {
  const valueOf = (container: JsonObject): string => textAt(securityOf(container), 'procMount');
  const isBad = (container: JsonObject): boolean => !['', 'Default'].includes(valueOf(container));
  const containers = containersWhere(pod, isBad);
  if (containers.length === 0) return undefined;
  const values = distinct(containersOf(pod).filter(isBad).map(valueOf));
  return {
    reason: 'procMount',
    detail: `${containerWords(containers)} must not set securityContext.procMount to ${quoted(values)}`,
  };
}

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

/** The types that are allowed grew with time. */
export function seLinuxOptions(pod: PodView, minor: number): Finding {
  const allowed = minor >= 31 ? [...seLinuxTypes, 'container_engine_t'] : seLinuxTypes;
  const optionOf = (part: JsonObject, option: string): string =>
    textAt(objectAt(securityOf(part), 'seLinuxOptions'), option);
  const isBad = (part: JsonObject): boolean =>
    !allowed.includes(optionOf(part, 'type')) || optionOf(part, 'user') !== '' || optionOf(part, 'role') !== '';
  const who = setters(isBad(pod.spec), containersWhere(pod, isBad));
  if (who.length === 0) return undefined;
  const bad = [pod.spec, ...containersOf(pod)].filter(isBad);
  const types = distinct(bad.map((part) => optionOf(part, 'type')).filter((type) => !allowed.includes(type)));
  const what = [
    ...(types.length === 0 ? [] : [`${plural('type', types.length)} ${quoted(types)}`]),
    ...(bad.some((part) => optionOf(part, 'user') !== '') ? ['user may not be set'] : []),
    ...(bad.some((part) => optionOf(part, 'role') !== '') ? ['role may not be set'] : []),
  ];
  const detail = `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
  return { reason: 'seLinuxOptions', detail };
}

/** Empty where a part names no seccomp profile. */
export function seccompType(part: JsonObject): string {
  return profileType(securityOf(part), 'seccompProfile');
}

/** Whether a part names a seccomp profile that is none of the safe ones. */
export function isBadSeccomp(part: JsonObject): boolean {
  return !goodProfiles.includes(seccompType(part));
}

export function seccompProfile(pod: PodView): Finding {
  const who = setters(isBadSeccomp(pod.spec), containersWhere(pod, isBadSeccomp));
  if (who.length === 0) return undefined;
  const values = [pod.spec, ...containersOf(pod)].filter(isBadSeccomp);
  const types = distinct(values.map(seccompType));
  const detail = `${who.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(types)}`;
  return { reason: 'seccompProfile', detail };
}

/** Each with the minor version since which it is allowed. */
const safeSysctls: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
]);

export function sysctls({ spec }: PodView, minor: number): Finding {
  const names = objectsAt(securityOf(spec), 'sysctls').map((sysctl) => textAt(sysctl, 'name'));
  const bad = names.filter((name) => minor < (safeSysctls.get(name) ?? Number.POSITIVE_INFINITY));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
}

export function windowsHostProcess(pod: PodView): Finding {
  const isHost = (part: JsonObject): boolean =>
    isTrueAt(objectAt(part, 'securityContext', 'windowsOptions'), 'hostProcess');
  const who = setters(isHost(pod.spec), containersWhere(pod, isHost));
  if (who.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}

/** Probes and hooks of a container that may name another host to ask. */
function actionsOf(container: JsonObject): (JsonObject | undefined)[] {
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].map((key) => objectAt(container, key));
  const hooks = ['postStart', 'preStop'].map((key) => objectAt(container, 'lifecycle', key));
  return [...probes, ...hooks].flatMap((handler) => [objectAt(handler, 'httpGet'), objectAt(handler, 'tcpSocket')]);
}

/** Added in Kubernetes 1.34. */
export function hostProbes(pod: PodView): Finding {
  const isBad = (container: JsonObject): boolean =>
    actionsOf(container).some((action) => textAt(action, 'host') !== '');
  const containers = containersWhere(pod, isBad);
  if (containers.length === 0) return undefined;
  const detail = `${containerWords(containers)} must not set the host of a probe or of a lifecycle hook`;
  return { reason: 'probe or lifecycle host', detail };
}
