import {
  type Bundle,
  type BundleDeployment,
  bundlePropertiesAnnotation,
  dependenciesAnnotation,
  ignoreDependenciesAnnotation,
  isSameSpec,
} from '../../src/api/index.ts';
import { isJsonObject, type JsonValue, mapLimit, textAt } from '../../src/base/index.ts';
import type { GroupVersionKind } from '../../src/constraints/index.ts';
import {
  dependenciesOf,
  neededApis,
  type Participant,
  readProperties,
  type Survey,
} from '../../src/dependencies/index.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';
import type { DependencyFacts } from './dependencies.ts';

/** What the checks of dependencies use of a context. */
export type DependencyContext = Pick<ReviewContext, 'facts' | 'rules' | 'dependencyPolicy' | 'signal'>;

const concurrentReads = 8;

/** What is read of all active bundles together, which any user may have written; bundles with much in their annotations come last, and what they need
 *  does not count any more. About a tenth of a second, which others wait. */
const maxDependencyCharacters = 262_144;

type Annotations = Readonly<Record<string, string>>;

function participantOf(name: string, annotationSets: readonly (Annotations | undefined)[]): Participant {
  const annotations = Object.assign({}, ...annotationSets) as Annotations;
  const properties = readProperties(annotations);
  return { name, properties, dependencies: dependenciesOf(properties, annotations) };
}

interface ActiveBundle {
  readonly name: string;
  readonly annotations: Annotations | undefined;
}

function lengthOf({ annotations = {} }: ActiveBundle): number {
  const texts = [annotations[dependenciesAnnotation], annotations[bundlePropertiesAnnotation]];
  return texts.reduce((sum, text = '') => sum + text.length, 0);
}

function participantsOf(bundles: readonly ActiveBundle[]): readonly Participant[] {
  let left = maxDependencyCharacters;
  const sorted = bundles.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  return sorted.map((bundle) => {
    const { name, annotations } = bundle;
    left -= lengthOf(bundle);
    if (left >= 0) return participantOf(name, [annotations]);
    return { name, properties: readProperties(annotations), dependencies: [] };
  });
}

function apiKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

async function servedAmong(
  apis: readonly GroupVersionKind[],
  { facts, signal }: DependencyContext,
): Promise<ReadonlySet<string>> {
  const found = await mapLimit(apis, concurrentReads, async (api) =>
    (await facts.servesApi(api, { signal })) ? [apiKey(api)] : [],
  );
  return new Set(found.flat());
}

/** Whether anything could depend on anything; most clusters need no request for the answer. */
async function isConcerned({ spec }: BundleDeployment, { facts, signal }: DependencyContext): Promise<boolean> {
  if (spec.template.metadata?.annotations?.[dependenciesAnnotation] !== undefined) return true;
  return await facts.hasDependencies({ signal });
}

interface ClusterState {
  readonly active: readonly Participant[];
  readonly bundles: readonly Bundle[];
  /** Uids of the Bundles that controllers have created for deployments: what others have written on theirs holds up no one. */
  readonly recorded: ReadonlySet<string>;
}

/** Uids of the Bundles that were created for a deployment. */
function recordedOf({ metadata, status }: BundleDeployment): readonly string[] {
  const { record } = status ?? {};
  return record?.uid === metadata.uid ? (record?.bundles.map(({ uid }) => uid) ?? []) : [];
}

async function readClusterState({ facts, signal }: DependencyContext): Promise<ClusterState> {
  const [bundles, deployments] = await Promise.all([facts.listBundles({ signal }), facts.listDeployments({ signal })]);
  const byName = new Map(bundles.map((bundle) => [bundle.metadata.name, bundle]));
  const active = deployments.flatMap((deployment): ActiveBundle[] => {
    const { metadata, status } = deployment;
    const bundle = byName.get(status?.activeBundle ?? '');
    if (bundle === undefined || metadata.deletionTimestamp !== undefined) return [];
    if (!recordedOf(deployment).includes(bundle.metadata.uid ?? '')) return [];
    return [{ name: metadata.name, annotations: bundle.metadata.annotations }];
  });
  return { active: participantsOf(active), bundles, recorded: new Set(deployments.flatMap(recordedOf)) };
}

/** The APIs that a bundle brings. */
function broughtBy({ properties }: Participant): readonly string[] {
  return properties.flatMap(({ type, value }) => {
    if (type !== 'olm.gvk' || !isJsonObject(value)) return [];
    const [group, version, kind] = ['group', 'version', 'kind'].map((key) => textAt(value, key));
    return [apiKey({ group, version, kind } as GroupVersionKind)];
  });
}

/** What a change is about. */
interface Subject {
  /** Of the deployment. */
  readonly name: string;
  /** What it would bring. */
  readonly bundle?: Participant;
}

/** Of what others need, the API server is only asked for what the change may take away; it counts as served what they need beside that. */
async function surveyOf(
  { active }: ClusterState,
  { name, bundle }: Subject,
  context: DependencyContext,
): Promise<Survey> {
  const brought = new Set(active.filter((one) => one.name === name).flatMap(broughtBy));
  const lost = neededApis(active).filter((api) => brought.has(apiKey(api)));
  const apis = [...lost, ...neededApis(bundle === undefined ? [] : [bundle])];
  const asked = new Set(apis.map(apiKey));
  const served = await servedAmong(apis, context);
  return { active, pending: [], servesApi: (api) => !asked.has(apiKey(api)) || served.has(apiKey(api)) };
}

function factsOf({ metadata }: BundleDeployment, survey: Survey, context: DependencyContext): DependencyFacts {
  const isIgnored = metadata.annotations?.[ignoreDependenciesAnnotation] === 'true';
  const { dependencyPolicy, facts } = context;
  return { survey, isEnforced: dependencyPolicy === 'enforce', isIgnored, offersFor: facts.offersFor };
}

/** Whether a deployment is evaluated at all. */
async function isEvaluated(deployment: BundleDeployment, context: DependencyContext): Promise<boolean> {
  const isBeingDeleted = deployment.metadata.deletionTimestamp !== undefined;
  return context.dependencyPolicy !== 'off' && !isBeingDeleted && (await isConcerned(deployment, context));
}

/** Validates the deletion of a deployment that others may require.
 *  @throws what the reader throws */
export async function checkRemoval(deployment: BundleDeployment, context: DependencyContext): Promise<AdmissionResult> {
  if (!(await isEvaluated(deployment, context))) return allowed;
  const { rules } = context;
  const { name } = deployment.metadata;
  const survey = await rules.read('required', async () => surveyOf(await readClusterState(context), { name }, context));
  return rules.evaluate('required', { name, next: undefined }, factsOf(deployment, survey, context));
}

interface TemplateFacts {
  /** What the deployment would bring. */
  readonly subject: Participant;
  readonly survey: Survey;
  /** Whether what it would bring is known from a Bundle of controllers. */
  readonly isRecorded: boolean;
}

/** Undefined where the bundle of the template is not unpacked yet. */
async function readTemplateFacts(
  { metadata, spec }: BundleDeployment,
  context: DependencyContext,
): Promise<TemplateFacts | undefined> {
  const state = await readClusterState(context);
  const desired = spec.template.spec as unknown as JsonValue;
  const isRecorded = (one: Bundle): boolean => state.recorded.has(one.metadata.uid ?? '');
  const fitting = state.bundles.filter(
    (one) => one.status?.phase === 'Unpacked' && isSameSpec(one.spec as unknown as JsonValue, desired),
  );
  const bundle = fitting.find(isRecorded) ?? fitting[0];
  if (bundle === undefined) return undefined;
  const subject = participantOf(metadata.name, [bundle.metadata.annotations, spec.template.metadata?.annotations]);
  const survey = await surveyOf(state, { name: subject.name, bundle: subject }, context);
  return { subject, survey, isRecorded: isRecorded(bundle) };
}

/** Validates a new template whose bundle is unpacked: its dependencies are met, and those of others stay met. Of one that is not unpacked, the
 *  provisioner reports later.
 *  @throws what the reader throws */
export async function checkTemplate(
  deployment: BundleDeployment,
  context: DependencyContext,
): Promise<AdmissionResult> {
  if (!(await isEvaluated(deployment, context))) return allowed;
  const { rules } = context;
  const read = await rules.read('dependencies', () => readTemplateFacts(deployment, context));
  if (read === undefined) return allowed;
  const { subject, survey, isRecorded } = read;
  const { isEnforced, ...others } = factsOf(deployment, survey, context);
  // The provisioner finds out, and does not install it.
  const facts = { ...others, isEnforced: isEnforced && isRecorded };
  return mergeResults([
    rules.evaluate('dependencies', subject, facts),
    rules.evaluate('required', { name: subject.name, next: subject.properties }, facts),
  ]);
}
