import { adoptAnnotation, platformChoiceAnnotation, platformPackageLabel } from '../../../src/api/index.ts';
import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { deploymentObject } from '../run/apply.ts';
import { watchedAs } from '../run/config.ts';
import { choiceFor, type PlatformTarget } from './platform.ts';
import { type Migration, migratedAnnotation } from './record.ts';
import type { Subscribed } from './subscribed.ts';

/** What continues an operator. */
export interface Continuation {
  /** Of the BundleDeployment. */
  readonly name: string;
  /** Of the bundle. */
  readonly image: string;
  /** Undefined where it stays a BundleDeployment. */
  readonly platform: PlatformTarget | undefined;
}

function recordOf({ subscription, csv }: Subscribed, { platform }: Continuation): Migration {
  return {
    namespace: csv.metadata.namespace ?? '',
    subscription: subscription.metadata.name ?? '',
    package: subscription.spec.name,
    clusterServiceVersion: csv.metadata.name ?? '',
    ...(platform && { platformOperator: platform.goal }),
  };
}

/** The BundleDeployment that continues the operator in its namespace. */
export function continuing(subscribed: Subscribed, continuation: Continuation): KubeObject {
  const { subscription, csv, targets, account } = subscribed;
  const { namespace = '' } = csv.metadata;
  const { name, image, platform } = continuation;
  const watched = targets.filter((target) => target !== '');
  const settings = (subscription.spec.config ?? {}) as JsonObject;
  const { selector: _unused, ...deploymentConfig } = settings;
  const config = {
    installNamespace: namespace,
    // What its author may have installed does not become more by the migration.
    ...(account === '' ? {} : { serviceAccount: { namespace, name: account } }),
    ...watchedAs(watched),
    ...(Object.keys(deploymentConfig).length === 0 ? {} : { deploymentConfig }),
  };
  const object = deploymentObject({
    name,
    deploymentClass: 'core-rukpak-io-plain',
    bundleClass: 'core-rukpak-io-registry',
    source: { type: 'image', image: { ref: image } },
    config,
  });
  const annotations = {
    [adoptAnnotation]: 'true',
    [migratedAnnotation]: JSON.stringify(recordOf(subscribed, continuation)),
    ...(platform && { [platformChoiceAnnotation]: JSON.stringify(choiceFor(subscribed, platform, image)) }),
  };
  const labels = platform && { [platformPackageLabel]: subscription.spec.name };
  return { ...object, metadata: { ...object.metadata, annotations, ...(labels && { labels }) } };
}
