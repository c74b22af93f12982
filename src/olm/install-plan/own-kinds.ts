import { olmAnnotations, olmLabels, parseClusterServiceVersion, subscriptionResource } from '../../api/index.ts';
import { type JsonObject, TerminalError, TransientError, textAt } from '../../base/index.ts';
import { describeRef, isNotFound, type KubeObject, type ObjectMeta, refOf } from '../../kube/index.ts';
import { componentLabel, isCopied, listedPackage, listedProperties, originalVersions } from '../../operators/index.ts';
import { type Applied, create, labelled } from './ensure.ts';
import { planOf, statusOf } from './run.ts';
import type { StepRun } from './step-run.ts';

/** Types of Secrets that are copied to the namespace of a plan. */
const pullSecretTypes: ReadonlySet<string> = new Set(['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg']);

function ownObject(manifest: JsonObject, namespace: string, annotations: Record<string, string> = {}): KubeObject {
  const { status: _status, metadata = {}, ...rest } = manifest;
  const { name, labels, annotations: given } = metadata as ObjectMeta;
  return {
    ...rest,
    apiVersion: textAt(manifest, 'apiVersion'),
    kind: textAt(manifest, 'kind'),
    metadata: {
      ...(name === undefined ? {} : { name }),
      namespace,
      labels: { ...labels, [olmLabels.managed]: 'true' },
      annotations: { ...given, ...annotations },
    },
  };
}

/** A ClusterServiceVersion that the plan was not made for must not compete for a CustomResourceDefinition in its namespace. A cache may not have a
 *  competitor yet. */
async function assertNoCompetitor({ run, namespace, signal }: StepRun, csv: KubeObject): Promise<void> {
  const { name = '' } = csv.metadata;
  if (planOf(run).spec.clusterServiceVersionNames.includes(name)) return;
  const ownedBy = (object: KubeObject): readonly string[] =>
    (parseClusterServiceVersion(object).spec.customresourcedefinitions?.owned ?? []).map(
      (definition) => definition.name,
    );
  const owned = new Set(ownedBy(csv));
  if (owned.size === 0) return;
  const { items } = await run.context.kube.list({ ...originalVersions, namespace }, { signal });
  const others = items.filter(({ metadata }) => metadata.name !== name);
  if (!others.some((other) => ownedBy(other).some((definition) => owned.has(definition)))) return;
  const text = `pre-existing CRD owners found for owned CRD(s) of dependent CSV ${name}`;
  throw new TerminalError('CompetingOwners', text);
}

/** The label of the package, where a Subscription of it is served: one that the plan was made for, or that the plan creates. */
function componentLabelFor({ run, namespace }: StepRun, csv: KubeObject): Readonly<Record<string, string>> {
  const packageName = listedPackage(listedProperties(csv) ?? []);
  if (packageName === undefined) return {};
  const key = componentLabel(packageName, namespace);
  const isDependency = (statusOf(run).plan ?? []).some(
    ({ resolving, resource }) => resource.kind === subscriptionResource.kind && resolving === csv.metadata.name,
  );
  return isDependency || planOf(run).metadata.labels?.[key] !== undefined ? { [key]: '' } : {};
}

/** Creates a ClusterServiceVersion; one that exists stays as it is.
 *  @throws TerminalError CompetingOwners, CopyExists · TransientError BeingDeleted */
export async function ensureCsv(given: StepRun, manifest: JsonObject): Promise<Applied> {
  const { run, kube, namespace, signal } = given;
  const desired = ownObject(manifest, namespace);
  await assertNoCompetitor(given, desired);
  const made = await create(given, labelled(desired, componentLabelFor(given, desired)));
  if (made !== undefined) {
    run.context.csvs.wrote(made);
    return 'Created';
  }
  const live = await kube.get(refOf(desired), { signal });
  const what = describeRef(refOf(live));
  if (isCopied(live as Parameters<typeof isCopied>[0])) {
    const from =
      live.metadata.labels?.[olmLabels.copiedFrom] ?? live.metadata.annotations?.[olmAnnotations.operatorNamespace];
    const text = `${what} is a copy of the operator in namespace "${from ?? ''}", which manages this namespace already`;
    throw new TerminalError('CopyExists', text);
  }
  if (live.metadata.deletionTimestamp !== undefined)
    throw new TransientError('BeingDeleted', `${what} is being deleted`);
  run.context.csvs.wrote(live);
  return 'Present';
}

/** Creates the Subscription of a dependency; one that exists stays as it is. */
export async function ensureSubscription(given: StepRun, manifest: JsonObject): Promise<Applied> {
  const { name } = planOf(given.run).metadata;
  const desired = ownObject(manifest, given.namespace, { [olmAnnotations.generatedBy]: name });
  return (await create(given, desired)) === undefined ? 'Present' : 'Created';
}

/** Copies a pull secret from the namespace of OLM; no other Secret leaves it.
 *  @throws TerminalError SecretMissing, NoPullSecret */
export async function copySecret(given: StepRun): Promise<Applied> {
  const { run, step, namespace, signal } = given;
  const { name } = step.resource;
  const from = run.context.settings.operatorNamespace;
  const secret = await run.context.kube
    .get({ apiVersion: 'v1', kind: 'Secret', name, namespace: from }, { signal })
    .catch((thrown: unknown) => {
      if (!isNotFound(thrown)) throw thrown;
      throw new TerminalError('SecretMissing', `secret ${name} does not exist in namespace "${from}"`);
    });
  const { data, type } = secret as unknown as { data?: JsonObject; type?: string };
  if (type === undefined || !pullSecretTypes.has(type)) {
    const expected = [...pullSecretTypes].join(' or ');
    const text = `secret ${name} in namespace "${from}" is of type ${type ?? 'Opaque'}: expected ${expected}; others are not copied`;
    throw new TerminalError('NoPullSecret', text);
  }
  const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, ...(data && { data }) };
  return (await create(given, copy)) === undefined ? 'Present' : 'Created';
}
