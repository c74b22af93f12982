import { ownerKindLabel } from '../../src/api/index.ts';
import { isJsonObject, type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../src/base/index.ts';
import { findObject, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { actuatorOf, type MachineChoice } from './machines.ts';
import { hasOlm, olmNamespaceOf } from './olm.ts';
import { type Overlay, overlays } from './overlays.ts';
import { shardCountOf } from './shards.ts';

/** On the Namespace: the overlay that it came with. */
const overlayAnnotation = 'core.rukpak.io/overlay';
const systemNamespace = 'rukpak-system';

/** What an installation on a cluster was made with. */
export interface Installed {
  /** Undefined if not recorded, as with a custom overlay. */
  readonly overlay: string | undefined;
  readonly image: string | undefined;
  /** How many leaders share the work. */
  readonly shards: number;
  /** Whether the controllers do what Operator Lifecycle Manager does. */
  readonly hasOlm: boolean;
  /** Of its global catalogs; undefined: the usual one. */
  readonly olmNamespace: string | undefined;
  /** Undefined: machines are left alone. */
  readonly machines: MachineChoice | undefined;
}

/** Whether the manifests of an installation, or our processes, have labeled the object. */
export function isLabeledOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/part-of'] === 'longshore';
}

/** Whether the object came with an installation, in whatever way, or is one that our processes have made for themselves. What a bundle brought is
 *  not. */
export function isOurs(object: KubeObject): boolean {
  if (isLabeledOurs(object)) return true;
  const { metadata } = object;
  if (metadata.labels?.[ownerKindLabel] !== undefined) return false;
  const managers = objectsAt(metadata as unknown as JsonObject, 'managedFields').map((entry) =>
    textAt(entry, 'manager'),
  );
  return managers.some((manager) => manager === 'longshore' || manager === 'rukpak-webhooks');
}

async function machinesOf(core: KubeObject, kube: KubeClient, signal: AbortSignal): Promise<MachineChoice | undefined> {
  const actuator = actuatorOf(core);
  if (actuator === undefined) return undefined;
  const ref = { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'longshore-node-agents', name: 'node-agent' };
  return { actuator, hasNodeAgents: (await findObject(kube, ref, { signal })) !== undefined };
}

/** What the Deployment of the controllers shows. */
async function readCore(core: KubeObject, kube: KubeClient, signal: AbortSignal): Promise<Omit<Installed, 'overlay'>> {
  const podSpec = objectAt(core as unknown as JsonObject, 'spec', 'template', 'spec');
  return {
    image: textAt(isJsonObject(podSpec) ? objectsAt(podSpec, 'containers')[0] : undefined, 'image') || undefined,
    shards: shardCountOf(core),
    hasOlm: hasOlm(core),
    olmNamespace: olmNamespaceOf(core),
    machines: await machinesOf(core, kube, signal),
  };
}

const begun = { image: undefined, shards: 1, hasOlm: false, olmNamespace: undefined, machines: undefined } as const;

/** Undefined where Longshore is not installed. An installation that ended before its Deployment was there counts by the overlay that its Namespace records:
 *  begun with few permissions, it must not go on with more. */
export async function findInstalled(kube: KubeClient, signal: AbortSignal): Promise<Installed | undefined> {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: systemNamespace, name: 'core' };
  const core = await findObject(kube, ref, { signal });
  const namespace = await findObject(kube, { apiVersion: 'v1', kind: 'Namespace', name: systemNamespace }, { signal });
  const overlay = namespace?.metadata.annotations?.[overlayAnnotation];
  if (core !== undefined && isOurs(core)) return { overlay, ...(await readCore(core, kube, signal)) };
  return overlay === undefined ? undefined : { overlay, ...begun };
}

/** The overlay to install: the requested one, else the one that is there, so that an upgrade grants no more permissions than before.
 *  @throws TerminalError InvalidOption where one must be named */
export function chooseOverlay(requested: Overlay | undefined, installed: Installed | undefined): Overlay {
  if (requested !== undefined) return requested;
  if (installed === undefined) return 'self-signed';
  const found = overlays.find((overlay) => overlay === installed.overlay);
  if (found !== undefined) return found;
  const reported =
    installed.overlay === undefined
      ? `the Namespace "${systemNamespace}" does not record its overlay (annotation ${overlayAnnotation})`
      : `with the overlay "${installed.overlay}", which this version does not have`;
  const text = `Longshore is installed, and ${reported}: set --overlay ${overlays.join('|')}; nothing was changed`;
  throw new TerminalError('InvalidOption', text);
}
