import { installOptionsOf, placeOf, withRecordedNamespace } from '../../../provisioners/index.ts';
import { apiVersion, readDeploymentConfig, type ServiceAccountName } from '../../../src/api/index.ts';
import {
  findMissing,
  type MissingPermission,
  type Need,
  needsOfInstallation,
  readNeeds,
} from '../../../src/apply/index.ts';
import { type JsonObject, objectAt, TerminalError } from '../../../src/base/index.ts';
import { formatOf, readStaged } from '../../../src/formats/index.ts';
import { isForbidden, type KubeObject, refOf, serviceAccountUser } from '../../../src/kube/index.ts';
import type { namespaceOptions } from '../../bundle/index.ts';
import { classOfBundle, openChartRenderer, stageBundle } from '../../bundle-files/index.ts';
import { createContentClient, resolveTarget, type Target } from '../../client/index.ts';
import type { clusterOptions, helmOption, OptionValues, registryOptions } from '../../command/index.ts';
import type { WorkFolder } from '../../input/index.ts';
import type { Progress } from '../../output/index.ts';
import { findDesired } from '../diff/desired.ts';
import { watchedAs } from '../run/config.ts';
import { kubernetesKinds } from './kinds.ts';
import type { permissionsOptions } from './options.ts';
import { bundleNameIn } from './roles.ts';

type Values = OptionValues<
  typeof namespaceOptions &
    typeof permissionsOptions &
    typeof helmOption &
    typeof clusterOptions &
    typeof registryOptions
>;

/** What an installation takes. */
export interface Needed {
  /** Of the deployment, or of the bundle without its version. */
  readonly name: string;
  readonly needs: readonly Need[];
  /** Namespaces that are not there before the installation. */
  readonly comingNamespaces: ReadonlySet<string>;
  /** Whom the deployment names. */
  readonly account: ServiceAccountName | undefined;
  /** What that account lacks of it; undefined when that cannot be seen. */
  readonly missing: readonly MissingPermission[] | undefined;
}

/** What there is to work with. */
export interface Work {
  readonly values: Values;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

function namespacesIn(objects: readonly KubeObject[]): readonly string[] {
  return objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [metadata.name ?? ''] : []));
}

function isCrd({ kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition';
}

function isBrought(object: KubeObject, objects: readonly KubeObject[]): boolean {
  return objects.filter(isCrd).some((crd) => {
    const spec = objectAt(crd as unknown as JsonObject, 'spec');
    const group = typeof spec?.['group'] === 'string' ? spec['group'] : '';
    return objectAt(spec, 'names')?.['kind'] === object.kind && object.apiVersion.startsWith(`${group}/`);
  });
}

/** Without a cluster: Kubernetes' own kinds, and those that the bundle brings.
 *  @throws TerminalError UnknownKind */
async function needsOfObjects(
  objects: readonly KubeObject[],
  place: { readonly installNamespace: string | undefined; readonly defaultNamespace: string },
): Promise<readonly Need[]> {
  const kinds = await kubernetesKinds();
  const known = objects.flatMap((object) => {
    const kind = kinds.get(`${object.apiVersion} ${object.kind}`);
    if (kind === undefined) return [];
    const { namespace: given, ...metadata } = object.metadata;
    const namespace = kind.isNamespaced ? { namespace: given ?? place.defaultNamespace } : {};
    return [{ ...object, metadata: { ...metadata, ...namespace } } as KubeObject];
  });
  const others = objects.filter((object) => !kinds.has(`${object.apiVersion} ${object.kind}`));
  const strange = others.filter((object) => !isBrought(object, objects));
  if (strange.length > 0) {
    const names = [...new Set(strange.map((object) => `${object.kind} of ${refOf(object).apiVersion}`))].join(', ');
    const text = `${names}: neither Kubernetes nor the bundle has that kind; ask about a BundleDeployment, whose cluster knows more kinds`;
    throw new TerminalError('UnknownKind', text);
  }
  const surroundings = {
    pluralOf: async ({ apiVersion: version, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>) =>
      kinds.get(`${version} ${kind}`)?.plural,
    roleOf: async () => undefined,
    hasNamespace: async () => false,
  };
  return await needsOfInstallation(surroundings, { ...place, plan: { objects: known, deferred: others }, present: [] });
}

/** What a bundle takes, wherever it is installed.
 *  @throws TerminalError and TransientError, naming what could not be had or read */
export async function neededByBundle(name: string, work: Work): Promise<Needed> {
  const { values } = work;
  const { staging } = await stageBundle({ name, ...work });
  await using _staging = staging;
  const content = await readStaged(formatOf(classOfBundle(staging)), staging, `${name}: `);
  const desired = values['install-namespace'];
  const watched = values['watch-namespace'];
  const config = {
    ...(desired === undefined ? {} : { installNamespace: desired }),
    ...watchedAs(watched),
  };
  const release = { name: bundleNameIn(name), namespace: desired ?? values['system-namespace'], isUpgrade: false };
  const cluster = { certificateProviders: ['self'], kubeVersion: 'v1.999.0' };
  const terms = { config, cluster, release: { ...release, valuesFrom: [] } };
  const rendered = await content.render(terms, { charts: openChartRenderer(values, work.work), signal: work.signal });
  const objects = rendered.objects as unknown as KubeObject[];
  const suggested = desired === undefined ? rendered.installNamespace?.name : undefined;
  const defaultNamespace = desired ?? suggested ?? values['system-namespace'];
  const needs = await needsOfObjects(objects, { installNamespace: suggested, defaultNamespace });
  const coming = new Set([...namespacesIn(objects), ...(suggested === undefined ? [] : [suggested])]);
  return { name: bundleNameIn(name), needs, comingNamespaces: coming, account: undefined, missing: undefined };
}

/** What a BundleDeployment takes, on its cluster: the bundle that it asks for, and the end of what is installed now.
 *  @throws TerminalError and TransientError */
export async function neededByDeployment(target: Target, { values, work, progress, signal }: Work): Promise<Needed> {
  using client = await createContentClient(values);
  const { kube } = client;
  const { name } = await resolveTarget(kube, target);
  const charts = openChartRenderer(values, work);
  const systemNamespace = values['system-namespace'];
  const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name }, { signal });
  const deployment = withRecordedNamespace(found, systemNamespace);
  const finding = { client, work, deployment, systemNamespace, charts, values, progress, signal };
  const desired = await findDesired({ ...finding, requested: {} });
  const request = { ...installOptionsOf(deployment), ...placeOf(desired) };
  const { uid = '' } = deployment.metadata;
  const { objects } = desired;
  const needs = await readNeeds({ kube, owner: { name, uid }, objects, ...request, systemNamespace, signal });
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true }, { signal });
  const present = new Set(items.map(({ metadata }) => metadata.name));
  const named = [
    ...namespacesIn(objects),
    ...(request.installNamespace === undefined ? [] : [request.installNamespace]),
  ];
  const config = objectAt(deployment as unknown as JsonObject, 'spec', 'config');
  const account = readDeploymentConfig(config).serviceAccount;
  const missing =
    account === undefined
      ? undefined
      : await missingFor({ kube: kube.actingAs(serviceAccountUser(account)), signal }, needs);
  const comingNamespaces = new Set(named.filter((namespace) => !present.has(namespace)));
  return { name, needs, comingNamespaces, account, missing };
}

/** Undefined when the user cannot impersonate the account. */
async function missingFor(
  asking: Parameters<typeof findMissing>[0],
  needs: readonly Need[],
): Promise<readonly MissingPermission[] | undefined> {
  try {
    return await findMissing(asking, needs);
  } catch (thrown) {
    if (isForbidden(thrown)) return undefined;
    throw thrown;
  }
}
