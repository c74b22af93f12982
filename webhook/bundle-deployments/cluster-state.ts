import {
  type Bundle,
  type BundleDeployment,
  bundlePropertiesAnnotation,
  dependenciesAnnotation,
  isSameSpec,
  packageAnnotation,
  packageVersionAnnotation,
} from '../../src/api/index.ts';
import type { JsonValue } from '../../src/base/index.ts';
import {
  dependenciesOf,
  type Participant,
  readParticipants,
  readProperties,
  shortest,
} from '../../src/dependencies/index.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';

type Annotations = Readonly<Record<string, string>>;

/** A Bundle, as far as dependencies depend on it. */
export interface KnownBundle {
  readonly uid: string;
  readonly annotations: Annotations;
}

/** What is on the cluster. */
export interface ClusterState {
  readonly active: readonly Participant[];
  /** An unpacked Bundle of the spec that was asked for. */
  readonly fitting: KnownBundle | undefined;
  /** Uids of the Bundles that controllers have created for deployments: what others have written on theirs holds up no one. */
  readonly recorded: ReadonlySet<string>;
}

/** What is kept of the annotations of all active bundles, which any user may have written; of those with the longest nothing is. */
const maxKeptCharacters = 16 * 1024 * 1024;
const keptAnnotations = [
  bundlePropertiesAnnotation,
  dependenciesAnnotation,
  packageAnnotation,
  packageVersionAnnotation,
] as const;

interface ActiveBundle {
  /** Of the deployment. */
  readonly name: string;
  readonly annotations: Annotations;
  readonly characters: number;
}

function lengthOf(annotations: Annotations): number {
  return keptAnnotations.reduce((sum, key) => sum + (annotations[key] ?? '').length, 0);
}

function kept({ metadata }: Bundle): KnownBundle {
  const { annotations = {}, uid = '' } = metadata;
  const entries = keptAnnotations.flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]]));
  return { uid, annotations: Object.fromEntries(entries) as Annotations };
}

/** What a bundle is and needs, by its annotations; later ones take precedence. */
export function participantOf(name: string, annotationSets: readonly (Annotations | undefined)[]): Participant {
  const annotations = Object.assign({}, ...annotationSets) as Annotations;
  const properties = readProperties(annotations);
  return { name, properties, dependencies: dependenciesOf(properties, annotations) };
}

/** Uids of the Bundles that were created for a deployment. */
function recordedOf({ metadata, status }: BundleDeployment): readonly string[] {
  const { record } = status ?? {};
  return record?.uid === metadata.uid ? (record?.bundles.map(({ uid }) => uid) ?? []) : [];
}

interface Installations {
  /** Names of deployments, by the name and uid of the Bundle that is active. */
  readonly active: ReadonlyMap<string, string>;
  readonly recorded: ReadonlySet<string>;
}

async function readInstallations({ facts, signal }: Pick<ReviewContext, 'facts' | 'signal'>): Promise<Installations> {
  const active = new Map<string, string>();
  const recorded = new Set<string>();
  for await (const deployments of facts.listDeployments({ signal })) {
    for (const deployment of deployments) {
      const { metadata, status } = deployment;
      const uids = recordedOf(deployment);
      for (const uid of uids) recorded.add(uid);
      const present = metadata.deletionTimestamp === undefined ? uids : [];
      for (const uid of present) active.set(`${status?.activeBundle ?? ''} ${uid}`, metadata.name);
    }
  }
  return { active, recorded };
}

/** Reads the cluster page by page, of which little is kept: users may have filled it with large objects. `desired` is the spec of the Bundle that is looked
 *  for.
 *  @throws what the reader throws */
export async function readClusterState(
  { facts, signal }: Pick<ReviewContext, 'facts' | 'signal'>,
  desired?: JsonValue,
): Promise<ClusterState> {
  const { active: names, recorded } = await readInstallations({ facts, signal });
  let active: readonly ActiveBundle[] = [];
  let fitting: KnownBundle | undefined;
  const isFitting = ({ status, spec }: Bundle): boolean =>
    desired !== undefined && status?.phase === 'Unpacked' && isSameSpec(spec as unknown as JsonValue, desired);
  for await (const bundles of facts.listBundles({ signal })) {
    const found = bundles.flatMap((bundle): ActiveBundle[] => {
      const { name, uid = '' } = bundle.metadata;
      const deployment = names.get(`${name} ${uid}`);
      const isBetter = fitting === undefined || !recorded.has(fitting.uid);
      if (isBetter && isFitting(bundle) && (fitting === undefined || recorded.has(uid))) fitting = kept(bundle);
      if (deployment === undefined) return [];
      const { annotations } = kept(bundle);
      return [{ name: deployment, annotations, characters: lengthOf(annotations) }];
    });
    [active] = shortest([...active, ...found], maxKeptCharacters);
  }
  const { read, unread } = readParticipants(active);
  return { active: [...read, ...unread], fitting, recorded };
}
