import { errorMessage, redactUrl, trimEnd } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { isTooOld, oldestKubernetes } from '../client/index.ts';
import { catalogCheck } from './catalogs.ts';
import { certificateCheck } from './certificates.ts';
import { crdCheck } from './crds.ts';
import { extensionCheck } from './extensions.ts';
import {
  type Check,
  type Finding,
  fail,
  type Level,
  levels,
  ok,
  type Patient,
  spokenAge,
  unchecked,
  warn,
} from './finding.ts';
import { objectCheck } from './objects.ts';
import { olmCheck } from './olm.ts';
import { permissionsCheck } from './permissions.ts';
import { platformCheck } from './platforms.ts';
import { deploymentCheck, leaderCheck } from './processes.ts';
import { answerCheck, configurationCheck } from './webhooks.ts';

/** In the order in which one thing rests upon another. */
const checks: readonly Check[] = [
  crdCheck,
  olmCheck,
  configurationCheck,
  answerCheck,
  certificateCheck,
  deploymentCheck,
  leaderCheck,
  permissionsCheck,
  objectCheck,
  catalogCheck,
  extensionCheck,
  platformCheck,
];
const checkDeadlineMs = 30_000;
const clockWarnMs = 5_000;
const clockFailMs = 60_000;
const maxCharacters = 500;

/** A finding, and the check that made it. */
export interface Diagnosis extends Finding {
  readonly check: string;
}

/** Which cluster, and how strictly. */
export interface ExaminationOptions {
  readonly kube: KubeClient;
  readonly server: string;
  readonly systemNamespace: string;
  readonly stuckMs: number;
  /** By the clock of this machine. */
  readonly now: () => number;
  readonly onDiagnosis: (diagnosis: Diagnosis) => void;
}

/** The worst level of all; ok for none. */
export function worstOf(findings: readonly Finding[]): Level {
  return levels.toReversed().find((level) => findings.some((finding) => finding.level === level)) ?? 'ok';
}

function versionFinding(version: string, server: string): Finding {
  const text = `Kubernetes ${version} at ${server}`;
  if (!isTooOld(version)) return ok(text);
  return warn(`${text}: older than ${oldestKubernetes}`, `upgrade the cluster to ${oldestKubernetes} or later`);
}

function clockFinding(skewMs: number): Finding {
  if (Number.isNaN(skewMs)) return warn('clock: the server sends no time', 'compare the clocks manually');
  const text = `clock: the server's differs from this machine's by ${spokenAge(skewMs)}`;
  const advice = 'synchronize the clocks (NTP): certificates and the ages below depend on them';
  if (skewMs > clockFailMs) return fail(text, advice);
  return skewMs > clockWarnMs ? warn(text, advice) : ok(text);
}

/** Others have written what is quoted: no line breaks, nothing that a terminal would act upon, and not without end. */
function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return plain.length > maxCharacters ? `${plain.slice(0, maxCharacters)} …` : plain;
}

/** The server reports whole seconds; it answered between two readings of our clock. */
function skewOf(dateMs: number, beforeMs: number, afterMs: number): number {
  if (Number.isNaN(dateMs)) return Number.NaN;
  return Math.max(0, dateMs - afterMs, beforeMs - dateMs - 1000);
}

/** Undefined when the server does not answer. */
async function greet(options: ExaminationOptions): Promise<number | undefined> {
  const { kube, now, onDiagnosis } = options;
  const server = trimEnd(redactUrl(options.server), '/');
  const report = (finding: Finding): void => onDiagnosis({ check: 'server', ...finding });
  const signal = AbortSignal.timeout(checkDeadlineMs);
  try {
    report(versionFinding(await kube.serverVersion({ signal }), server));
    const beforeMs = now();
    const dateMs = await kube.serverDate({ signal });
    const afterMs = now();
    report(clockFinding(skewOf(dateMs, beforeMs, afterMs)));
    return Number.isNaN(dateMs) ? afterMs : dateMs;
  } catch (thrown) {
    const text = `${server} does not answer: ${errorMessage(thrown)}`;
    report(fail(text, 'check that the cluster runs, and that --kubeconfig is that of the cluster'));
    return undefined;
  }
}

/** Examines a cluster from outside, read-only. Reports each finding at once. */
export async function examine(options: ExaminationOptions): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  const report = (given: Diagnosis): void => {
    const diagnosis = { ...given, what: oneLine(given.what) };
    found.push(diagnosis);
    options.onDiagnosis(diagnosis);
  };
  const serverMs = await greet({ ...options, onDiagnosis: report });
  if (serverMs === undefined) return found;
  const sinceMs = options.now();
  for (const { name: check, examine: look } of checks) {
    const { kube, systemNamespace, stuckMs, now } = options;
    const nowMs = serverMs + now() - sinceMs;
    const patient: Patient = { kube, systemNamespace, stuckMs, nowMs, signal: AbortSignal.timeout(checkDeadlineMs) };
    const findings = await look(patient).catch((thrown: unknown) => [unchecked(check, thrown)]);
    for (const finding of findings) report({ check, ...finding });
  }
  return found;
}
