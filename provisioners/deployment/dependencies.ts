import {
  dependenciesAnnotation,
  ignoreDependenciesAnnotation,
  ownerNameLabel,
  parseBundle,
  parseBundleDeployment,
  pausedAnnotation,
} from '../../src/api/index.ts';
import { lazily, mapLimit, remember } from '../../src/base/index.ts';
import type { Dependency, GroupVersionKind } from '../../src/constraints/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import {
  dependenciesOf,
  Effort,
  involvedWith,
  meetsAlone,
  neededApis,
  type Participant,
  readProperties,
  type Survey,
  type Unmet,
  unmetOf,
  whyUnknown,
} from '../../src/dependencies/index.ts';
import { type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { bundleOfTemplate } from '../bundle-template.ts';
import type { ProvisionerContext } from '../context.ts';
import { bundlesOf } from '../owned-bundles.ts';
import { findMatch } from './bundle-match.ts';
import { bundleCondition, notInstalled } from './conditions.ts';
import { describeIncomplete, rollBackAbandoned, withLeft } from './incomplete.ts';
import { blocked } from './outcome.ts';
import { activeOf, type DeploymentRun, type Stage, setStatus } from './run.ts';

const readsAtATime = 8;
/** An API may come without any of ours: it is looked for again and again. */
const apiPollMs = 3_000;
const maxNamed = 10;
/** Of more, catalogs are not asked what would meet it: each question may take a tenth of a second. */
const maxOffered = 3;
const maxTextCharacters = 500;

/** Read once for each version of a Bundle. */
const propertiesOf = remember(({ metadata }: KubeObject) => readProperties(metadata.annotations));

/** What a Bundle needs is read when it is asked for, which it seldom is. */
function participantOf(name: string, bundle: KubeObject): Participant {
  const dependencies = lazily(() => dependenciesOf(propertiesOf(bundle), bundle.metadata.annotations));
  return {
    name,
    properties: propertiesOf(bundle),
    get dependencies() {
      return dependencies();
    },
  };
}

function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[pausedAnnotation] === 'true';
}

function activeBundleOf(deployment: KubeObject): string {
  return parseBundleDeployment(deployment).status?.activeBundle ?? '';
}

function activeOthers({ deployments, bundles }: ProvisionerContext, self: string): readonly Participant[] {
  return deployments.values().flatMap((deployment) => {
    const { name = '', deletionTimestamp } = deployment.metadata;
    if (name === self || deletionTimestamp !== undefined) return [];
    const active = activeBundleOf(deployment);
    const bundle = bundlesOf({ bundles }, deployment).find(({ metadata }) => metadata.name === active);
    return bundle === undefined ? [] : [participantOf(name, bundle)];
  });
}

/** The Bundle that the deployment would have installed next, when it is unpacked and not installed. */
function nextBundle(context: ProvisionerContext, deployment: KubeObject): KubeObject | undefined {
  const { spec, metadata } = parseBundleDeployment(deployment);
  const isActing = metadata.deletionTimestamp === undefined && !isPaused(deployment);
  if (!isActing || !context.classes.has(spec.provisionerClassName)) return undefined;
  const active = activeBundleOf(deployment);
  const desired = bundleOfTemplate(parseBundleDeployment(deployment));
  const bundle = findMatch(bundlesOf(context, deployment), desired, active);
  if (bundle === undefined || bundle.metadata.name === active) return undefined;
  return parseBundle(bundle).status?.phase === 'Unpacked' ? bundle : undefined;
}

function pendingOthers(context: ProvisionerContext, self: string): readonly Participant[] {
  return context.deployments.values().flatMap((deployment) => {
    const { name = '' } = deployment.metadata;
    const bundle = name === self ? undefined : nextBundle(context, deployment);
    return bundle === undefined ? [] : [participantOf(name, bundle)];
  });
}

function apiKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

async function servedAmong(
  { kube }: ProvisionerContext,
  apis: readonly GroupVersionKind[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = await mapLimit(apis, readsAtATime, async (api) => {
    try {
      await kube.resolve(`${api.group}/${api.version}`, api.kind, { signal });
      return [apiKey(api)];
    } catch (thrown) {
      if (thrown instanceof NoKindMatch) return [];
      throw thrown;
    }
  });
  return new Set(found.flat());
}

interface Question {
  readonly subject: Participant;
  /** Others that may be installed together with it. */
  readonly pending: readonly Participant[];
}

async function surveyFor(
  { context }: DeploymentRun,
  { subject, pending }: Question,
  signal: AbortSignal,
): Promise<Survey> {
  const served = await servedAmong(context, neededApis([subject, ...pending]), signal);
  return { active: activeOthers(context, subject.name), pending, servesApi: (api) => served.has(apiKey(api)) };
}

/** What keeps it from being installed, be it with others that need it. */
async function unmetBy(run: DeploymentRun, subject: Participant, signal: AbortSignal): Promise<readonly Unmet[]> {
  const unmet = unmetOf(subject, await surveyFor(run, { subject, pending: [] }, signal));
  const pending = unmet.length === 0 ? [] : involvedWith(subject, pendingOthers(run.context, subject.name));
  return pending.length === 0 ? unmet : unmetOf(subject, await surveyFor(run, { subject, pending }, signal));
}

function obstacleOf(deployment: KubeObject, bundle: KubeObject): string {
  if (isPaused(deployment)) return 'is paused';
  if (parseBundle(bundle).status?.phase !== 'Unpacked') return 'its bundle is not unpacked';
  const { conditions = [] } = parseBundleDeployment(deployment).status ?? {};
  const installed = conditions.find(({ type }) => type === 'Installed');
  return installed?.status === 'False' ? `is not installed: ${installed.reason}` : 'is not installed yet';
}

function whyNotActive({ deployments }: ProvisionerContext, bundle: KubeObject): string {
  const { name = '', labels = {} } = bundle.metadata;
  const owner = labels[ownerNameLabel] ?? '';
  const deployment = deployments.get(owner);
  if (deployment === undefined) return `bundle "${name}" has it, and no bundledeployment installs it`;
  return `bundledeployment "${owner}" has it, and ${obstacleOf(deployment, bundle)}`;
}

/** Bundles that provide something of a dependency, and that are not installed. */
function ableFor({ context, object }: DeploymentRun, dependency: Dependency, effort: Effort): readonly KubeObject[] {
  const { name: self = '' } = object.metadata;
  if (dependency.type !== 'constraint' || effort.isExceeded) return [];
  const active = new Set(context.deployments.values().map(activeBundleOf));
  try {
    return context.bundles.values().filter((bundle) => {
      const { name = '', labels } = bundle.metadata;
      if (active.has(name) || labels?.[ownerNameLabel] === self) return false;
      return meetsAlone(dependency.constraint, propertiesOf(bundle), effort);
    });
  } catch (thrown) {
    if (!effort.isExceeded) throw thrown;
    return [];
  }
}

/** An unmet dependency, and who on the cluster could meet it. */
function describe(
  run: DeploymentRun,
  { dependency, text }: Unmet,
  { effort, hasOffers }: { readonly effort: Effort; readonly hasOffers: boolean },
): string {
  const { context } = run;
  const able = ableFor(run, dependency, effort);
  const hints = able.slice(0, maxNamed).map((bundle) => whyNotActive(context, bundle));
  const offers = hints.length === 0 && hasOffers ? context.offersFor(dependency) : [];
  const nothing = ['nothing on the cluster has it', ...offers].join('; ');
  const who = hints.length === 0 ? nothing : hints.join(', ');
  return `${text.length > maxTextCharacters ? `${text.slice(0, maxTextCharacters)}…` : text} (${who})`;
}

/** Unknown dependencies, where dependencies must be met. */
function describeUnknown({ context, bundle }: DeploymentRun): readonly string[] {
  if (context.dependencies.policy !== 'enforce') return [];
  const { annotations } = bundle?.metadata ?? {};
  const why = whyUnknown(readProperties(annotations), annotations);
  if (why === undefined) return [];
  const advice = `fix the file, list what the bundle needs in the template's annotation ${dependenciesAnnotation} ("[]" for nothing), or set ${ignoreDependenciesAnnotation} to "true"`;
  return [`what the bundle needs is not known, because ${why}: ${advice}`];
}

/** What is missing: the first ones in words, and how many there are. */
interface Missing {
  readonly lines: readonly string[];
  readonly count: number;
  /** What an interrupted installation has left. */
  readonly left?: string | undefined;
}

function reportMissing(run: DeploymentRun, bundle: KubeObject, { lines, count, left }: Missing): void {
  const more = count > lines.length ? [`and ${count - lines.length} more`] : [];
  const message = withLeft(`Dependencies are not met: ${[...lines, ...more].join('; ')}`, left);
  const installed = { type: 'Installed', status: 'False', reason: 'DependenciesNotMet', message } as const;
  setStatus(run, [bundleCondition(parseBundle(bundle)), installed, notInstalled]);
}

/** What is missing that the Bundle needs. */
async function missingFor(run: DeploymentRun, subject: Participant, signal: AbortSignal): Promise<Missing> {
  const unknown = describeUnknown(run);
  const unmet = subject.dependencies.length === 0 ? [] : await unmetBy(run, subject, signal);
  const effort = new Effort();
  const known = unmet
    .slice(0, maxNamed - unknown.length)
    .map((one, index) => describe(run, one, { effort, hasOffers: index < maxOffered }));
  return { lines: [...unknown, ...known], count: unknown.length + unmet.length };
}

/** A Bundle that is not installed yet waits until all that it needs is. What is installed stays, whatever becomes of what it needs. */
export const awaitDependencies: Stage = async (run, bundle, { signal }) => {
  const { dependencies } = run.context;
  const { name = '', annotations = {} } = run.object.metadata;
  dependencies.forget(name);
  const isFree = dependencies.policy === 'off' || annotations[ignoreDependenciesAnnotation] === 'true';
  if (isFree || activeOf(run) === bundle.metadata.name) return undefined;
  const subject = participantOf(name, bundle);
  // Before the survey, so that no change in between is missed.
  dependencies.add(name);
  const missing = await missingFor(run, subject, signal);
  if (missing.count === 0) {
    dependencies.forget(name);
    return undefined;
  }
  await rollBackAbandoned(run, signal);
  reportMissing(run, bundle, { ...missing, left: await describeIncomplete(run, signal) });
  if (neededApis([subject]).length > 0) requeueAfter(run, apiPollMs);
  return blocked();
};
