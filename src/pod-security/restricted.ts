import { isTrueAt, type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../base/index.ts';
import { isBadSeccomp, seccompProfile as seccompSet, seccompType } from './baseline.ts';
import {
  containersOf,
  containersWhere,
  containerWords,
  distinct,
  type Finding,
  isSet,
  isWindows,
  type PodView,
  plural,
  quoted,
  securityOf,
  setters,
} from './pod-view.ts';

/** Since 1.25 Windows pods need not set fields that have no meaning there. */
function isExempt(pod: PodView, minor: number): boolean {
  return minor >= 25 && isWindows(pod);
}

export function allowPrivilegeEscalation(pod: PodView, minor: number): Finding {
  if (isExempt(pod, minor)) return undefined;
  const containers = containersWhere(
    pod,
    (container) => valueAt(securityOf(container), 'allowPrivilegeEscalation') !== false,
  );
  if (containers.length === 0) return undefined;
  const detail = `${containerWords(containers)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
}

export function capabilities(pod: PodView, minor: number): Finding {
  if (isExempt(pod, minor)) return undefined;
  const listedIn = (container: JsonObject, key: 'add' | 'drop'): string[] =>
    listOfTexts(objectAt(container, 'securityContext', 'capabilities'), key);
  const badIn = (container: JsonObject): string[] =>
    listedIn(container, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
  const keeping = containersWhere(pod, (container) => !listedIn(container, 'drop').includes('ALL'));
  const adding = containersWhere(pod, (container) => badIn(container).length > 0);
  const names = distinct(containersOf(pod).flatMap(badIn));
  const details = [
    ...(keeping.length === 0 ? [] : [`${containerWords(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [`${containerWords(adding)} must not include ${quoted(names)} in securityContext.capabilities.add`]),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const volumeTypes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

export function restrictedVolumes({ spec }: PodView): Finding {
  const typeOf = (volume: JsonObject): string =>
    Object.keys(volume).find((key) => key !== 'name' && isSet(volume, key)) ?? 'unknown';
  const bad = objectsAt(spec, 'volumes').filter((volume) => !volumeTypes.has(typeOf(volume)));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map(typeOf));
  const names = bad.map((volume) => textAt(volume, 'name'));
  const verb = names.length === 1 ? 'uses' : 'use';
  const what = `restricted volume ${plural('type', types.length)} ${quoted(types)}`;
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', names.length)} ${quoted(names)} ${verb} ${what}`,
  };
}

export function runAsNonRoot(pod: PodView): Finding {
  const isRoot = (part: JsonObject): boolean => valueAt(securityOf(part), 'runAsNonRoot') === false;
  const who = setters(isRoot(pod.spec), containersWhere(pod, isRoot));
  const reason = 'runAsNonRoot != true';
  if (who.length > 0) return { reason, detail: `${who.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  if (isTrueAt(securityOf(pod.spec), 'runAsNonRoot')) return undefined;
  const silent = containersWhere(pod, (container) => !isTrueAt(securityOf(container), 'runAsNonRoot'));
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containerWords(silent)} must set securityContext.runAsNonRoot=true` };
}

export function runAsUser(pod: PodView): Finding {
  const isRoot = (part: JsonObject): boolean => valueAt(securityOf(part), 'runAsUser') === 0;
  const who = setters(isRoot(pod.spec), containersWhere(pod, isRoot));
  return who.length === 0
    ? undefined
    : { reason: 'runAsUser=0', detail: `${who.join(' and ')} must not set runAsUser=0` };
}

export function seccompProfile(pod: PodView, minor: number): Finding {
  if (isExempt(pod, minor)) return undefined;
  const bad = seccompSet(pod);
  if (bad !== undefined) return bad;
  const isSafe = (part: JsonObject): boolean => seccompType(part) !== '' && !isBadSeccomp(part);
  if (isSafe(pod.spec)) return undefined;
  const silent = containersWhere(pod, (container) => !isSafe(container));
  if (silent.length === 0) return undefined;
  const requirement = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${containerWords(silent)} ${requirement}` };
}
