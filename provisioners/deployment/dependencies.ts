import {
  dependenciesAnnotation,
  ignoreDependenciesAnnotation,
  ownerNameLabel,
  parseBundle,
  parseBundleDeployment,
  pausedAnnotation,
} from '../../src/api/index.ts';
import { mapLimit } from '../../src/base/index.ts';
import type { GroupVersionKind } from '../../src/constraints/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import {
  dependenciesOf,
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
import { rollBackAbandoned } from './incomplete.ts';
import { blocked } from './outcome.ts';
import { activeOf, type DeploymentRun, type Stage, setStatus } from './run.ts';

const readsAtATime = 8;
/** An API may come without any of ours: it is looked for again and again. */
const apiPollMs = 3_000;
const maxNamed = 10;
const maxTextCharacters = 500;

function participantOf(name: string, bundle: KubeObject): Participant {
  const { annotations } = bundle.metadata;
  const properties = readProperties(annotations);
  return { name, properties, dependencies: dependenciesOf(properties, annotations) };
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
    const participant = bundle === undefined ? undefined : participantOf(name, bundle);
    return participant === undefined || participant.dependencies.length === 0 ? [] : [participant];
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

async function surveyFor(run: DeploymentRun, subject: Participant, signal: AbortSignal): Promise<Survey> {
  const pending = pendingOthers(run.context, subject.name);
  const served = await servedAmong(run.context, neededApis([subject, ...pending]), signal);
  return { active: activeOthers(run.context, subject.name), pending, servesApi: (api) => served.has(apiKey(api)) };
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

/** An unmet dependency, and who on the cluster could meet it. */
function describe({ context, object }: DeploymentRun, { dependency, text }: Unmet): string {
  const { name: self = '' } = object.metadata;
  const active = new Set(context.deployments.values().map(activeBundleOf));
  const able = context.bundles.values().filter(({ metadata }) => {
    if (active.has(metadata.name ?? '') || metadata.labels?.[ownerNameLabel] === self) return false;
    return dependency.type === 'constraint' && meetsAlone(dependency.constraint, readProperties(metadata.annotations));
  });
  const hints = able.slice(0, maxNamed).map((bundle) => whyNotActive(context, bundle));
  const offers = hints.length === 0 ? context.offersFor(dependency) : [];
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

function reportMissing(run: DeploymentRun, bundle: KubeObject, lines: readonly string[]): void {
  const more = lines.length > maxNamed ? [`and ${lines.length - maxNamed} more`] : [];
  const message = `Dependencies are not met: ${[...lines.slice(0, maxNamed), ...more].join('; ')}`;
  const installed = { type: 'Installed', status: 'False', reason: 'DependenciesNotMet', message } as const;
  setStatus(run, [bundleCondition(parseBundle(bundle)), installed, notInstalled]);
}

/** What is missing that the Bundle needs, a line each. */
async function missingFor(run: DeploymentRun, subject: Participant, signal: AbortSignal): Promise<readonly string[]> {
  const unknown = describeUnknown(run);
  if (subject.dependencies.length === 0) return unknown;
  const unmet = unmetOf(subject, await surveyFor(run, subject, signal));
  return [...unknown, ...unmet.map((one) => describe(run, one))];
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
  if (missing.length === 0) {
    dependencies.forget(name);
    return undefined;
  }
  reportMissing(run, bundle, missing);
  await rollBackAbandoned(run, signal);
  if (neededApis([subject]).length > 0) requeueAfter(run, apiPollMs);
  return blocked();
};
