import {
  type BundleDeployment,
  type ClusterExtensionConditionType,
  type ClusterExtensionReason,
  parseBundleDeployment,
} from '../../api/index.ts';
import type { Condition, KubeObject } from '../../kube/index.ts';
import type { InstalledChoice } from '../../operators/index.ts';
import type { Deprecations } from './answer.ts';
import { choiceIn, deploymentNameOf } from './choice.ts';
import { extensionOwners } from './find.ts';

/** A condition as it is to be from now on. */
export interface ConditionChange {
  readonly type: ClusterExtensionConditionType;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

const maxMessageCharacters = 32_768;
const truncation = '\n\n... [message truncated]';

function condition(
  type: ClusterExtensionConditionType,
  status: Condition['status'],
  { reason, message }: { readonly reason: string; readonly message: string },
): ConditionChange {
  const isTooLong = Buffer.byteLength(message) > maxMessageCharacters;
  const cut = Buffer.from(message)
    .subarray(0, maxMessageCharacters - truncation.length)
    .toString();
  return { type, status, reason, message: isTooLong ? `${cut.replace(/\uFFFD+$/, '')}${truncation}` : message };
}

/** Whether a bundle is installed. Without one, `isRollingOut` distinguishes the way to it from a failure. */
export function installedCondition(installed: InstalledChoice | undefined, isRollingOut: boolean): ConditionChange {
  if (installed !== undefined) {
    const message = `Installed bundle ${installed.image} successfully`;
    return condition('Installed', 'True', { reason: 'Succeeded', message });
  }
  const reason = isRollingOut ? 'Absent' : 'Failed';
  return condition('Installed', 'False', { reason, message: 'No bundle installed' });
}

const progressStatus: Readonly<Partial<Record<ClusterExtensionReason, Condition['status']>>> = {
  Succeeded: 'True',
  Retrying: 'True',
  RollingOut: 'True',
  Blocked: 'False',
  InvalidConfiguration: 'False',
  ProgressDeadlineExceeded: 'False',
};

/** What is being done. */
export interface Progress {
  readonly reason: ClusterExtensionReason;
  readonly message: string;
}

/** Whether the desired state is reached, and what stands against it. */
export function progressingCondition(progress: Progress): ConditionChange {
  return condition('Progressing', progressStatus[progress.reason] ?? 'True', progress);
}

/** The desired state is reached. */
export const settled: Progress = { reason: 'Succeeded', message: 'Desired state reached' };

/** The bundle is being fetched. */
export const unpacking: Progress = { reason: 'RollingOut', message: 'Waiting for the bundle to be unpacked' };

const unknownText = 'deprecation status unknown: catalog data unavailable';

function deprecated(type: ClusterExtensionConditionType, what: string, texts: readonly string[]): ConditionChange {
  if (texts.length > 0) return condition(type, 'True', { reason: 'Deprecated', message: texts.join('\n') });
  return condition(type, 'False', { reason: 'NotDeprecated', message: `${what}not deprecated` });
}

/** The deprecation conditions. `deprecations` is undefined where no catalog could be asked.
 *  @see docs/spec/catalogs.md#deprecation-conditions */
export function deprecationConditions(
  deprecations: Deprecations | undefined,
  installed: Pick<InstalledChoice, 'bundle'> | undefined,
): readonly ConditionChange[] {
  const absent = condition('BundleDeprecated', 'Unknown', { reason: 'Absent', message: 'no bundle installed yet' });
  if (deprecations === undefined) {
    const unknown = (type: ClusterExtensionConditionType): ConditionChange =>
      condition(type, 'Unknown', { reason: 'DeprecationStatusUnknown', message: unknownText });
    return [
      ...(['Deprecated', 'PackageDeprecated', 'ChannelDeprecated'] as const).map(unknown),
      installed === undefined ? absent : unknown('BundleDeprecated'),
    ];
  }
  const text = installed === undefined ? undefined : deprecations.bundles[installed.bundle];
  const ofBundle = text === undefined || text === '' ? [] : [text];
  return [
    deprecated('Deprecated', '', [...deprecations.package, ...deprecations.channels, ...ofBundle]),
    deprecated('PackageDeprecated', 'package ', deprecations.package),
    deprecated('ChannelDeprecated', 'channel ', deprecations.channels),
    installed === undefined ? absent : deprecated('BundleDeprecated', 'bundle ', ofBundle),
  ];
}

/** The condition of a BundleDeployment for its present generation. */
function current({ metadata, status }: BundleDeployment, type: string): Condition | undefined {
  const found = status?.conditions?.find((one) => one.type === type);
  const { generation = 0 } = metadata;
  return found === undefined || (found.observedGeneration ?? generation) < generation ? undefined : found;
}

const configPrefix = 'invalid configuration: ';
/** Of an operator that watches some namespaces only, and nothing names them. */
const unwatched =
  /^AllNamespace install mode must be enabled, or spec\.config must name what to watch: the operator supports .*(?:Own|Single)Namespace/;

function unpackFailure(message: string): Progress {
  const text = message
    .replace(/^Failed to unpack the \S+ Bundle: /, '')
    .replace(/^convert registry\+v1 bundle to plain\+v0 bundle: /, '');
  const problem = unwatched.test(text) ? `${configPrefix}required field "watchNamespace" is missing` : text;
  if (!problem.startsWith(configPrefix)) return { reason: 'Retrying', message: problem };
  return { reason: 'InvalidConfiguration', message: `invalid ClusterExtension configuration: ${problem}` };
}

/** As admission denies a configuration before the bundle is known. */
const deniedConfig = /denied the request: spec\.config: (.*)$/s;
/** Names fields that a ClusterExtension has itself. */
const fieldAdvice = /^(unknown field "[^"]*"): expected one of .*$/s;

const nestedField = /^unknown field "deploymentConfig\./;

/** Why a BundleDeployment could not be written. */
export function failureOf(message: string): Progress {
  const denied = deniedConfig.exec(message)?.[1];
  return denied === undefined
    ? { reason: 'Retrying', message }
    : unpackFailure(`${configPrefix}${denied.replace(fieldAdvice, '$1').replace(nestedField, 'unknown field "')}`);
}

/** The check of definitions is switched off by a field of the ClusterExtension. */
function withoutAdvice(message: string): string {
  return message
    .replaceAll(/^CustomResourceDefinition "[^"]*": (?=validating upgrade for CRD )/gm, '')
    .replaceAll(
      /\nto ignore this check, annotate the BundleDeployment or the CustomResourceDefinition with \S+: \S+/g,
      '',
    );
}

const waitingReasons: ReadonlySet<string> = new Set(['UnpackPending', 'BundleUnknown']);

/** While the Bundle is not unpacked. */
function unpackProgress(valid: Condition | undefined): Progress | undefined {
  if (valid?.status === 'False') return unpackFailure(valid.message);
  if (valid?.status === 'True' && valid.reason !== 'UnpackPending') return undefined;
  const isWaiting = valid === undefined || waitingReasons.has(valid.reason);
  if (!isWaiting) return { reason: 'Retrying', message: valid.message };
  return unpacking;
}

/** A message of a BundleDeployment in terms of the ClusterExtension, which its user has written. */
function forExtension(deployment: KubeObject, message: string): string {
  const { name = '' } = deployment.metadata;
  const text = message.replace('(spec.config.serviceAccount)', '(spec.serviceAccount)');
  const owner = extensionOwners(deployment).find((one) => deploymentNameOf(one) === name);
  // Dependencies have permissions of their own.
  return owner === undefined ? text : text.replace(`permissions bd/${name} `, `permissions clusterextension/${owner} `);
}

/** How far the BundleDeployment of a ClusterExtension is with what it is to install. */
export function progressOf(object: KubeObject): Progress {
  const deployment = parseBundleDeployment(object);
  const installed = current(deployment, 'Installed');
  const unpacked = unpackProgress(current(deployment, 'HasValidBundle'));
  if (unpacked !== undefined && (unpacked !== unpacking || installed?.status !== 'False')) return unpacked;
  if (installed?.status === 'False')
    return { reason: 'Retrying', message: forExtension(object, withoutAdvice(installed.message)) };
  if (installed?.status === 'True') return settled;
  return { reason: 'RollingOut', message: 'Waiting for the bundle to be installed' };
}

const isFailing = ({ reason }: Progress): boolean => reason !== 'Succeeded' && reason !== 'RollingOut';

/** The same with the BundleDeployments of dependencies. Permissions that are missing are listed for all of them: they can be granted at once. */
export function progressOfAll(deployment: KubeObject, needed: readonly KubeObject[]): Progress {
  if (deployment.metadata.deletionTimestamp !== undefined) {
    const message = `BundleDeployment ${deployment.metadata.name ?? ''} is being deleted; it is created again afterwards`;
    return { reason: 'RollingOut', message };
  }
  const own = progressOf(deployment);
  const failing = needed
    .map((one) => ({ one, progress: progressOf(one) }))
    .filter(({ progress }) => isFailing(progress));
  const [first] = failing;
  if (first === undefined) return own;
  const texts = failing.map(({ one, progress }) => `dependency ${choiceIn(one)?.bundle ?? ''}: ${progress.message}`);
  const lacking = own.message.includes('lacks permissions') ? [own.message] : [];
  return { reason: first.progress.reason, message: [...texts, ...lacking].join('\n') };
}

/** Why the installed objects of a BundleDeployment are not healthy; undefined when they are. */
export function unhealthyText(object: KubeObject): string | undefined {
  const healthy = current(parseBundleDeployment(object), 'Healthy');
  return healthy?.status === 'True' ? undefined : (healthy?.message ?? 'Waiting for the installed objects');
}
