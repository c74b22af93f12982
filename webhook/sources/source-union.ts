import { type BundleSource, sourceTypes } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, denyInvalid, mergeResults } from '../review/result.ts';

const refMembers = ['branch', 'commit', 'tag'] as const;

function exactlyOne(field: string, count: number): AdmissionResult {
  if (count === 1) return allowed;
  const found = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`;
  return denyInvalid(`"${field}" must validate one and only one schema (oneOf). ${found}`);
}

function countOf<T extends object>(object: T, keys: readonly (keyof T & string)[]): number {
  return keys.filter((key) => Object.hasOwn(object, key)).length;
}

function gitRef(source: BundleSource): AdmissionResult {
  return source.git === undefined ? allowed : exactlyOne('spec.source.git.ref', countOf(source.git.ref, refMembers));
}

/** The unions of the Bundle schema that the BundleDeployment schema lacks: one source, one git reference. */
export function sourceUnion(source: BundleSource): AdmissionResult {
  return mergeResults([exactlyOne('spec.source', countOf(source, sourceTypes)), gitRef(source)]);
}
