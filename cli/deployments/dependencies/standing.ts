import {
  bundleDeploymentResource,
  bundleResource,
  ownerKindLabel,
  ownerNameLabel,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { errorMessage, mapLimit } from '../../../src/base/index.ts';
import type { GroupVersionKind, Property } from '../../../src/constraints/index.ts';
import { neededApis, relationsOf } from '../../../src/dependencies/index.ts';
import {
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  NoKindMatch,
} from '../../../src/kube/index.ts';
import { originalVersions } from '../../../src/operators/index.ts';
import { listServed } from '../../client/index.ts';
import {
  bundlesOfDeployments,
  bundlesOfOperators,
  formatReference,
  type InstalledBundle,
  type Reference,
  referenceTo,
} from './installed-bundle.ts';

/** What an installed bundle needs, and who needs it. */
export interface Standing extends Reference {
  /** What a user made for it. */
  readonly installation: Reference;
  readonly version: string;
  /** It is not installed yet. */
  readonly isPending: boolean;
  readonly needs: readonly {
    readonly text: string;
    readonly isMet: boolean;
    /** Empty where the cluster serves it by itself, or no one does. */
    readonly metBy: readonly Reference[];
  }[];
  /** What breaks when it is removed. */
  readonly requiredBy: readonly Reference[];
}

/** With what a cluster is read. */
export interface Reading {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
  /** Called for what may not be listed; the rest is read all the same. */
  readonly onUnreadable: (text: string) => void;
}

const readsAtATime = 8;
const crdTarget = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

/** Nothing for a kind that is not served. */
async function list({ kube, signal, onUnreadable }: Reading, target: ListTarget): Promise<readonly KubeObject[]> {
  try {
    return await listServed(kube, target, { signal });
  } catch (thrown) {
    if (!isForbidden(thrown)) throw thrown;
    onUnreadable(errorMessage(thrown));
    return [];
  }
}

/** Bundles of deployments and of operators. */
async function readInstalledBundles(reading: Reading): Promise<readonly InstalledBundle[]> {
  const [deployments, bundles, csvs, subscriptions] = await Promise.all([
    list(reading, bundleDeploymentResource),
    list(reading, { ...bundleResource, isMetadataOnly: true }),
    list(reading, originalVersions),
    list(reading, subscriptionResource),
  ]);
  return [...bundlesOfDeployments(deployments, bundles), ...bundlesOfOperators(csvs, subscriptions)];
}

/** An API that is needed, as the cluster serves it. */
interface ServedApi {
  readonly api: GroupVersionKind;
  /** The BundleDeployment that installed its definition; undefined for any other. */
  readonly owner: string | undefined;
}

const apiKey = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

async function ownerOfDefinition({ kube, signal }: Reading, name: string): Promise<string | undefined> {
  try {
    const { labels = {} } = (await kube.get({ ...crdTarget, name }, { signal })).metadata;
    return labels[ownerKindLabel] === bundleDeploymentResource.kind ? labels[ownerNameLabel] : undefined;
  } catch (thrown) {
    if (isNotFound(thrown) || isForbidden(thrown)) return undefined;
    throw thrown;
  }
}

async function readServed(
  reading: Reading,
  apis: readonly GroupVersionKind[],
): Promise<ReadonlyMap<string, ServedApi>> {
  const found = await mapLimit(apis, readsAtATime, async (api): Promise<ServedApi[]> => {
    try {
      const { plural } = await reading.kube.resolve(`${api.group}/${api.version}`, api.kind, {
        signal: reading.signal,
      });
      return [{ api, owner: await ownerOfDefinition(reading, `${plural}.${api.group}`) }];
    } catch (thrown) {
      if (thrown instanceof NoKindMatch) return [];
      throw thrown;
    }
  });
  return new Map(found.flat().map((one) => [apiKey(one.api), one]));
}

/** Content that nothing depended on has no recorded properties: the definitions that it installed show what it provides. */
function withDefinitions(
  bundle: InstalledBundle,
  served: ReadonlyMap<string, ServedApi>,
): InstalledBundle['participant'] {
  const { participant, object } = bundle;
  if (object.kind !== bundleDeploymentResource.kind) return participant;
  const own = [...served.values()].filter(({ owner }) => owner === object.metadata.name);
  const added = own.map(({ api }): Property => ({ type: 'olm.gvk', value: { ...api } }));
  return { ...participant, properties: [...participant.properties, ...added] };
}

/** What everything that is installed needs, who provides it, and what breaks without it. */
export async function readStandings(reading: Reading): Promise<readonly Standing[]> {
  const bundles = await readInstalledBundles(reading);
  const served = await readServed(reading, neededApis(bundles.map(({ participant }) => participant)));
  const participants = bundles.map((bundle) => ({ ...bundle, participant: withDefinitions(bundle, served) }));
  const relations = relationsOf({
    active: participants.filter(({ isPending }) => !isPending).map(({ participant }) => participant),
    pending: participants.filter(({ isPending }) => isPending).map(({ participant }) => participant),
    servesApi: (api) => served.has(apiKey(api)),
  });
  const byName = new Map(bundles.map((one) => [one.participant.name, referenceTo(one.object)]));
  const named = (names: readonly string[]): readonly Reference[] => names.flatMap((name) => byName.get(name) ?? []);
  const related = new Map(relations.map((one) => [one.name, one]));
  return bundles.map(({ object, installation, version, isPending }): Standing => {
    const { needs = [], requiredBy = [] } = related.get(formatReference(referenceTo(object))) ?? {};
    return {
      ...referenceTo(object),
      installation,
      version,
      isPending,
      needs: needs.map(({ metBy, ...need }) => ({ ...need, metBy: named(metBy) })),
      requiredBy: named(requiredBy),
    };
  });
}
