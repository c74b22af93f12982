import { isJsonObject, type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../src/base/index.ts';
import { type KubeClient, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';

const noOlm =
  'the cluster does not have Operator Lifecycle Manager: start it with "longshore up", or install it with "longshore install --olm"';

/** @throws TerminalError OlmMissing where the cluster does not serve the kind */
export async function explainMissing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) throw new TerminalError('OlmMissing', noOlm, { cause: thrown });
    throw thrown;
  }
}

/** A channel of a package. */
export interface AvailableChannel {
  readonly name: string;
  readonly head: string;
  readonly entries: readonly { readonly name: string; readonly version: string }[];
  /** That its head supports. */
  readonly installModes: readonly string[];
}

/** A package of a catalog, from its PackageManifest. */
export interface AvailablePackage {
  readonly name: string;
  readonly catalog: { readonly namespace: string; readonly name: string; readonly displayName: string };
  readonly defaultChannel: string;
  readonly channels: readonly AvailableChannel[];
  readonly description: string;
}

function channelOf(channel: JsonObject): AvailableChannel {
  const entries = objectsAt(channel, 'entries').map((entry) => ({
    name: textAt(entry, 'name'),
    version: textAt(entry, 'version'),
  }));
  const installModes = objectsAt(objectAt(channel, 'currentCSVDesc'), 'installModes')
    .filter(({ supported }) => supported === true)
    .map((mode) => textAt(mode, 'type'));
  return { name: textAt(channel, 'name'), head: textAt(channel, 'currentCSV'), entries, installModes };
}

/** @see docs/spec/olm-v0.md#packagemanifest */
function packageOf(manifest: KubeObject): AvailablePackage {
  const status = isJsonObject(manifest['status']) ? manifest['status'] : {};
  const catalog = {
    namespace: textAt(status, 'catalogSourceNamespace'),
    name: textAt(status, 'catalogSource'),
    displayName: textAt(status, 'catalogSourceDisplayName'),
  };
  const channels = objectsAt(status, 'channels');
  const defaultChannel = textAt(status, 'defaultChannel');
  const shown = channels.find((channel) => textAt(channel, 'name') === defaultChannel) ?? channels[0] ?? {};
  return {
    name: textAt(status, 'packageName') || (manifest.metadata.name ?? ''),
    catalog,
    defaultChannel,
    channels: channels.map(channelOf),
    description: textAt(objectAt(shown, 'currentCSVDesc'), 'displayName'),
  };
}

/** The packages that are visible in a namespace.
 *  @throws TerminalError OlmMissing */
export async function listPackages(kube: KubeClient, namespace: string): Promise<readonly AvailablePackage[]> {
  const target = { apiVersion: 'packages.operators.coreos.com/v1', kind: 'PackageManifest', namespace };
  const { items } = await explainMissing(kube.list(target));
  return items.map(packageOf);
}
