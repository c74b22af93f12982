import type { ClusterRelease, ClusterVersion, ClusterVersionSpec } from '../../api/index.ts';
import { releasesOf } from './validate-spec.ts';

/** The release that a ClusterVersion requests. */
export interface DesiredRelease {
  readonly version: string;
  readonly image: string;
  readonly isForced: boolean;
}

/** The release that the cluster is at: the one that was completed last, or the one that it was started with. */
export function ownRelease(
  { status }: ClusterVersion,
  initial: ClusterRelease | undefined,
): ClusterRelease | undefined {
  const completed = (status?.history ?? []).find(({ state, image }) => state === 'Completed' && image !== '');
  if (completed === undefined) return initial ?? installing(status?.history?.at(0));
  return named(completed, initial);
}

/** An entry without a version may be that of the release the cluster was started with. */
function named(
  { version = '', image }: { readonly version?: string; readonly image: string },
  initial: ClusterRelease | undefined,
): ClusterRelease {
  return version === '' && image === initial?.image ? initial : { version, image };
}

function installing(
  entry: { readonly version?: string; readonly image: string } | undefined,
): ClusterRelease | undefined {
  return entry === undefined ? undefined : { version: entry.version ?? '', image: entry.image };
}

/** A version that the cluster had before, when no update service offers it. */
function fromHistory({ status }: ClusterVersion, version: string): ClusterRelease | undefined {
  const entry = (status?.history ?? []).find((one) => one.version === version && one.image !== '');
  return entry === undefined ? undefined : { version, image: entry.image };
}

function resolved(object: ClusterVersion, version: string): ClusterRelease | undefined {
  const { status } = object;
  if (version === '') return undefined;
  if (status?.desired.version === version && (status.desired.image ?? '') !== '') return status.desired;
  return releasesOf(object, version)[0] ?? fromHistory(object, version);
}

const noRelease: ClusterRelease = { version: '', image: '' };

/** The release that is requested by a valid spec, else the one that the cluster is at; undefined when that is unknown.
 *  @see docs/spec/cluster-version.md#spec-desiredupdate */
export function desiredRelease(
  object: ClusterVersion,
  { desiredUpdate = {} }: ClusterVersionSpec,
  initial: ClusterRelease | undefined,
): DesiredRelease | undefined {
  const { version = '', image = '', force: isForced = false } = desiredUpdate;
  if (image !== '') return { version, image, isForced };
  const release = { ...noRelease, ...(resolved(object, version) ?? ownRelease(object, initial)) };
  if (release.image === '') return undefined;
  return { version: release.version ?? '', image: release.image ?? '', isForced };
}
