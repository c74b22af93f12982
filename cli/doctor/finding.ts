import { errorMessage } from '../../src/base/index.ts';
import { isKubeError, type KubeClient } from '../../src/kube/index.ts';

/** How bad it is. */
export const levels = ['ok', 'warn', 'fail'] as const;
/** One of `levels`. */
export type Level = (typeof levels)[number];

/** One line of the output of `longshore doctor`. */
export interface Finding {
  readonly level: Level;
  /** The object, and how it is. */
  readonly what: string;
  /** What to do, where something is to be done. */
  readonly advice?: string;
}

/** What a check looks at. */
export interface Patient {
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  /** By the clock of the server, as far as it is known. */
  readonly nowMs: number;
  /** What is not done after so long is stuck. */
  readonly stuckMs: number;
  readonly signal: AbortSignal;
}

/** A row of the table of checks; what it throws is a finding too. */
export interface Check {
  readonly name: string;
  readonly examine: (patient: Patient) => Promise<readonly Finding[]>;
}

/** All is as it should be. */
export function ok(what: string): Finding {
  return { level: 'ok', what };
}

/** Something that should be looked at. */
export function warn(what: string, advice: string): Finding {
  return { level: 'warn', what, advice };
}

/** Something that does not work. */
export function fail(what: string, advice: string): Finding {
  return { level: 'fail', what, advice };
}

/** The user may lack permission to read the objects. */
export function unchecked(what: string, thrown: unknown): Finding {
  const text = `${what}: could not be checked: ${errorMessage(thrown)}`;
  const isForbidden = isKubeError(thrown) && (thrown.failure.status === 403 || thrown.failure.status === 401);
  if (isForbidden) return warn(text, 'run longshore doctor as a user with permission to read it');
  return fail(text, 'check the API server, and run longshore doctor again');
}

/** Of many only the first are reported one by one. */
export function shorten(findings: readonly Finding[], what: string, limit = 20): readonly Finding[] {
  if (findings.length <= limit) return findings;
  const rest = `${findings.length - limit} more such ${what}`;
  return [...findings.slice(0, limit), warn(rest, 'start with those above')];
}

/** A duration for people. */
export function spokenAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}
