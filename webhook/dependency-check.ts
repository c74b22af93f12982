import {
  type Bundle,
  type BundleDeployment,
  type DependencyPolicy,
  dependenciesAnnotation,
  ignoreDependenciesAnnotation,
  isSameSpec,
} from '../src/api/index.ts';
import { type JsonValue, mapLimit } from '../src/base/index.ts';
import type { GroupVersionKind } from '../src/constraints/index.ts';
import {
  dependenciesOf,
  neededApis,
  type Participant,
  readProperties,
  type Survey,
} from '../src/dependencies/index.ts';
import type { FactsReader } from './facts.ts';
import type { RuleTally } from './rule-tally.ts';
import { type DependencyTerms, dependenciesMet, notRequired } from './rules/dependencies.ts';
import { type AdmissionResult, allowed, mergeResults } from './rules/rule.ts';

interface CheckOptions {
  readonly facts: FactsReader;
  readonly rules: RuleTally;
  readonly dependencyPolicy: DependencyPolicy;
  readonly signal: AbortSignal;
}

const readsAtATime = 8;

function participantOf(
  name: string,
  annotationSets: readonly (Readonly<Record<string, string>> | undefined)[],
): Participant {
  const annotations = Object.assign({}, ...annotationSets) as Readonly<Record<string, string>>;
  const properties = readProperties(annotations);
  return { name, properties, dependencies: dependenciesOf(properties, annotations) };
}

function apiKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

async function servedAmong(
  apis: readonly GroupVersionKind[],
  { facts, signal }: CheckOptions,
): Promise<ReadonlySet<string>> {
  const found = await mapLimit(apis, readsAtATime, async (api) =>
    (await facts.servesApi(api, { signal })) ? [apiKey(api)] : [],
  );
  return new Set(found.flat());
}

/** Whether anything could depend on anything; most clusters need no request for the answer. */
async function isConcerned({ spec }: BundleDeployment, { facts, signal }: CheckOptions): Promise<boolean> {
  if (spec.template.metadata?.annotations?.[dependenciesAnnotation] !== undefined) return true;
  return await facts.hasDependencies({ signal });
}

function termsOf({ metadata }: BundleDeployment, { dependencyPolicy }: CheckOptions): DependencyTerms {
  const isIgnored = metadata.annotations?.[ignoreDependenciesAnnotation] === 'true';
  return { isEnforced: dependencyPolicy === 'enforce', isIgnored };
}

interface Standing {
  readonly active: readonly Participant[];
  readonly bundles: readonly Bundle[];
}

async function readStanding({ facts, signal }: CheckOptions): Promise<Standing> {
  const [bundles, deployments] = await Promise.all([facts.listBundles({ signal }), facts.listDeployments({ signal })]);
  const byName = new Map(bundles.map((bundle) => [bundle.metadata.name, bundle]));
  const active = deployments.flatMap(({ metadata, status }) => {
    const bundle = byName.get(status?.activeBundle ?? '');
    if (bundle === undefined || metadata.deletionTimestamp !== undefined) return [];
    return [participantOf(metadata.name, [bundle.metadata.annotations])];
  });
  return { active, bundles };
}

async function surveyOf(
  { active }: Standing,
  subjects: readonly Participant[],
  options: CheckOptions,
): Promise<Survey> {
  const served = await servedAmong(neededApis([...active, ...subjects]), options);
  return { active, pending: [], servesApi: (api) => served.has(apiKey(api)) };
}

/** The result for the deletion of a deployment that others require.
 *  @throws whatever the reader throws */
export async function checkRemoval(deployment: BundleDeployment, options: CheckOptions): Promise<AdmissionResult> {
  const isBeingDeleted = deployment.metadata.deletionTimestamp !== undefined;
  if (options.dependencyPolicy === 'off' || isBeingDeleted || !(await isConcerned(deployment, options))) return allowed;
  const { rules } = options;
  const survey = await rules.read('required', async () => surveyOf(await readStanding(options), [], options));
  const { name } = deployment.metadata;
  return rules.ask('required', () => notRequired({ name, next: undefined }, survey, termsOf(deployment, options)));
}

interface TemplateFacts {
  /** What the deployment would bring. */
  readonly subject: Participant;
  readonly survey: Survey;
}

/** Undefined where the bundle of the template is not unpacked yet. */
async function readTemplateFacts(
  { metadata, spec }: BundleDeployment,
  options: CheckOptions,
): Promise<TemplateFacts | undefined> {
  const standing = await readStanding(options);
  const wanted = spec.template.spec as unknown as JsonValue;
  const bundle = standing.bundles.find(
    (one) => one.status?.phase === 'Unpacked' && isSameSpec(one.spec as unknown as JsonValue, wanted),
  );
  if (bundle === undefined) return undefined;
  const subject = participantOf(metadata.name, [bundle.metadata.annotations, spec.template.metadata?.annotations]);
  return { subject, survey: await surveyOf(standing, [subject], options) };
}

/** The result for a new template whose bundle is unpacked: whether its dependencies are met, and whether others still have what
 *  they need. Of one that is not, the provisioner speaks later.
 *  @throws whatever the reader throws */
export async function checkTemplate(deployment: BundleDeployment, options: CheckOptions): Promise<AdmissionResult> {
  const { metadata } = deployment;
  const { rules } = options;
  const isBeingDeleted = metadata.deletionTimestamp !== undefined;
  if (options.dependencyPolicy === 'off' || isBeingDeleted || !(await isConcerned(deployment, options))) return allowed;
  const read = await rules.read('dependencies', () => readTemplateFacts(deployment, options));
  if (read === undefined) return allowed;
  const { subject, survey } = read;
  const others = { ...survey, active: survey.active.filter(({ name }) => name !== metadata.name) };
  const terms = termsOf(deployment, options);
  const change = { name: metadata.name, next: subject.properties };
  const { offersFor } = options.facts;
  return mergeResults([
    rules.ask('dependencies', () => dependenciesMet(subject, { ...others, offersFor }, terms)),
    rules.ask('required', () => notRequired(change, survey, terms)),
  ]);
}
