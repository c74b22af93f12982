import type { BundleSource } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { Findings } from '../../src/dependencies/index.ts';

/** `original`: the whole text goes into `status.reason` with code 403, and kubectl shows it twice; `long`: 403 `Forbidden` with the text as message;
 *  `added`: 422 `Invalid` with the text as message. */
interface Denial {
  readonly form: 'original' | 'long' | 'added';
  readonly text: string;
}

/** The result of a rule; without findings both lists are empty. */
export interface AdmissionResult {
  readonly denials: readonly Denial[];
  readonly warnings: readonly string[];
  /** What is changed of the object, as a JSON patch; only where the webhook is one that changes objects. */
  readonly patch?: readonly JsonObject[];
}

/** What the rules need to know of the cluster. */
export interface BundleUse {
  readonly name: string;
  readonly source: BundleSource;
}

/** The ConfigMaps of the system namespace that a source names: name → whether it is immutable; absent ones are left out. */
export interface SourceFacts {
  readonly configMaps: ReadonlyMap<string, boolean>;
  /** Files of the content's `metadata` directory, where the content can be read already. */
  readonly metadata: ReadonlyMap<string, Buffer>;
}

/** A rule for a new source; pure. */
export type SourceRule = (source: BundleSource, facts: SourceFacts) => AdmissionResult;

/** A ConfigMap of the system namespace that is about to be created or deleted, and all Bundles, by name. */
export interface ConfigMapChange {
  readonly operation: 'CREATE' | 'DELETE';
  readonly configMap: JsonObject;
  readonly name: string;
  readonly bundles: readonly BundleUse[];
}

/** A rule for a change of a ConfigMap; pure. */
export type ConfigMapRule = (change: ConfigMapChange) => AdmissionResult;

/** The result of a rule without findings. */
export const allowed: AdmissionResult = { denials: [], warnings: [] };

/** A refusal with a text that users know from the original. */
export function deny(text: string): AdmissionResult {
  return { denials: [{ form: 'original', text }], warnings: [] };
}

/** A refusal with a text of the original that takes more than a line. */
export function denyAtLength(text: string): AdmissionResult {
  return { denials: [{ form: 'long', text }], warnings: [] };
}

/** A denial because of the requesting user. */
export function forbid(text: string): AdmissionResult {
  return { denials: [{ form: 'long', text }], warnings: [] };
}

/** A denial by a rule that the original does not have. */
export function denyAdded(text: string): AdmissionResult {
  return { denials: [{ form: 'added', text }], warnings: [] };
}

/** Nothing but warnings. */
export function warn(warnings: readonly string[]): AdmissionResult {
  return { denials: [], warnings };
}

/** Problems as denials by added rules. */
export function resultOf({ problems, warnings }: Findings): AdmissionResult {
  return { denials: problems.map((text) => ({ form: 'added', text })), warnings };
}

/** All denials and warnings, in order. */
export function mergeResults(results: readonly AdmissionResult[]): AdmissionResult {
  return {
    denials: results.flatMap(({ denials }) => denials),
    warnings: results.flatMap(({ warnings }) => warnings),
  };
}
