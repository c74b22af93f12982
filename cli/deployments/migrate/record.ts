import { isJsonObject, type JsonObject, objectAt, parseJson, TerminalError, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';

/** On the BundleDeployment: what it continues, in JSON. An interrupted migration continues from it. */
export const migratedAnnotation = 'olm.longshore.dev/migrated-from';

/** The PlatformOperator that a migration ends with. */
export interface PlatformGoal {
  readonly name: string;
  readonly upgradePolicy: 'Automatic' | 'None';
}

/** Where an operator comes from, and what it becomes. */
export interface Migration {
  readonly namespace: string;
  readonly subscription: string;
  readonly package: string;
  readonly clusterServiceVersion: string;
  /** Undefined where it stays a BundleDeployment. */
  readonly platformOperator?: PlatformGoal;
}

function readGoal(value: JsonObject | undefined): PlatformGoal | undefined {
  const name = textAt(value, 'name') ?? '';
  if (name === '') return undefined;
  return { name, upgradePolicy: textAt(value, 'upgradePolicy') === 'Automatic' ? 'Automatic' : 'None' };
}

function readMigration(value: JsonObject): Migration | undefined {
  const [namespace, subscription, packageName, clusterServiceVersion] = [
    'namespace',
    'subscription',
    'package',
    'clusterServiceVersion',
  ].map((key) => textAt(value, key) ?? '');
  if (!namespace || !subscription || !packageName || !clusterServiceVersion) return undefined;
  const platformOperator = readGoal(objectAt(value, 'platformOperator'));
  const migration = { namespace, subscription, package: packageName, clusterServiceVersion };
  return { ...migration, ...(platformOperator && { platformOperator }) };
}

/** What a BundleDeployment continues; undefined for one that no migration made. */
export function migrationOf({ metadata }: KubeObject): Migration | undefined {
  const text = metadata.annotations?.[migratedAnnotation];
  if (text === undefined) return undefined;
  try {
    const value = parseJson(migratedAnnotation, text);
    return isJsonObject(value) ? readMigration(value) : undefined;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** Whether a migration is of the operator that a user names by package, Subscription or ClusterServiceVersion. */
export function isMigrationOf(migration: Migration, namespace: string, name: string): boolean {
  const names = [migration.package, migration.subscription, migration.clusterServiceVersion];
  return migration.namespace === namespace && names.includes(name);
}
