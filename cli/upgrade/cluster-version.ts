import {
  type ClusterRelease,
  type ClusterVersionStatus,
  type ConditionalUpdate,
  clusterVersionName,
  clusterVersionResource,
  type DesiredUpdate,
  type OperatorStatusCondition,
  type ReleaseProgress,
  type UpdateCondition,
  type UpdateHistory,
} from '../../src/api/index.ts';
import { type JsonObject, listOfTexts, objectAt, objectsAt, TerminalError, textAt } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';

/** A ClusterVersion as commands read it. Fields that are missing are empty, so that those of other engines, of any age, can be shown. */
export interface ClusterVersionView {
  readonly object: KubeObject;
  readonly channel: string;
  readonly upstream: string;
  readonly desiredUpdate: DesiredUpdate | undefined;
  /** The release that is applied. */
  readonly desired: Required<Pick<ClusterRelease, 'version' | 'image' | 'channels'>>;
  readonly conditions: readonly OperatorStatusCondition[];
  /** The latest first. */
  readonly history: readonly UpdateHistory[];
  readonly availableUpdates: readonly ClusterRelease[];
  readonly conditionalUpdates: readonly ConditionalUpdate[];
  readonly progress: ReleaseProgress | undefined;
}

const noClusterVersion =
  'no cluster version information available: the cluster has no ClusterVersion "version". Its controllers serve one when they run with a release';

function viewOf(object: KubeObject): ClusterVersionView {
  const raw = object as unknown as JsonObject;
  const [spec, status] = [objectAt(raw, 'spec'), objectAt(raw, 'status')];
  const desired = objectAt(status, 'desired');
  // The server has validated the members against the schema of the kind.
  const listed = <T>(key: keyof ClusterVersionStatus): readonly T[] =>
    objectsAt(status, key) as unknown as readonly T[];
  return {
    object,
    channel: textAt(spec, 'channel'),
    upstream: textAt(spec, 'upstream'),
    desiredUpdate: objectAt(spec, 'desiredUpdate') as DesiredUpdate | undefined,
    desired: {
      version: textAt(desired, 'version'),
      image: textAt(desired, 'image'),
      channels: listOfTexts(desired, 'channels'),
    },
    conditions: listed('conditions'),
    history: listed('history'),
    availableUpdates: listed('availableUpdates'),
    conditionalUpdates: listed('conditionalUpdates'),
    progress: objectAt(status, 'progress') as ReleaseProgress | undefined,
  };
}

const ref = { ...clusterVersionResource, name: clusterVersionName };

/** @throws TerminalError NoClusterVersion */
export async function readClusterVersion(kube: KubeClient): Promise<ClusterVersionView> {
  try {
    return viewOf(await kube.get(ref));
  } catch (thrown) {
    if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
    throw new TerminalError('NoClusterVersion', noClusterVersion, { cause: thrown });
  }
}

/** Writes a part of the spec by a JSON merge patch. */
export async function patchClusterVersion(
  kube: KubeClient,
  spec: JsonObject,
  isDryRun: boolean,
): Promise<ClusterVersionView> {
  return viewOf(await kube.patch(ref, { spec }, { fieldManager: 'longshore', isDryRun }));
}

export function conditionOf(
  { conditions }: Pick<ClusterVersionView, 'conditions'>,
  type: string,
): OperatorStatusCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** The condition Recommended of an update, unless it is True. */
export function notRecommended({ conditions = [] }: ConditionalUpdate): UpdateCondition | undefined {
  return conditions.find(({ type, status }) => type === 'Recommended' && status !== 'True');
}

/** A condition's reason and message, lines after the first one indented by two. */
export function reasonText({ reason = '', message = '' }: OperatorStatusCondition): string {
  return `  Reason: ${reason}\n  Message: ${indented(message)}\n`;
}

/** Lines after the first one indented by two. */
export function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
