import { bundleDeploymentResource } from '../src/api/index.ts';
import {
  formatBoundedYaml,
  isJsonObject,
  type JsonObject,
  objectAt,
  sha256Digest,
  TerminalError,
  textAt,
} from '../src/base/index.ts';
import type { Rendered, RenderedHook } from '../src/formats/index.ts';
import { isAlreadyExists, isNotFound, type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';
import { fieldManager } from './field-manager.ts';
import { listReleases, packedRelease, releaseSecretType } from './helm-release.ts';
import { packRelease, type Unpacker } from './unpacker/index.ts';

/** On the Secret of a release: the uid of the BundleDeployment that it is of. */
const releaseOfAnnotation = 'core.rukpak.io/release-of';
/** What was installed: the same for every try. */
const revisionAnnotation = 'core.rukpak.io/release-revision';
/** As many as Helm retains by default. */
const maxReleases = 10;
const maxSecretBytes = 1_000_000;
const maxTries = 5;

/** Whose releases are recorded, and where. */
export interface ReleaseShelf {
  /** As whom the objects of the deployment are written. */
  readonly kube: KubeClient;
  readonly deployment: KubeObject;
  readonly unpacker: Pick<Unpacker, 'releases'>;
  /** Of the release. */
  readonly namespace: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

function versionOf({ metadata }: KubeObject): number {
  return Number(/\.v(\d{1,9})$/.exec(metadata.name ?? '')?.[1] ?? 0);
}

function statusOf({ metadata }: KubeObject): string {
  return metadata.labels?.['status'] ?? '';
}

async function releasesIn({ kube, deployment, namespace, signal }: ReleaseShelf): Promise<readonly KubeObject[]> {
  const { name = '' } = deployment.metadata;
  const secrets = await listReleases({ kube, name, namespace }, signal);
  return secrets.toSorted((a, b) => versionOf(b) - versionOf(a));
}

function isOwn({ metadata }: KubeObject, { deployment }: ReleaseShelf): boolean {
  return metadata.annotations?.[releaseOfAnnotation] === deployment.metadata.uid;
}

function manifestOf(object: JsonObject, chart: string): string {
  const { kind = '', metadata } = object;
  const name = isJsonObject(metadata) ? textAt(metadata, 'name') : '';
  return `---\n# Source: ${chart}/${String(kind as string)}/${name}\n${formatBoundedYaml(object)}`;
}

function hookOf({ object, events, weight, deletePolicies }: RenderedHook, chart: string): JsonObject {
  const name = textAt(objectAt(object, 'metadata'), 'name');
  const never = { started_at: '', completed_at: '', phase: '' };
  return {
    name,
    kind: textAt(object, 'kind'),
    path: `${chart}/${textAt(object, 'kind')}/${name}`,
    manifest: formatBoundedYaml(object),
    events: [...events],
    weight,
    delete_policies: [...deletePolicies],
    last_run: never,
  };
}

interface Version {
  readonly version: number;
  readonly firstDeployed: string;
}

function releaseOf(rendered: Rendered, { version, firstDeployed }: Version, shelf: ReleaseShelf): JsonObject {
  const { objects, hooks = [], release } = rendered;
  const { chart = {}, chartValues = {}, values = {} } = release ?? {};
  const chartName = textAt(chart, 'name');
  const now = new Date(shelf.nowMs).toISOString();
  const info = {
    first_deployed: firstDeployed === '' ? now : firstDeployed,
    last_deployed: now,
    deleted: '',
    description: version === 1 ? 'Install complete' : 'Upgrade complete',
    status: 'deployed',
  };
  return {
    name: shelf.deployment.metadata.name ?? '',
    info,
    chart: { metadata: chart, lock: null, templates: [], values: chartValues, schema: null, files: [] },
    config: values,
    manifest: objects.map((object) => manifestOf(object, chartName)).join(''),
    hooks: hooks.map((hook) => hookOf(hook, chartName)),
    version,
    namespace: shelf.namespace,
  };
}

/** Another release is installed in the place of these. */
async function supersede(secrets: readonly KubeObject[], shelf: ReleaseShelf): Promise<void> {
  const deployed = secrets.filter((secret) => statusOf(secret) === 'deployed');
  for (const secret of deployed.slice(0, maxReleases)) await supersedeOne(secret, shelf);
}

async function supersedeOne(secret: KubeObject, shelf: ReleaseShelf): Promise<void> {
  const { kube, unpacker, signal } = shelf;
  const labels = { status: 'superseded' };
  try {
    const packed = await packedRelease(shelf, secret, signal);
    if (packed === undefined) return;
    const data = { release: await unpacker.releases.superseded(packed, { signal }) };
    const { uid = '', resourceVersion = '' } = secret.metadata;
    await kube.patch(refOf(secret), { metadata: { uid, resourceVersion, labels }, data }, { fieldManager, signal });
  } catch (thrown) {
    // Helm does not read it either.
    if (!(thrown instanceof TerminalError)) throw thrown;
  }
}

async function prune(secrets: readonly KubeObject[], shelf: ReleaseShelf): Promise<void> {
  for (const secret of secrets.filter((one) => isOwn(one, shelf)).slice(maxReleases - 1)) await remove(secret, shelf);
}

async function remove(secret: KubeObject, { kube, signal }: ReleaseShelf): Promise<void> {
  const { uid } = secret.metadata;
  try {
    await kube.delete(refOf(secret), { signal, ...(uid === undefined ? {} : { uid }) });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

async function firstDeployed([newest]: readonly KubeObject[], shelf: ReleaseShelf): Promise<string> {
  const { unpacker, signal } = shelf;
  const packed = newest && (await packedRelease(shelf, newest, signal));
  if (packed === undefined) return '';
  try {
    return await unpacker.releases.start(packed, { signal });
  } catch (thrown) {
    if (thrown instanceof TerminalError) return '';
    throw thrown;
  }
}

interface Record {
  readonly rendered: Rendered;
  /** Names what is installed. */
  readonly revision: string;
}

async function createRelease({ rendered, revision }: Record, version: Version, shelf: ReleaseShelf): Promise<void> {
  const { kube, deployment, namespace, signal } = shelf;
  const { name = '', uid = '' } = deployment.metadata;
  const release = await packRelease(releaseOf(rendered, version, shelf));
  if (release.length > maxSecretBytes) {
    const text = `the release is larger than a Secret may be (${maxSecretBytes} bytes): set spec.config.helmRelease to false`;
    throw new TerminalError('ReleaseTooLarge', `${bundleDeploymentResource.kind} "${name}": ${text}`);
  }
  const labels = {
    name,
    owner: 'helm',
    status: 'deployed',
    version: String(version.version),
    modifiedAt: String(Math.floor(shelf.nowMs / 1000)),
  };
  const annotations = { [releaseOfAnnotation]: uid, [revisionAnnotation]: sha256Digest(revision) };
  const metadata = { name: `sh.helm.release.v1.${name}.v${version.version}`, namespace, labels, annotations };
  const secret = { apiVersion: 'v1', kind: 'Secret', type: releaseSecretType, metadata, data: { release } };
  await kube.create(secret, { fieldManager, signal });
}

function isRecordOf(newest: KubeObject, { revision }: Record, shelf: ReleaseShelf): boolean {
  const isDeployed = isOwn(newest, shelf) && statusOf(newest) === 'deployed';
  return isDeployed && newest.metadata.annotations?.[revisionAnnotation] === sha256Digest(revision);
}

/** Records what is installed as the newest release of Helm, as `helm upgrade` would.
 *  @throws TerminalError ReleaseTooLarge */
export async function recordHelmRelease(record: Record, shelf: ReleaseShelf): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const secrets = await releasesIn(shelf);
    const [newest] = secrets;
    if (newest !== undefined && isRecordOf(newest, record, shelf)) return;
    const version = newest === undefined ? 1 : versionOf(newest) + 1;
    try {
      await createRelease(record, { version, firstDeployed: await firstDeployed(secrets, shelf) }, shelf);
    } catch (thrown) {
      if (!isAlreadyExists(thrown) || tries === maxTries) throw thrown;
      continue;
    }
    await supersede(secrets, shelf);
    return await prune(secrets, shelf);
  }
}

/** Deletes the releases that were recorded for the deployment; those that Helm has recorded stay. */
export async function removeHelmReleases(shelf: ReleaseShelf): Promise<void> {
  for (const secret of await releasesIn(shelf)) if (isOwn(secret, shelf)) await remove(secret, shelf);
}
