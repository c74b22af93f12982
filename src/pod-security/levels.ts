import type { JsonObject } from '../base/index.ts';
import * as baseline from './baseline.ts';
import { type Finding, type PodView, podViewOf } from './pod-view.ts';
import * as restricted from './restricted.ts';

/** Levels of the Pod Security Standards, the loosest first. */
const podSecurityLevels = ['privileged', 'baseline', 'restricted'] as const;
/** A level of the Pod Security Standards. */
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** The last minor version of Kubernetes whose rules are known here. */
const latestMinor = 34;

interface Check {
  /** The minor version since which it is made. */
  readonly since: number;
  readonly find: (pod: PodView, minor: number) => Finding;
  /** A stricter check of the level restricted replaces this one. */
  readonly until?: number;
}

const baselineChecks: readonly Check[] = [
  { since: 0, find: baseline.appArmorProfile },
  { since: 0, find: baseline.capabilities, until: 22 },
  { since: 0, find: baseline.hostNamespaces },
  { since: 0, find: baseline.hostPathVolumes, until: 0 },
  { since: 0, find: baseline.hostPorts },
  { since: 0, find: baseline.privileged },
  { since: 0, find: baseline.procMount },
  { since: 0, find: baseline.seLinuxOptions },
  { since: 19, find: baseline.seccompProfile, until: 19 },
  { since: 0, find: baseline.sysctls },
  { since: 0, find: baseline.windowsHostProcess },
  { since: 34, find: baseline.hostProbes },
];

const restrictedChecks: readonly Check[] = [
  { since: 8, find: restricted.allowPrivilegeEscalation },
  { since: 22, find: restricted.capabilities },
  { since: 0, find: restricted.restrictedVolumes },
  { since: 0, find: restricted.runAsNonRoot },
  { since: 23, find: restricted.runAsUser },
  { since: 19, find: restricted.seccompProfile },
];

/** Everything in a pod that a level forbids by the rules of Kubernetes 1.`minor`, in the order of kube-apiserver. */
export function podSecurityFindings(level: PodSecurityLevel, minor: number, pod: PodView): NonNullable<Finding>[] {
  if (level === 'privileged') return [];
  const isStrict = level === 'restricted';
  const applicable = baselineChecks.filter(({ until }) => !isStrict || until === undefined || minor < until);
  const checks = [...applicable, ...(isStrict ? restrictedChecks : [])];
  return checks
    .filter(({ since }) => minor >= since)
    .map(({ find }) => find(pod, minor))
    .filter((finding) => finding !== undefined);
}

/** Why the next stricter level than `level` does not admit Pods of a template, by the latest rules; nothing where there is none. */
export function podSecurityObstacles(level: PodSecurityLevel, template: JsonObject): NonNullable<Finding>[] {
  const next = podSecurityLevels[podSecurityLevels.indexOf(level) + 1];
  return next === undefined ? [] : podSecurityFindings(next, latestMinor, podViewOf(template));
}

/** Whether `a` lets fewer pods in than `b`. */
export function isStricterLevel(a: PodSecurityLevel, b: PodSecurityLevel): boolean {
  return podSecurityLevels.indexOf(a) > podSecurityLevels.indexOf(b);
}

/** The level that a text names; undefined when it names none. */
export function parsePodSecurityLevel(text: string | undefined): PodSecurityLevel | undefined {
  return podSecurityLevels.find((level) => level === text);
}

/** The strictest level that admits Pods of all templates, by the latest rules; `restricted` where there are none. */
export function podSecurityLevel(templates: readonly JsonObject[]): PodSecurityLevel {
  const pods = templates.map(podViewOf);
  const admits = (level: PodSecurityLevel): boolean =>
    pods.every((pod) => podSecurityFindings(level, latestMinor, pod).length === 0);
  return podSecurityLevels.findLast(admits) ?? 'privileged';
}
