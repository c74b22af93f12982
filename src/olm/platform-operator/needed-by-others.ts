import { bundlePropertiesAnnotation, dependenciesAnnotation } from '../../api/index.ts';
import { type AnnotatedBundle, hasNeeds, readParticipants, shortest, usersOf } from '../../dependencies/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { PlatformContext } from './context.ts';
import { recordedBundle } from './noted.ts';

type Caches = Pick<PlatformContext, 'bundles' | 'deployments'>;

/** What is read of the annotations of all bundles, while others wait; those with the longest count as needing everything. */
const maxCharacters = 2 * 1024 * 1024;

interface MeasuredBundle extends AnnotatedBundle {
  readonly characters: number;
}

function bundleOf({ bundles }: Caches, deployment: KubeObject): readonly MeasuredBundle[] {
  const { annotations = {} } = recordedBundle(bundles, deployment)?.metadata ?? {};
  const { [bundlePropertiesAnnotation]: noted = '', [dependenciesAnnotation]: needed = '' } = annotations;
  const characters = noted.length + needed.length;
  return characters === 0 ? [] : [{ name: deployment.metadata.name ?? '', annotations, characters }];
}

/** The BundleDeployments that need what a dependency of a ClusterExtension or PlatformOperator provides, and no other one; where it takes too long to find
 *  that out, all that need anything. Those of the same owner, of which `own` are all, do not count. */
export function neededByOthers(caches: Caches, live: KubeObject, own: readonly KubeObject[]): readonly string[] {
  const { name = '' } = live.metadata;
  const isOwn = new Set(own.map(({ metadata }) => metadata.name));
  const others = caches.deployments
    .values()
    .filter(({ metadata }) => !isOwn.has(metadata.name) && metadata.deletionTimestamp === undefined);
  const bundles = others.flatMap((deployment) => bundleOf(caches, deployment));
  const [short, long] = shortest(bundles, maxCharacters);
  const { read, unread } = readParticipants([...bundleOf(caches, live), ...short]);
  const annotations = new Map(short.map((one) => [one.name, one.annotations]));
  const users = usersOf(
    { name, next: undefined, isCautious: true },
    { active: [...read, ...unread], servesApi: () => true },
  );
  const unknown = unread.filter((one) => one.name !== name && hasNeeds(one.properties, annotations.get(one.name)));
  return [...users, ...[...unknown, ...long].map((one) => one.name)];
}

const maxNamed = 10;

/** Why a dependency is not deleted with its owner. */
export function describeKept({ metadata }: KubeObject, users: readonly string[]): string {
  const more = users.length > maxNamed ? ` and ${users.length - maxNamed} more` : '';
  return `BundleDeployment ${metadata.name} stays without an owner: it is needed by ${users.slice(0, maxNamed).join(', ')}${more}. Delete it when it is not`;
}
