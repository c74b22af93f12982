import { type BundleSource, packageVersionAnnotation, parseBundle } from '../../src/api/index.ts';
import {
  formatTimestamp,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  textAt,
} from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { definitionOf, type SourceDescription } from '../../src/sources/definitions/index.ts';
import { withRecordedNamespace } from '../installed-record.ts';
import type { UnpackedContent } from '../unpacker/index.ts';
import { activeOf, type DeploymentRun } from './run.ts';

/** As many revisions as `kubectl rollout history` has by default. */
const maxRevisions = 10;
/** Of all revisions together, as JSON: the object has to fit into one request. */
const maxHistoryBytes = 128 * 1024;
const digestDigits = 12;

/** The installed version, as `status` shows it. */
export interface InstalledVersion {
  /** Package version, tag, commit or digest: the first of them that is known. */
  readonly activeVersion: string;
  /** Where the content came from, pinned: `registry.example.com/combo:v1 (sha256:0123456789ab)`. */
  readonly activeSource: string;
}

function shortDigest(digest: string | undefined): string | undefined {
  return digest?.slice(0, 'sha256:'.length + digestDigits);
}

function packageVersion(
  properties: UnpackedContent['properties'],
  annotations: Record<string, string>,
): string | undefined {
  const value = properties.find(({ type }) => type === 'olm.package')?.value;
  const version = isJsonObject(value) ? value['version'] : undefined;
  return typeof version === 'string' && version !== '' ? version : annotations[packageVersionAnnotation];
}

function describeSource(
  source: BundleSource,
  resolved: BundleSource | undefined,
  digest: string | undefined,
): SourceDescription {
  const short = shortDigest(digest);
  const fallback = { source: short === undefined ? source.type : `${source.type} (${short})` };
  return definitionOf(source).describe(source, resolved) ?? fallback;
}

type KnownContent = Pick<UnpackedContent, 'properties' | 'digest' | 'version'>;

/** The version that the files of the content name. */
function namedIn({ properties, version }: Partial<KnownContent>, { metadata }: KubeObject): string | undefined {
  return packageVersion(properties ?? [], metadata.annotations ?? {}) ?? version;
}

/** The version of a Bundle, by its content, its source and what that was resolved to. */
export function versionOf(bundle: KubeObject, content: KnownContent | undefined): InstalledVersion {
  const { spec, status } = parseBundle(bundle);
  const { version, source } = describeSource(
    spec.source,
    status?.resolvedSource as BundleSource | undefined,
    content?.digest,
  );
  return {
    activeVersion: namedIn(content ?? {}, bundle) ?? version ?? shortDigest(content?.digest) ?? 'unknown',
    activeSource: source,
  };
}

/** The newest that fit. */
function bounded(revisions: readonly JsonObject[]): JsonObject[] {
  const kept = revisions.slice(-maxRevisions);
  while (kept.length > 1 && Buffer.byteLength(JSON.stringify(kept)) > maxHistoryBytes) kept.shift();
  if (Buffer.byteLength(JSON.stringify(kept)) <= maxHistoryBytes) return kept;
  return kept.map(({ spec: _spec, ...revision }) => revision);
}

/** One that was too large to be recorded with its spec is known by its Bundle. */
function isSameRevision(revision: JsonObject, installed: JsonObject): boolean {
  if (revision['bundle'] !== installed['bundle']) return false;
  return revision['spec'] === undefined || isJsonEqual(revision['spec'], installed['spec'] ?? null);
}

/** `history` with what is installed now; the same list when that is its last revision already. */
export function nextHistory(history: readonly JsonObject[], installed: JsonObject): readonly JsonObject[] {
  const last = history.at(-1);
  if (last !== undefined && isSameRevision(last, installed)) return history;
  const number = typeof last?.['revision'] === 'number' ? last['revision'] : 0;
  return bounded([...history, { revision: number + 1, ...installed }]);
}

/** The version under which the very same content was recorded: after a rollback to a commit it is still known by its tag. */
function knownVersion(history: readonly JsonObject[], resolvedSource: JsonValue | undefined): string | undefined {
  if (resolvedSource === undefined) return undefined;
  const same = history.find((revision) => isJsonEqual(revision['resolvedSource'] ?? null, resolvedSource));
  return same === undefined ? undefined : textAt(same, 'version') || undefined;
}

function historyOf({ object }: DeploymentRun): readonly JsonObject[] {
  return objectsAt(objectAt(object as unknown as JsonObject, 'status'), 'history');
}

/** The version of a Bundle by the name that people know it by. */
export async function namedVersion(run: DeploymentRun, bundle: KubeObject): Promise<InstalledVersion> {
  const { name = '', uid = '' } = bundle.metadata;
  const found = versionOf(bundle, await run.context.unpacker.find({ name, uid }));
  if (parseBundle(bundle).spec.source.git?.ref.commit === undefined) return found;
  const resolvedSource = objectAt(bundle as unknown as JsonObject, 'status', 'resolvedSource');
  return { ...found, activeVersion: knownVersion(historyOf(run), resolvedSource) ?? found.activeVersion };
}

/** Whether the last revision is what is installed, by the Bundle and the spec. */
function isRecorded(run: DeploymentRun, installed: JsonObject): boolean {
  const last = historyOf(run).at(-1);
  return last !== undefined && isSameRevision(last, installed) && activeOf(run) === installed['bundle'];
}

/** What to write into the status of a deployment whose Bundle is installed: its version, and the revisions that `longshore rollback` may go back to.
 *  Beside users only `retainActive` reads them: the active version keeps the configuration that it was installed with. */
export async function installedStatus(run: DeploymentRun, bundle: KubeObject): Promise<JsonObject> {
  const spec = objectAt(run.object as unknown as JsonObject, 'spec') ?? {};
  const desired = { bundle: bundle.metadata.name ?? '', spec };
  if (isRecorded(run, desired)) return {};
  const version = await namedVersion(run, bundle);
  const resolvedSource = objectAt(bundle as unknown as JsonObject, 'status', 'resolvedSource');
  const installed = {
    ...desired,
    version: version.activeVersion,
    source: version.activeSource,
    installedAt: formatTimestamp(run.context.clock.now()),
    ...(resolvedSource === undefined ? {} : { resolvedSource }),
  };
  return { ...version, history: [...nextHistory(historyOf(run), installed)] };
}

/** Whether what the deployment asks for was installed before, and something else since. */
export function isEarlierRevision(run: DeploymentRun, bundle: KubeObject): boolean {
  const spec = objectAt(run.object as unknown as JsonObject, 'spec') ?? {};
  const desired = { bundle: bundle.metadata.name ?? '', spec };
  const isOf = ({ template = null, config = {} }: JsonObject): JsonObject => ({ template, config });
  const earlier = historyOf(run).slice(0, -1);
  return earlier.some((revision) => {
    const recorded = objectAt(revision, 'spec');
    return recorded !== undefined && isJsonEqual(isOf(recorded), isOf(desired.spec));
  });
}

/** The spec that the active version was installed with; undefined where it was too large to be recorded, or recorded by no version of Longshore. */
function installedSpec(run: DeploymentRun): JsonObject | undefined {
  const last = historyOf(run).at(-1);
  return last?.['bundle'] === activeOf(run) ? objectAt(last, 'spec') : undefined;
}

/** Whether it is recorded with which configuration the active version was installed. */
export function isInstalledConfigRecorded(run: DeploymentRun): boolean {
  return installedSpec(run) !== undefined;
}

/** The deployment with the configuration that its active version was installed with, as far as that is recorded. */
export function withInstalledConfig(run: DeploymentRun): KubeObject {
  const installed = installedSpec(run);
  if (installed === undefined) return run.object;
  const { config: _desired, ...spec } = objectAt(run.object as unknown as JsonObject, 'spec') ?? {};
  const config = installed['config'];
  const object = { ...run.object, spec: config === undefined ? spec : { ...spec, config } };
  return withRecordedNamespace(object, run.context.systemNamespace);
}
