import type { BundleSource } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { definitionOf } from '../../src/sources/definitions/index.ts';
import { type AdmissionResult, allowed, denyAsRukPak } from '../review/result.ts';

/** A ConfigMap of the system namespace that is about to be created or deleted. */
export interface ConfigMapChange {
  readonly operation: 'CREATE' | 'DELETE';
  readonly name: string;
  readonly configMap: JsonObject;
}

/** A Bundle of the cluster. */
export interface BundleUse {
  readonly name: string;
  readonly source: BundleSource;
}

function uses({ source }: BundleUse, name: string): boolean {
  return source.configMaps?.some(({ configMap }) => configMap.name === name) === true;
}

/** A ConfigMap that Bundles already wait for is created immutable. */
export function configMapReferenced(
  { operation, name, configMap }: ConfigMapChange,
  bundles: readonly BundleUse[],
): AdmissionResult {
  if (operation !== 'CREATE' || configMap.immutable === true) return allowed;
  const users = bundles.filter(({ source }) => definitionOf(source).inputs.configMapNames(source).includes(name));
  if (users.length === 0) return allowed;
  return denyAsRukPak(
    `configmap "${name}" is referenced in .spec.source.configMaps[].configMap.name by bundles ` +
      `[${users.map((bundle) => bundle.name).join(' ')}]; referenced configmaps must have .immutable == true`,
  );
}

/** A ConfigMap is not deleted while a Bundle names it, whatever the Bundle's type. */
export function configMapInUse({ operation, name }: ConfigMapChange, bundles: readonly BundleUse[]): AdmissionResult {
  const user = operation === 'DELETE' ? bundles.find((bundle) => uses(bundle, name)) : undefined;
  return user === undefined ? allowed : denyAsRukPak(`configmap "${name}" is in-use by bundle "${user.name}"`);
}
