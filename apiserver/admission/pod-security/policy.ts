import { type FieldError, invalidField } from '../../../src/schema/index.ts';
import * as baseline from './baseline.ts';
import type { Finding, PodView } from './pod-view.ts';
import * as restricted from './restricted.ts';

const levels = ['privileged', 'baseline', 'restricted'] as const;
const latestMinor = 33;
const prefix = 'pod-security.kubernetes.io/';

/** How strict, from none on. */
export type Level = (typeof levels)[number];

/** A level, as of a version: `restricted:latest`, `baseline:v1.28`. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: string;
}

/** What the labels of a namespace ask for. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** Labels that say nothing; then the rest counts as if they were not there. */
  readonly errors: readonly FieldError[];
}

interface Check {
  /** The minor version since which it is made. */
  readonly since: number;
  readonly find: (pod: PodView, minor: number) => Finding;
  /** A restricted check that says the same and more takes the place of this one. */
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
];

const restrictedChecks: readonly Check[] = [
  { since: 8, find: restricted.allowPrivilegeEscalation },
  { since: 22, find: restricted.capabilities },
  { since: 0, find: restricted.restrictedVolumes },
  { since: 0, find: restricted.runAsNonRoot },
  { since: 23, find: restricted.runAsUser },
  { since: 19, find: restricted.seccompProfile },
];

function minorOf(version: string): number {
  return version === 'latest' ? latestMinor : Math.min(Number(version.slice('v1.'.length)), latestMinor);
}

/** Everything in a pod that a level forbids, in the order of kube-apiserver. */
export function findings({ level, version }: LevelVersion, pod: PodView): NonNullable<Finding>[] {
  if (level === 'privileged') return [];
  const minor = minorOf(version);
  const isStrict = level === 'restricted';
  const kept = baselineChecks.filter(({ until }) => !isStrict || until === undefined || minor < until);
  const checks = [...kept, ...(isStrict ? restrictedChecks : [])];
  return checks
    .filter(({ since }) => minor >= since)
    .map(({ find }) => find(pod, minor))
    .filter((finding) => finding !== undefined);
}

function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/** Whether a namespace that changes from one to the other takes fewer pods than before. */
export function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === before.level && now.version === before.version) return false;
  if (now.level === 'privileged') return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

function isLevel(text: string): text is Level {
  return (levels as readonly string[]).includes(text);
}

interface Reading {
  readonly policy: LevelVersion;
  readonly hasLevel: boolean;
  readonly errors: readonly FieldError[];
}

function levelIn(level: string | undefined, mode: string): Level {
  if (level === undefined) return 'privileged';
  // What cannot be read is enforced at its strictest, and warned of not at all.
  return isLevel(level) ? level : mode === 'enforce' ? 'restricted' : 'privileged';
}

function readMode(labels: Readonly<Record<string, string>>, mode: string): Reading {
  const { [`${prefix}${mode}`]: level, [`${prefix}${mode}-version`]: version = 'latest' } = labels;
  const isGoodLevel = level === undefined || isLevel(level);
  const isGoodVersion = /^(latest|v1\.(0|[1-9]\d*))$/.test(version);
  const field = `metadata.labels[${prefix}${mode}`;
  const errors = [
    ...(isGoodLevel ? [] : [invalidField(`${field}]`, level, 'must be one of privileged, baseline, restricted')]),
    ...(isGoodVersion ? [] : [invalidField(`${field}-version]`, version, 'must be "latest" or "v1.x"')]),
  ];
  const policy = { level: levelIn(level, mode), version: isGoodVersion ? version : 'latest' };
  return { policy, hasLevel: level !== undefined && isGoodLevel, errors };
}

/** Reads the labels of a namespace. Who enforces without saying what to warn of is warned of the same. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): Policy {
  const [enforce, audit, warn] = ['enforce', 'audit', 'warn'].map((mode) => readMode(labels, mode)) as [
    Reading,
    Reading,
    Reading,
  ];
  const isWarnSet = Object.hasOwn(labels, `${prefix}warn`);
  const isDefaulted = !isWarnSet && enforce.hasLevel && enforce.policy.level !== 'privileged';
  const version = Object.hasOwn(labels, `${prefix}warn-version`) ? warn.policy.version : enforce.policy.version;
  return {
    enforce: enforce.policy,
    warn: isDefaulted ? { level: enforce.policy.level, version } : warn.policy,
    errors: [...enforce.errors, ...audit.errors, ...warn.errors],
  };
}
