import {
  type ClusterServiceVersion,
  type InstallPlanStep,
  parseClusterServiceVersion,
  parseOperatorGroup,
} from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { isNotFound } from '../../kube/index.ts';
import {
  type ApiKey,
  ApiSet,
  type BundleContent,
  orderSteps,
  ownedApis,
  planSteps,
  unpackTermsOf,
} from '../../operators/index.ts';
import { type CatalogBundle, type CatalogView, offersFor } from '../../resolver/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import type { PlanContext } from './context.ts';
import { type PlanRun, planOf } from './run.ts';

/** A plan installs no more bundles. */
const maxBundles = 50;

interface Found {
  readonly catalog: CatalogView;
  readonly bundle: CatalogBundle;
}

/** What a plan that a user wrote becomes. */
export interface ResolvedPlan {
  readonly steps: readonly InstallPlanStep[];
  readonly catalogSources: readonly string[];
}

function unknownName(name: string, namespace: string): TerminalError {
  const text = `ClusterServiceVersion "${name}" is in no catalog that is visible in namespace "${namespace}"`;
  return new TerminalError('DependenciesConflict', text);
}

function tooMany(): TerminalError {
  return new TerminalError('DependenciesConflict', `more than ${maxBundles} bundles`);
}

/** Most names begin with that of their package. */
function packagesFor(catalog: CatalogView, csvName: string): readonly string[] {
  const names = catalog.packagesWith?.(csvName) ?? catalog.packageNames();
  const likely = names.filter((name) => csvName.startsWith(name));
  return [...likely, ...names.filter((name) => !likely.includes(name))];
}

function findByName({ catalogs }: HeldSources, namespace: string, name: string): Found | undefined {
  // The namespace's own catalogs first, whatever the priority of others is.
  const own = catalogs.filter((catalog) => catalog.namespace === namespace);
  const others = catalogs.filter((catalog) => catalog.namespace !== namespace);
  for (const catalog of [...own, ...others]) {
    for (const packageName of packagesFor(catalog, name)) {
      const bundle = catalog.package(packageName)?.bundles.get(name);
      if (bundle !== undefined) return { catalog, bundle };
    }
  }
  return undefined;
}

function catalogOf({ catalog }: Found): { readonly name: string; readonly namespace: string } {
  return { name: catalog.name, namespace: catalog.namespace ?? '' };
}

function replacedBy({ csvs }: PlanContext, { catalog, bundle }: Found, namespace: string): string | undefined {
  const entries = catalog.package(bundle.packageName)?.channels.flatMap((channel) => channel.entries) ?? [];
  const own = entries.filter(({ name }) => name === bundle.name);
  const candidates = own.flatMap(({ replaces, skips }) => [...(replaces === undefined ? [] : [replaces]), ...skips]);
  return candidates.find((name) => csvs.get(name, namespace) !== undefined);
}

async function isDefined({ kube }: PlanContext, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await kube.get({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name }, { signal });
    return true;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return false;
  }
}

function requiredDefinitions({ spec }: ClusterServiceVersion): readonly (ApiKey & { readonly name: string })[] {
  return (spec.customresourcedefinitions?.required ?? []).map(({ name, version, kind }) => {
    return { name, group: name.slice(name.indexOf('.') + 1), version, kind };
  });
}

/** Adds bundles to a plan until everything that they require is there. */
class Resolution {
  readonly steps: InstallPlanStep[] = [];
  readonly catalogs = new Set<string>();
  readonly #run: PlanRun;
  readonly #held: HeldSources;
  readonly #added = new Set<string>();
  #provided = new ApiSet();

  constructor(run: PlanRun, held: HeldSources) {
    this.#run = run;
    this.#held = held;
  }

  get #namespace(): string {
    return planOf(this.#run).metadata.namespace ?? '';
  }

  async addNamed(name: string, signal: AbortSignal): Promise<void> {
    const found = findByName(this.#held, this.#namespace, name);
    if (found === undefined) throw unknownName(name, this.#namespace);
    await this.#add(found, signal);
  }

  async #add(found: Found, signal: AbortSignal): Promise<void> {
    const { name, image, properties } = found.bundle;
    if (this.#added.has(name)) return;
    if (this.#added.size >= maxBundles) throw tooMany();
    this.#added.add(name);
    const { context } = this.#run;
    const catalog = catalogOf(found);
    const [terms] = context.groups
      .inNamespace(this.#namespace)
      .map((group) => unpackTermsOf(parseOperatorGroup(group)));
    const reference = {
      name,
      catalog,
      ...(image !== undefined && { image }),
      ...terms,
    };
    const content = await context.contents.read(reference, signal);
    const replaces = replacedBy(context, found, this.#namespace);
    const options = {
      namespace: this.#namespace,
      catalog,
      properties,
      ...(replaces === undefined ? {} : { replaces }),
    };
    this.steps.push(...planSteps(content, options));
    this.catalogs.add(catalog.name);
    await this.#addRequired(content, signal);
  }

  async #addRequired(content: BundleContent, signal: AbortSignal): Promise<void> {
    const csv = parseClusterServiceVersion(content.csv);
    this.#provided = this.#provided.union(ownedApis(csv) ?? new ApiSet());
    for (const { name, ...api } of requiredDefinitions(csv)) {
      if (this.#provided.has(api) || (await isDefined(this.#run.context, name, signal))) continue;
      const dependency = { type: 'constraint', constraint: { kind: 'gvk', api } } as const;
      const [offer] = offersFor(this.#held.catalogs, dependency, { maxOffers: 1 });
      if (offer === undefined) {
        const text = `ClusterServiceVersion "${content.name}" requires ${name}, which no catalog that is visible in namespace "${this.#namespace}" provides`;
        throw new TerminalError('DependenciesConflict', text);
      }
      await this.#add(offer, signal);
    }
  }
}

/** The steps of a plan that a user wrote: the ClusterServiceVersions that it names and those that provide what they require.
 *  @see docs/spec/olm-v0.md#legacy-workflow-of-the-chapter
 *  @throws TerminalError DependenciesConflict, those of contents · WaitingError while contents are fetched */
export async function resolvePlan(run: PlanRun, held: HeldSources, signal: AbortSignal): Promise<ResolvedPlan> {
  const resolution = new Resolution(run, held);
  const names = new Set(planOf(run).spec.clusterServiceVersionNames);
  if (names.size > maxBundles) throw tooMany();
  for (const name of names) await resolution.addNamed(name, signal);
  return { steps: orderSteps(resolution.steps), catalogSources: [...resolution.catalogs] };
}
