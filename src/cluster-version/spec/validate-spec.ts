import type { ClusterRelease, ClusterVersion, ClusterVersionSpec, DesiredUpdate } from '../../api/index.ts';
import { parseVersion } from '../../constraints/index.ts';

/** A spec without what is invalid in it, and what that is. */
export interface ValidatedSpec {
  readonly spec: ClusterVersionSpec;
  /** Each with its field, in the words of field errors. */
  readonly errors: readonly string[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{12}$/i;

function invalid(field: string, value: string, detail: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}

function upstreamError({ upstream = '' }: ClusterVersionSpec): string | undefined {
  if (upstream === '' || URL.canParse(upstream)) return undefined;
  return invalid('spec.upstream', upstream, 'must be a valid URL or empty');
}

function clusterIdError({ clusterID }: ClusterVersionSpec): string | undefined {
  if (clusterID === '') return undefined;
  const [, version, variant = ''] = uuid.exec(clusterID) ?? [];
  if (!/^[89ab]$/i.test(variant)) return invalid('spec.clusterID', clusterID, 'must be an RFC4122-variant UUID');
  return version === '4' ? undefined : invalid('spec.clusterID', clusterID, 'must be a version-4 UUID');
}

function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch {
    return false;
  }
}

/** Releases of a version that the status lists. */
export function releasesOf({ status }: ClusterVersion, version: string): readonly ClusterRelease[] {
  return (status?.availableUpdates ?? []).filter(
    (release) => release.version === version && (release.image ?? '') !== '',
  );
}

function isInHistory({ status }: ClusterVersion, version: string): boolean {
  return (status?.history ?? []).some((entry) => entry.version === version && entry.image !== '');
}

const versionField = 'spec.desiredUpdate.version';

/** A version without an image must be that of a release that is known. */
function unresolvedError(object: ClusterVersion, version: string): string | undefined {
  const images = new Set(releasesOf(object, version).map((release) => release.image));
  if (images.size > 1) {
    const detail = 'there are multiple possible payloads for this version, specify the exact image';
    return invalid(versionField, version, detail);
  }
  const isKnown = images.size === 1 || isInHistory(object, version) || object.status?.desired.version === version;
  if (isKnown) return undefined;
  return invalid(versionField, version, 'when image is empty the update must be an available update');
}

function versionError(object: ClusterVersion, update: DesiredUpdate): string | undefined {
  const { version = '', image = '', architecture = '' } = update;
  if (version === '') return undefined;
  if (!isVersion(version)) return invalid(versionField, version, 'must be a semantic version (1.2.3[-...])');
  return image === '' && architecture === '' ? unresolvedError(object, version) : undefined;
}

/** At most one error; `isKept` when the field is honored all the same. */
function updateError(object: ClusterVersion): { readonly error: string | undefined; readonly isKept: boolean } {
  const { desiredUpdate } = object.spec;
  if (desiredUpdate === undefined) return { error: undefined, isKept: true };
  const { version = '', image = '', architecture = '' } = desiredUpdate;
  if (version === '' && image === '' && architecture === '') {
    if ((desiredUpdate.acceptRisks ?? []).length > 0) return { error: undefined, isKept: true };
    const error = 'spec.desiredUpdate: Required value: must specify architecture, version, image, or acceptRisks';
    return { error, isKept: true };
  }
  return { error: versionError(object, desiredUpdate), isKept: false };
}

/** Checks what the schema cannot, and leaves out what is invalid.
 *  @see docs/spec/cluster-version.md#spec-desiredupdate */
export function validateSpec(object: ClusterVersion): ValidatedSpec {
  const [upstream, clusterID] = [upstreamError(object.spec), clusterIdError(object.spec)];
  const update = updateError(object);
  const { desiredUpdate, ...rest } = object.spec;
  const isDropped = update.error !== undefined && !update.isKept;
  const spec: ClusterVersionSpec = {
    ...rest,
    ...(upstream === undefined ? {} : { upstream: '' }),
    ...(clusterID === undefined ? {} : { clusterID: '' }),
    ...(desiredUpdate === undefined || isDropped ? {} : { desiredUpdate }),
  };
  return { spec, errors: [upstream, clusterID, update.error].filter((error) => error !== undefined) };
}

/** The message of the condition `Invalid`. */
export function invalidMessage(errors: readonly string[]): string {
  if (errors.length === 1) return `The cluster version is invalid: ${errors[0] ?? ''}`;
  return `The cluster version is invalid:\n${errors.map((error) => `* ${error}\n`).join('')}`;
}
