import {
  type ClusterServiceVersion,
  csvCleanupFinalizer,
  type OperatorGroup,
  olmAnnotations,
  olmFieldManager,
  olmLabelPrefixes,
} from '../../api/index.ts';
import { type JsonObject, objectAt, TerminalError } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import { ApiSet, apiLabelHash, ownedApis, requiredApis, surfaceOf } from '../../operators/index.ts';
import { deleteDeployments, ownedDeployments } from './install.ts';
import { applyDecision, type CsvRun, type MemberRun } from './run.ts';
import { decideApis, memberAnnotations, membershipOf, modeProblem, noTargets } from './tenancy.ts';
import { conflictReasons, readVersion, versionKeys } from './version-index.ts';

/** How long the targets of a new group may take before it counts as one without targets. */
const resolutionMs = 10_000;

type Changes = Readonly<Record<string, string | null>>;

/** The provided and the required APIs.
 *  @throws TerminalError where the name of a definition has no dot */
function apisOf({ csv }: CsvRun): { readonly provided: ApiSet; readonly required: ApiSet } {
  const [provided, required] = [ownedApis(csv), requiredApis(csv)];
  if (provided !== undefined && required !== undefined) return { provided, required };
  const message =
    'spec.customresourcedefinitions: expected names of the form <plural>.<group>, found one without a dot';
  throw new TerminalError('InvalidObject', `ClusterServiceVersion "${csv.metadata.name}": ${message}`);
}

/** Labels that find the operators that an API concerns. */
function labelChanges(run: CsvRun): Changes {
  const { provided, required } = apisOf(run);
  const label = (which: 'provided' | 'required', apis: ApiSet): [string, string][] =>
    apis.values().map((api) => [`${olmLabelPrefixes.api}${apiLabelHash(api)}`, which]);
  const desired = Object.fromEntries([...label('required', required), ...label('provided', provided)]);
  const present = Object.keys(run.csv.metadata.labels ?? {}).filter((key) => key.startsWith(olmLabelPrefixes.api));
  const removed = present.filter((key) => desired[key] === undefined).map((key) => [key, null]);
  return { ...(Object.fromEntries(removed) as Record<string, null>), ...desired };
}

function differing(changes: Changes, found: Readonly<Record<string, string>> = {}): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([key, value]) => (found[key] ?? null) !== value));
}

/** Sets finalizer, labels and the annotations of the group in one request. True if something was to be set: the next reconcile goes on. */
async function ensureMetadata(run: CsvRun, annotations: Changes, signal: AbortSignal): Promise<boolean> {
  const { context, csv, object } = run;
  const { finalizers = [], labels, annotations: found } = csv.metadata;
  const changes: JsonObject = {};
  if (!finalizers.includes(csvCleanupFinalizer)) changes['finalizers'] = [...finalizers, csvCleanupFinalizer];
  const [newLabels, newAnnotations] = [differing(labelChanges(run), labels), differing(annotations, found)];
  if (Object.keys(newLabels).length > 0) changes['labels'] = newLabels;
  if (Object.keys(newAnnotations).length > 0) changes['annotations'] = newAnnotations;
  if (Object.keys(changes).length === 0) return false;
  const metadata = { ...changes, ...preconditionOf(object) };
  const written = await context.kube.patch(refOf(object), { metadata }, { fieldManager: olmFieldManager, signal });
  context.caches.versions.wrote(written);
  return true;
}

async function setProvidedApis(
  { context }: CsvRun,
  group: OperatorGroup,
  { apis, signal }: { readonly apis: ApiSet; readonly signal: AbortSignal },
): Promise<void> {
  const object = context.caches.groups.get(group.metadata.name, group.metadata.namespace);
  if (object === undefined) return;
  const metadata = { annotations: { [olmAnnotations.providedApis]: String(apis) }, ...preconditionOf(object) };
  const written = await context.kube.patch(refOf(object), { metadata }, { fieldManager: olmFieldManager, signal });
  context.caches.groups.wrote(written);
}

/** Whether it was installed, or is, by its conditions or its Deployments. */
function wasInstalled({ status }: ClusterServiceVersion, deployments: readonly KubeObject[]): boolean {
  return deployments.length > 0 || (status?.conditions ?? []).some(({ phase }) => phase === 'Succeeded');
}

/** Whether Deployments were installed for all of the targets, of which none is new then. */
function areInstalledFor(deployments: readonly KubeObject[], targets: readonly string[]): boolean {
  return (
    deployments.length > 0 &&
    deployments.every((deployment) => {
      const metadata = objectAt(deployment as JsonObject, 'spec', 'template', 'metadata');
      const watched = objectAt(metadata, 'annotations')?.[olmAnnotations.targetNamespaces];
      if (typeof watched !== 'string') return false;
      const namespaces = new Set(watched.split(','));
      return watched === '' || targets.every((target) => namespaces.has(target));
    })
  );
}

/** The APIs that the group has for one operator. One that was replaced, or created again, has lost its annotation: what was installed for its targets shows
 *  that it has them as well. */
function heldFor({ context }: CsvRun, group: OperatorGroup, csv: ClusterServiceVersion): ApiSet {
  const owned = ownedApis(csv);
  if (owned === undefined || conflictReasons.includes(csv.status?.reason ?? '')) return new ApiSet();
  const deployments = ownedDeployments(context, csv);
  if (areInstalledFor(deployments, group.status?.namespaces ?? [])) return owned;
  return wasInstalled(csv, deployments) ? surfaceOf(group).apis.intersection(owned) : new ApiSet();
}

/** The APIs that the group has for operators that were installed. A conflict ends that until it is resolved. */
function heldApis(run: CsvRun, group: OperatorGroup): ApiSet {
  const versions = run.context.versions
    .get(versionKeys.inNamespace(run.namespace))
    .flatMap((object) => readVersion(object) ?? []);
  return new ApiSet(versions.flatMap((csv) => [...heldFor(run, group, csv).values()]));
}

/** The groups that `provided` may be in conflict with. What the group has for installed operators is in none, whatever others claim, and since when:
 *  who may write some group could stop operators of others. A group that grows into the targets of another loses its APIs there. */
function rivalsOf(run: CsvRun, group: OperatorGroup, provided: ApiSet): readonly OperatorGroup[] {
  const shares = (apis: ApiSet, other: OperatorGroup): boolean => apis.intersection(surfaceOf(other).apis).size > 0;
  const isOther = ({ metadata }: OperatorGroup): boolean => metadata.namespace !== group.metadata.namespace;
  const claiming = run.context.groups
    .near(group, provided)
    .filter((other) => isOther(other) && shares(provided, other));
  if (claiming.length === 0) return [];
  const contested = provided.difference(heldApis(run, group));
  return claiming.filter((other) => shares(contested, other));
}

/** The APIs that further members of the group are about to add: one request adds them all. */
function addedByOthers(run: MemberRun, group: OperatorGroup): readonly ApiSet[] {
  const { context, csv, namespace } = run;
  const targets = group.status?.namespaces ?? [];
  return context.versions.get(versionKeys.inNamespace(namespace)).flatMap((object) => {
    const other = readVersion(object);
    const provided = other === undefined ? undefined : ownedApis(other);
    if (other === undefined || provided === undefined || other.metadata.name === csv.metadata.name) return [];
    if (other.metadata.deletionTimestamp !== undefined || modeProblem(other, targets) !== undefined) return [];
    const decision = decideApis(group, provided, rivalsOf(run, group, provided));
    return decision.state === 'Annotate' && decision.isAddition ? [provided] : [];
  });
}

/** Step 9 of a reconcile. False if it ends there. */
async function ensureApis(run: MemberRun, signal: AbortSignal): Promise<boolean> {
  const { context, group } = run;
  const { provided } = apisOf(run);
  const decision = decideApis(group, provided, rivalsOf(run, group, provided));
  if (decision.state === 'Continue') return true;
  if (decision.state === 'Annotate') {
    const others = decision.isAddition ? addedByOthers(run, group) : [];
    const apis = others.reduce((sum, added) => sum.union(added), decision.apis);
    await setProvidedApis(run, group, { apis, signal });
    return false;
  }
  await deleteDeployments(run, { kube: context.kube, kept: new Set(), signal });
  applyDecision(run, decision.move);
  return false;
}

/** How long a new group that selects nothing may do so because its namespaces were not seen yet. */
const selectionMs = 2_000;

function ageOf({ context }: CsvRun, { metadata }: OperatorGroup): number {
  return context.clock.now() - Date.parse(metadata.creationTimestamp ?? '');
}

function failWithoutTargets(run: CsvRun, group: OperatorGroup, patienceMs: number): void {
  const ageMs = ageOf(run, group);
  if (ageMs >= 0 && ageMs < patienceMs) requeueAfter(run, patienceMs - ageMs);
  else applyDecision(run, noTargets);
}

/** Steps 1 and 4 to 9 of a reconcile: the group that the operator is a member of; undefined if the reconcile ends there.
 *  @see docs/spec/olm-v0.md#one-csv-reconcile */
export async function ensureMember(run: CsvRun, signal: AbortSignal): Promise<MemberRun | undefined> {
  const membership = membershipOf(run.context.groups.in(run.namespace));
  const isMember = membership.state === 'Member';
  const annotations = isMember ? memberAnnotations(membership.group, membership.targets) : {};
  if (await ensureMetadata(run, annotations, signal)) return undefined;
  if (!isMember) {
    if (membership.state === 'Refused') applyDecision(run, membership.move);
    else failWithoutTargets(run, membership.group, resolutionMs);
    return undefined;
  }
  const problem = modeProblem(run.csv, membership.targets);
  if (problem !== undefined) {
    if (problem === noTargets) failWithoutTargets(run, membership.group, selectionMs);
    else applyDecision(run, problem);
    return undefined;
  }
  const member: MemberRun = Object.assign(run, { group: membership.group });
  return (await ensureApis(member, signal)) ? member : undefined;
}
