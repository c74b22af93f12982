import {
  type BundleDeployment,
  dependenciesAnnotation,
  ignoreDependenciesAnnotation,
  platformOperatorResource,
} from '../../src/api/index.ts';
import { isJsonObject, type JsonValue, mapLimit, textAt } from '../../src/base/index.ts';
import type { GroupVersionKind } from '../../src/constraints/index.ts';
import { neededApis, type Participant, type Survey } from '../../src/dependencies/index.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';
import { type ClusterState, participantOf, readClusterState } from './cluster-state.ts';
import type { DependencyFacts } from './dependencies.ts';

/** What the checks of dependencies use of a context. */
export type DependencyContext = Pick<ReviewContext, 'facts' | 'rules' | 'dependencyPolicy' | 'signal'>;

const concurrentReads = 8;

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

/** As kube-controller-manager names itself, with an account for each controller and without. */
const collectors: ReadonlySet<string> = new Set([
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
]);

/** Whether a deployment is deleted because the PlatformOperators that have needed it do not exist any more. */
function isCollected({ metadata }: BundleDeployment, username: string): boolean {
  const { kind } = platformOperatorResource;
  const owners = metadata.ownerReferences ?? [];
  const isDependency = owners.length > 0 && owners.every((owner) => owner.kind === kind && owner.controller !== true);
  return isDependency && collectors.has(username);
}

/** Validates the deletion of a deployment that others may require. No one reads a warning to the garbage collector: what others need stays until they do not.
 *  @throws what the reader throws */
export async function checkRemoval(
  deployment: BundleDeployment,
  context: DependencyContext,
  username = '',
): Promise<AdmissionResult> {
  if (!(await isEvaluated(deployment, context))) return allowed;
  const { rules } = context;
  const { name } = deployment.metadata;
  const survey = await rules.read('required', async () => surveyOf(await readClusterState(context), { name }, context));
  const facts = factsOf(deployment, survey, context);
  const isEnforced = facts.isEnforced || isCollected(deployment, username);
  return rules.evaluate('required', { name, next: undefined }, { ...facts, isEnforced });
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
  const state = await readClusterState(context, spec.template.spec as unknown as JsonValue);
  const { fitting, recorded } = state;
  if (fitting === undefined) return undefined;
  const subject = participantOf(metadata.name, [fitting.annotations, spec.template.metadata?.annotations]);
  const survey = await surveyOf(state, { name: subject.name, bundle: subject }, context);
  return { subject, survey, isRecorded: recorded.has(fitting.uid) };
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
