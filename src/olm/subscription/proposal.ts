import {
  type InstallPlan,
  type InstallPlanApproval,
  type InstallPlanStep,
  installPlanResource,
  type Subscription,
  subscriptionResource,
} from '../../api/index.ts';
import { type JsonObject, sha256Digest } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { componentLabel, stepOf } from '../../operators/index.ts';
import type { Selected } from './answer.ts';
import type { Situation } from './situation.ts';

/** What a plan would do. */
export interface Proposal {
  /** Those that are not installed yet. */
  readonly bundles: readonly Selected[];
  /** ClusterServiceVersion by Subscription, where that changes; none: there is nothing to plan. */
  readonly moves: ReadonlyMap<string, string>;
}

/** What of a selection is new. One that a Subscription has already, and that exists, is not planned again; one that does not exist yet is part of every plan
 *  that is made meanwhile. */
export function propose(selected: readonly Selected[], { subscriptions, csvNames }: Situation): Proposal {
  const byName = new Map(subscriptions.map((subscription) => [subscription.metadata.name, subscription]));
  const moves = new Map<string, string>();
  const bundles = selected.filter(({ name, subscriptions: names }) => {
    const current = names.map((one) => [one, byName.get(one)?.status?.currentCSV ?? ''] as const);
    for (const [one, csv] of current) if (csv !== name) moves.set(one, name);
    return names.length === 0 || current.some(([, csv]) => csv !== name || !csvNames.has(csv));
  });
  return { bundles, moves };
}

/** One that needs approval is enough: the plan is one for all. */
export function approvalOf(subscriptions: readonly Subscription[]): InstallPlanApproval {
  return subscriptions.some(({ spec }) => spec.installPlanApproval === 'Manual') ? 'Manual' : 'Automatic';
}

const maxNameCharacters = 253;
const hashCharacters = 8;

/** A name may hold what the name of an object must not. */
function generatedName({ packageName, channel, catalog }: Selected): string {
  const name = [packageName, channel, catalog.name, catalog.namespace].join('-');
  if (
    name.length <= maxNameCharacters &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)
  ) {
    return name;
  }
  const hash = sha256Digest(name).slice('sha256:'.length).slice(0, hashCharacters);
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${plain.slice(0, maxNameCharacters - hashCharacters - 1).replaceAll(/^-+|-+$/g, '')}-${hash}`;
}

/** The Subscription of a bundle that only another one needs. What needs approval for that needs it for this as well. */
export function dependencyStep(
  bundle: Selected,
  { namespace, approval }: { readonly namespace: string; readonly approval: InstallPlanApproval },
): InstallPlanStep {
  const { apiVersion, kind } = subscriptionResource;
  const { name, packageName, channel, catalog } = bundle;
  const spec: JsonObject = {
    channel,
    installPlanApproval: approval,
    name: packageName,
    source: catalog.name,
    sourceNamespace: catalog.namespace,
    startingCSV: name,
  };
  const subscription = { apiVersion, kind, metadata: { name: generatedName(bundle), namespace }, spec };
  return stepOf(subscription, { resolving: name, catalog });
}

/** The number of the next plan: higher than all that exist or are referred to. */
function nextGeneration({ subscriptions, plans }: Situation): number {
  const used = [
    ...subscriptions.map(({ status }) => status?.installPlanGeneration ?? 0),
    ...[...plans.values()].map(({ spec }) => spec.generation ?? 0),
  ];
  return 1 + Math.max(0, ...used);
}

function namesOf({ bundles }: Proposal): readonly string[] {
  return bundles.map(({ name }) => name);
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === new Set(a).size;
}

/** A plan that was made for the same, and that no Subscription refers to yet: the process that made it was interrupted. */
export function unreferencedPlan(proposal: Proposal, { subscriptions, plans }: Situation): InstallPlan | undefined {
  const referenced = Math.max(0, ...subscriptions.map(({ status }) => status?.installPlanGeneration ?? 0));
  const moved = subscriptions.filter(({ metadata }) => proposal.moves.has(metadata.name));
  return [...plans.values()]
    .filter(({ metadata, spec }) => {
      const owners = new Set((metadata.ownerReferences ?? []).map(({ uid }) => uid));
      return (
        (spec.generation ?? 0) > referenced &&
        moved.every((subscription) => owners.has(subscription.metadata.uid ?? '')) &&
        isSameSet(spec.clusterServiceVersionNames, namesOf(proposal))
      );
    })
    .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0))
    .at(-1);
}

/** The plan without its steps. All Subscriptions of the namespace own it: it is deleted with the last of them.
 *  @see docs/spec/olm-v0.md#install-plans */
export function planObject(proposal: Proposal, situation: Situation): KubeObject {
  const { namespace, subscriptions } = situation;
  const { apiVersion, kind } = installPlanResource;
  const approval = approvalOf(subscriptions);
  const moved = subscriptions.filter(({ metadata }) => proposal.moves.has(metadata.name));
  return {
    apiVersion,
    kind,
    metadata: {
      generateName: 'install-',
      namespace,
      labels: Object.fromEntries(moved.map(({ spec }) => [componentLabel(spec.name, namespace), ''])),
      ownerReferences: subscriptions.map(({ metadata }) => ({
        apiVersion: subscriptionResource.apiVersion,
        kind: subscriptionResource.kind,
        name: metadata.name,
        uid: metadata.uid ?? '',
        blockOwnerDeletion: false,
        controller: false,
      })),
    },
    spec: {
      approval,
      approved: approval === 'Automatic',
      clusterServiceVersionNames: [...namesOf(proposal)],
      generation: nextGeneration(situation),
    },
  };
}
