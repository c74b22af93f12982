import { dependenciesOf, type Participant, readProperties, usersOf } from '../../dependencies/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { notedTexts, recordedBundle } from '../platform-operator/noted.ts';
import type { ExtensionContext } from './context.ts';

type Caches = Pick<ExtensionContext, 'bundles' | 'deployments'>;

function participantsOf({ bundles }: Caches, deployments: readonly KubeObject[]): readonly Participant[] {
  const noted = notedTexts(bundles, deployments);
  return [...noted.keys()].map((deployment) => {
    const { annotations } = recordedBundle(bundles, deployment)?.metadata ?? {};
    const properties = readProperties(annotations);
    return { name: deployment.metadata.name ?? '', properties, dependencies: dependenciesOf(properties, annotations) };
  });
}

/** The BundleDeployments that need what a dependency of a ClusterExtension provides, and no other one. Those of the extension itself, of which `own` are
 *  all, do not count. */
export function neededByOthers(caches: Caches, live: KubeObject, own: readonly KubeObject[]): readonly string[] {
  const { name = '' } = live.metadata;
  const isOwn = new Set(own.map(({ metadata }) => metadata.name));
  const others = caches.deployments
    .values()
    .filter(({ metadata }) => !isOwn.has(metadata.name) && metadata.deletionTimestamp === undefined);
  const active = participantsOf(caches, [live, ...others]);
  return usersOf({ name, next: undefined }, { active, servesApi: () => true });
}
