import {
  errorMessage,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  mapLimit,
  objectAt,
  TerminalError,
  valueAt,
} from '../../src/base/index.ts';
import {
  describeRef,
  groupOf,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  refOf,
} from '../../src/kube/index.ts';
import { isTooOld, oldestKubernetes } from '../client/index.ts';
import { isOurs } from './installed.ts';
import { actuatorArgument, machinesArgument } from './machines.ts';
import { readManifests } from './manifests.ts';
import { olmArgument, olmNamespaceArgument } from './olm.ts';
import { overlays } from './overlays.ts';

interface Asking {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

/** The object as it is; undefined when it, or its kind, is not there. */
export async function readLive(
  kube: KubeClient,
  object: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await kube.get(refOf(object), { signal });
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

/** Whether the manifests bring the definition of the object's kind. */
export function isOfBroughtKind({ apiVersion, kind }: KubeObject, objects: readonly KubeObject[]): boolean {
  return objects.some((one) => {
    const spec = one.kind === 'CustomResourceDefinition' && isJsonObject(one['spec']) ? one['spec'] : undefined;
    const names = objectAt(spec, 'names');
    return spec?.['group'] === groupOf(apiVersion) && names?.['kind'] === kind;
  });
}

/** Whatever the manifests speak of must be there to be spoken of, but for what they bring themselves.
 *  @throws TerminalError KindsMissing */
async function assertKinds(objects: readonly KubeObject[], { kube, signal }: Asking): Promise<void> {
  const missing = new Set<string>();
  for (const { apiVersion, kind } of objects.filter((object) => !isOfBroughtKind(object, objects))) {
    try {
      await kube.resolve(apiVersion, kind, { signal });
    } catch (thrown) {
      if (!(thrown instanceof NoKindMatch)) throw thrown;
      missing.add(`${kind} (${apiVersion})`);
    }
  }
  if (missing.size === 0) return;
  const isCertManager = [...missing].some((text) => text.includes('cert-manager.io/'));
  const advice = isCertManager
    ? 'install cert-manager first, or use the overlay self-signed'
    : 'is the cluster too old?';
  const text = `the cluster does not serve ${[...missing].join(', ')}: ${advice}; nothing was changed`;
  throw new TerminalError('KindsMissing', text);
}

/** @throws TerminalError ClusterTooOld */
async function assertVersion({ kube, signal }: Asking): Promise<void> {
  const version = await kube.serverVersion({ signal });
  if (!isTooOld(version)) return;
  const text = `the cluster is of Kubernetes ${version}, and ${oldestKubernetes} or newer is needed: upgrade it first; nothing was changed`;
  throw new TerminalError('ClusterTooOld', text);
}

interface PodTemplate {
  readonly template?: { readonly spec?: { readonly containers?: Containers } };
}

type Containers = readonly { readonly name?: string; readonly args?: readonly string[] }[];

function containersOf(deployment: KubeObject): Containers {
  const { template } = (deployment['spec'] ?? {}) as PodTemplate;
  return template?.spec?.containers ?? [];
}

function argsOf(deployments: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(deployments.flatMap((one) => containersOf(one).flatMap(({ args = [] }) => args)));
}

/** Arguments that some overlay gives, or an installation adds. */
async function ownArgs(): Promise<ReadonlySet<string>> {
  const all = await Promise.all(overlays.map((overlay) => readManifests(overlay)));
  return new Set([...argsOf(all.flat() as unknown as KubeObject[]), olmArgument, machinesArgument]);
}

/** Other settings, such as an image policy, would be lost silently.
 *  @throws TerminalError ArgumentsLost */
async function assertNothingLost(objects: readonly KubeObject[], { kube, signal }: Asking): Promise<void> {
  const own = await ownArgs();
  for (const object of objects.filter(({ kind }) => kind === 'Deployment')) {
    const live = await readLive(kube, object, signal);
    const retained = argsOf([object]);
    const lost = [...argsOf(live === undefined ? [] : [live])].filter((arg) => {
      const isChosen = ['--shard', olmNamespaceArgument, actuatorArgument].some((chosen) => arg.startsWith(chosen));
      return !own.has(arg) && !retained.has(arg) && !isChosen;
    });
    if (lost.length === 0) continue;
    const text = `${describeRef(refOf(object))} was given ${lost.map((arg) => JSON.stringify(arg)).join(', ')}, which it would lose: install with what has given it, such as "kubectl apply --server-side -k" of your overlay, or take it away first; nothing was changed`;
    throw new TerminalError('ArgumentsLost', text);
  }
}

function containerNames(deployment: KubeObject): readonly string[] {
  return containersOf(deployment).map(({ name = '' }) => name);
}

/** RukPak's own Deployments have our names: its containers would stay beside ours.
 *  @throws TerminalError DeploymentTaken */
async function assertOurs(objects: readonly KubeObject[], { kube, signal }: Asking): Promise<void> {
  for (const object of objects.filter(({ kind }) => kind === 'Deployment')) {
    const live = await readLive(kube, object, signal);
    if (live === undefined) continue;
    const ours = containerNames(object);
    const foreign = containerNames(live).filter((name) => !ours.includes(name));
    if (foreign.length === 0) continue;
    const { name = '', namespace = '' } = object.metadata;
    const text = `${describeRef(refOf(object))} has containers that are not Longshore's (${foreign.join(', ')}): if it is RukPak's, remove it with "kubectl delete deployment ${name} -n ${namespace}", which leaves everything installed as it is (docs/migrate-from-rukpak.md); nothing was changed`;
    throw new TerminalError('DeploymentTaken', text);
  }
}

/** Of RukPak, whose place is taken. */
const rukpakRoles: ReadonlySet<string> = new Set([
  'core-admin',
  'rukpak-webhooks-admin',
  'bundle-reader',
  'bundle-uploader',
]);

/** Permissions of another owner under one of our names would be overwritten.
 *  @throws TerminalError NameTaken */
async function assertFree(objects: readonly KubeObject[], { kube, signal }: Asking): Promise<void> {
  const wide = objects.filter(({ kind, metadata }) => {
    return kind.startsWith('ClusterRole') && !rukpakRoles.has(metadata.name ?? '');
  });
  for (const object of wide) {
    const live = await readLive(kube, object, signal);
    if (live === undefined || isOurs(live)) continue;
    const [there, requested] = [live, object].map((one) => one as unknown as JsonObject);
    const isSame = ['rules', 'roleRef', 'subjects'].every((key) =>
      isJsonEqual(valueAt(there, key) ?? null, valueAt(requested, key) ?? null),
    );
    if (isSame) continue;
    const text = `${describeRef(refOf(object))} exists and is not Longshore's: it would be overwritten. Give it another name, or remove it if it is not needed, and run the command again; nothing was changed`;
    throw new TerminalError('NameTaken', text);
  }
}

/** Whether a process beside the cluster has registered itself (`longshore up --cluster`, `longshore webhook --external-address`). */
export function leadsOutside({ kind, webhooks }: KubeObject): boolean {
  if (!kind.endsWith('WebhookConfiguration') || !Array.isArray(webhooks)) return false;
  return webhooks.filter(isJsonObject).some(({ clientConfig }) => isJsonObject(clientConfig) && 'url' in clientConfig);
}

const maxRefusals = 20;
const parallelTries = 8;

/** Why the server would refuse the object; undefined if it accepts it, or if that is unknown before other objects exist. */
async function refusalOf(object: KubeObject, { kube, signal }: Asking): Promise<string | undefined> {
  try {
    const live = object.kind.endsWith('WebhookConfiguration') ? await readLive(kube, object, signal) : undefined;
    if (live !== undefined && leadsOutside(live)) return undefined;
    await kube.apply(object, { fieldManager: 'longshore', force: true, isDryRun: true, signal });
    return undefined;
  } catch (thrown) {
    const isUntold =
      isNotFound(thrown) || thrown instanceof NoKindMatch || errorMessage(thrown).includes('does not support dry run');
    if (isUntold) return undefined;
    if (!isKubeError(thrown) || thrown.failure.status === 0) throw thrown;
    return `${describeRef(refOf(object))}: ${thrown.message}`;
  }
}

/** The server accepts every object, as far as a dry run before the first write can show.
 *  @throws TerminalError ApplyRefused that names all that it would not take */
async function assertTaken(objects: readonly KubeObject[], asking: Asking): Promise<void> {
  const all = await mapLimit(objects, parallelTries, (object) => refusalOf(object, asking));
  const refusals = all.filter((text) => text !== undefined);
  if (refusals.length === 0) return;
  const shown = refusals.slice(0, maxRefusals);
  const more = refusals.length > shown.length ? `\n  and ${refusals.length - shown.length} more` : '';
  const needsPermissions = refusals.some((text) => / is forbidden: User /.test(text));
  const advice = needsPermissions ? '; an installation requires the permissions of cluster-admin' : '';
  const text = `the API server refuses what would be applied${advice}; nothing was changed:\n  ${shown.join('\n  ')}${more}`;
  throw new TerminalError('ApplyRefused', text);
}

/** Looks whether anything stands against an installation of these objects.
 *  @throws TerminalError ClusterTooOld, KindsMissing, DeploymentTaken, ArgumentsLost, NameTaken, ApplyRefused */
export async function assertInstallable(objects: readonly KubeObject[], asking: Asking): Promise<void> {
  await assertVersion(asking);
  await assertKinds(objects, asking);
  await assertOurs(objects, asking);
  await assertNothingLost(objects, asking);
  await assertFree(objects, asking);
  await assertTaken(objects, asking);
}
