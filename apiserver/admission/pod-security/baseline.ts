import type { JsonObject } from '../../../src/base/index.ts';
import { objectOf, objectsOf, textOf, textsOf } from '../pod-parts.ts';
import {
  containersOf,
  containersWhere,
  containerWords,
  distinct,
  type Finding,
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

function profileType(security: JsonObject, field: string): string | undefined {
  const { type } = objectOf(security[field]);
  return typeof type === 'string' ? type : undefined;
}

function isBadAppArmor(security: JsonObject): boolean {
  const type = profileType(security, 'appArmorProfile');
  return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
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
  const isPodBad = isBadAppArmor(securityOf(pod.spec));
  const containers = containersWhere(pod, (container) => isBadAppArmor(securityOf(container)));
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
    textsOf(objectOf(securityOf(container)['capabilities'])['add']).filter((name) => !defaultCapabilities.has(name));
  const containers = containersWhere(pod, (container) => badIn(container).length > 0);
  if (containers.length === 0) return undefined;
  const names = distinct(containersOf(pod).flatMap(badIn));
  return {
    reason: 'non-default capabilities',
    detail: `${containerWords(containers)} must not include ${quoted(names)} in securityContext.capabilities.add`,
  };
}

export function hostNamespaces({ spec }: PodView): Finding {
  const set = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  return set.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: set.map((field) => `${field}=true`).join(', ') };
}

export function hostPathVolumes({ spec }: PodView): Finding {
  const names = objectsOf(spec['volumes'])
    .filter((volume) => volume['hostPath'] !== undefined)
    .map(({ name }) => textOf(name));
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` };
}

export function hostPorts(pod: PodView): Finding {
  const portsOf = (container: JsonObject): string[] =>
    objectsOf(container['ports'])
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
  const containers = containersWhere(pod, (container) => securityOf(container)['privileged'] === true);
  return containers.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${containerWords(containers)} must not set securityContext.privileged=true` };
}

export function procMount(pod: PodView): Finding {
  const valueOf = (container: JsonObject): string => textOf(securityOf(container)['procMount']);
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
  const optionsOf = (part: JsonObject): JsonObject => objectOf(securityOf(part)['seLinuxOptions']);
  const isBad = (part: JsonObject): boolean => {
    const { type, user, role } = optionsOf(part);
    return !allowed.includes(textOf(type)) || textOf(user) !== '' || textOf(role) !== '';
  };
  const who = setters(isBad(pod.spec), containersWhere(pod, isBad));
  if (who.length === 0) return undefined;
  const bad = [pod.spec, ...containersOf(pod)].filter(isBad).map(optionsOf);
  const types = distinct(bad.map(({ type }) => textOf(type)).filter((type) => !allowed.includes(type)));
  const what = [
    ...(types.length === 0 ? [] : [`${plural('type', types.length)} ${quoted(types)}`]),
    ...(bad.some(({ user }) => textOf(user) !== '') ? ['user may not be set'] : []),
    ...(bad.some(({ role }) => textOf(role) !== '') ? ['role may not be set'] : []),
  ];
  const detail = `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
  return { reason: 'seLinuxOptions', detail };
}

/** Whether a part names a seccomp profile that is none of the safe ones. */
export function isBadSeccomp(part: JsonObject): boolean {
  const type = profileType(securityOf(part), 'seccompProfile');
  return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
}

export function seccompProfile(pod: PodView): Finding {
  const who = setters(isBadSeccomp(pod.spec), containersWhere(pod, isBadSeccomp));
  if (who.length === 0) return undefined;
  const values = [pod.spec, ...containersOf(pod)].filter(isBadSeccomp);
  const types = distinct(values.map((part) => profileType(securityOf(part), 'seccompProfile') ?? ''));
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
  const names = objectsOf(securityOf(spec)['sysctls']).map(({ name }) => textOf(name));
  const bad = names.filter((name) => minor < (safeSysctls.get(name) ?? Number.POSITIVE_INFINITY));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
}

export function windowsHostProcess(pod: PodView): Finding {
  const isSet = (part: JsonObject): boolean => objectOf(securityOf(part)['windowsOptions'])['hostProcess'] === true;
  const who = setters(isSet(pod.spec), containersWhere(pod, isSet));
  if (who.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}
