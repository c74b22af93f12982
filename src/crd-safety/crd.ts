import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../base/index.ts';
import type { Schema } from '../schema/index.ts';

/** One entry of `spec.versions`; a version without a schema has an empty one. */
export interface CrdVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly schema: Schema;
}

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`, as far as its safety depends on it. */
export interface Crd {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly scope: string;
  readonly versions: readonly CrdVersion[];
  readonly storedVersions: readonly string[];
  /** Whether the cluster's versions of one object differ in nothing but `apiVersion`. */
  readonly isConvertedAlike: boolean;
  readonly isEstablished: boolean;
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The name of a raw CRD; empty when it has none. */
export function crdNameOf(crd: JsonObject): string {
  return textOf(membersOf(crd.metadata).name);
}

function undecodable(name: string, problem: string): TerminalError {
  return new TerminalError('InvalidObject', `failed to decode CRD "${name}": ${problem}`);
}

function readVersion(name: string, version: JsonValue): CrdVersion {
  if (!isJsonObject(version) || typeof version.name !== 'string') {
    throw undecodable(name, 'expected every entry of spec.versions to be an object with a name');
  }
  const { openAPIV3Schema = {} } = membersOf(version.schema);
  if (!isJsonObject(openAPIV3Schema)) {
    throw undecodable(name, `expected the schema of version "${version.name}" to be an object`);
  }
  return { name: version.name, isServed: version.served === true, schema: openAPIV3Schema as unknown as Schema };
}

/** Reads a CRD that an API server has accepted, or is about to accept.
 *  @throws TerminalError InvalidObject */
export function readCrd(crd: JsonObject): Crd {
  const name = crdNameOf(crd);
  if (!isJsonObject(crd.spec)) throw undecodable(name, 'expected an object with a spec');
  const { spec } = crd;
  const status = membersOf(crd.status);
  const strategy = membersOf(spec.conversion).strategy;
  return {
    name,
    group: textOf(spec.group),
    kind: textOf(membersOf(spec.names).kind),
    scope: textOf(spec.scope),
    versions: listOf(spec.versions).map((version) => readVersion(name, version)),
    storedVersions: listOf(status.storedVersions).map(textOf),
    isConvertedAlike: strategy === undefined || strategy === 'None',
    isEstablished: listOf(status.conditions).some(
      (condition) => isJsonObject(condition) && condition.type === 'Established' && condition.status === 'True',
    ),
  };
}

/** The version of that name. */
export function versionOf(crd: Crd, name: string): CrdVersion | undefined {
  return crd.versions.find((version) => version.name === name);
}

const kubernetesVersion = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** Older before newer as Kubernetes ranks versions (`v1alpha1` < `v1beta1` < `v1` < `v2`), any other name first. */
function compareAge(a: string, b: string): number {
  const rank = (name: string): readonly number[] => {
    const [match, major = '', level, minor = '0'] = kubernetesVersion.exec(name) ?? [];
    if (match === undefined) return [0];
    return [['alpha', 'beta', undefined].indexOf(level as 'alpha' | undefined) + 1, Number(major), Number(minor)];
  };
  const [ofA, ofB] = [rank(a), rank(b)];
  for (const [index, value] of ofA.entries()) {
    const difference = value - (ofB[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

/** All versions, older before newer. */
export function versionsByAge({ versions }: Crd): readonly CrdVersion[] {
  return versions.toSorted((a, b) => compareAge(a.name, b.name));
}
