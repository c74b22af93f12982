import {
  isStricterLevel,
  type PodSecurityLevel,
  type PodView,
  parsePodSecurityLevel,
  podSecurityFindings,
} from '../../../src/pod-security/index.ts';
import { type FieldError, invalidField } from '../../../src/schema/index.ts';

const prefix = 'pod-security.kubernetes.io/';

/** A level, as of a version: `restricted:latest`, `baseline:v1.28`. */
export interface LevelVersion {
  readonly level: PodSecurityLevel;
  readonly version: string;
}

/** What the labels of a namespace ask for. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** Labels without effect: the others count as if these were not set. */
  readonly errors: readonly FieldError[];
}

/** Of the rules that this server enforces. */
const latestMinor = 33;

function minorOf(version: string): number {
  return version === 'latest' ? latestMinor : Math.min(Number(version.slice('v1.'.length)), latestMinor);
}

/** Everything in a pod that a level forbids, in the order of kube-apiserver. */
export function findings({ level, version }: LevelVersion, pod: PodView): ReturnType<typeof podSecurityFindings> {
  return podSecurityFindings(level, minorOf(version), pod);
}

/** Whether a namespace that changes from one to the other takes fewer pods than before. */
export function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === before.level && now.version === before.version) return false;
  if (now.level === 'privileged') return false;
  return now.version !== before.version || isStricterLevel(now.level, before.level);
}

interface Reading {
  readonly policy: LevelVersion;
  readonly hasLevel: boolean;
  readonly errors: readonly FieldError[];
}

function levelIn(level: string | undefined, mode: string): PodSecurityLevel {
  if (level === undefined) return 'privileged';
  // What cannot be read is enforced at its strictest, and warned of not at all.
  return parsePodSecurityLevel(level) ?? (mode === 'enforce' ? 'restricted' : 'privileged');
}

function readMode(labels: Readonly<Record<string, string>>, mode: string): Reading {
  const { [`${prefix}${mode}`]: level, [`${prefix}${mode}-version`]: version = 'latest' } = labels;
  const isGoodLevel = level === undefined || parsePodSecurityLevel(level) !== undefined;
  const isGoodVersion = /^(latest|v1\.(0|[1-9]\d*))$/.test(version);
  const field = `metadata.labels[${prefix}${mode}`;
  const errors = [
    ...(isGoodLevel ? [] : [invalidField(`${field}]`, level, 'must be one of privileged, baseline, restricted')]),
    ...(isGoodVersion ? [] : [invalidField(`${field}-version]`, version, 'must be "latest" or "v1.x"')]),
  ];
  const policy = { level: levelIn(level, mode), version: isGoodVersion ? version : 'latest' };
  return { policy, hasLevel: level !== undefined && isGoodLevel, errors };
}

/** Reads the labels of a namespace. A namespace that enforces a level without one for warnings warns at the same level. */
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
