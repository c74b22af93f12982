import { apiVersion } from '../../../src/api/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, objectAt } from '../../../src/base/index.ts';
import { findObject, isConflict, type KubeClient, type KubeObject, refOf } from '../../../src/kube/index.ts';
import { assertUnmanaged } from '../managed.ts';

/** Field manager of what the CLI applies; RukPak's own name for it. */
const cliFieldManager = 'rukpakctl';

/** What a BundleDeployment is applied with. */
export interface DeploymentSpec {
  readonly name: string;
  readonly deploymentClass: string;
  readonly bundleClass: string;
  readonly source: object;
  readonly config?: JsonObject | undefined;
  /** Of the template. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The BundleDeployment as it is applied. */
export function deploymentObject(desired: DeploymentSpec): KubeObject {
  const { name, deploymentClass, bundleClass, source, config = {}, labels = {} } = desired;
  const template = {
    ...(Object.keys(labels).length === 0 ? {} : { metadata: { labels } }),
    spec: { provisionerClassName: bundleClass, source },
  };
  const settings = Object.keys(config).length === 0 ? {} : { config };
  const spec = { provisionerClassName: deploymentClass, ...settings, template };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec } as unknown as KubeObject;
}

/** The JSON merge patch that turns `before` into `after`, members that only `before` has included. */
export function replacing(before: JsonValue | undefined, after: JsonObject): JsonObject {
  const removed = isJsonObject(before) ? Object.keys(before).filter((key) => after[key] === undefined) : [];
  const retained = Object.entries(after).map(([key, value]): [string, JsonValue | undefined] => {
    const former = isJsonObject(before) ? before[key] : undefined;
    return [key, isJsonObject(value) ? replacing(former, value) : value];
  });
  return Object.fromEntries([...removed.map((key): [string, null] => [key, null]), ...retained]);
}

async function existing(kube: KubeClient, name: string): Promise<KubeObject | undefined> {
  return await findObject(kube, { apiVersion, kind: 'BundleDeployment', name });
}

function hasNull(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && Object.values(value).some(hasNull));
}

const maxConflicts = 10;

/** Replaces `spec` of a BundleDeployment as it was read; writes of its status in between do no harm.
 *  @throws KubeRejection 409 when someone else changed its spec meanwhile */
export async function patchSpec(kube: KubeClient, deployment: KubeObject, spec: JsonObject): Promise<KubeObject> {
  const ref = refOf(deployment);
  let read = deployment;
  for (let conflicts = 0; ; conflicts++) {
    const metadata = { resourceVersion: read.metadata.resourceVersion ?? null };
    try {
      return await kube.patch(ref, { metadata, spec }, { fieldManager: cliFieldManager });
    } catch (thrown) {
      if (!isConflict(thrown) || conflicts >= maxConflicts) throw thrown;
      read = await kube.get(ref);
      if (read.metadata.generation !== deployment.metadata.generation) throw thrown;
    }
  }
}

/** Members of the former source that another field manager set would stay beside the applied ones, and both together are refused. */
async function replaceSource(kube: KubeClient, desired: KubeObject): Promise<void> {
  const { name = '' } = desired.metadata;
  const found = await existing(kube, name);
  if (found === undefined) return;
  assertUnmanaged(found);
  const { spec } = desired as unknown as { readonly spec: JsonObject };
  const before = objectAt(found as unknown as JsonObject, 'spec', 'template', 'spec');
  const template = objectAt(spec, 'template') ?? {};
  const changed = replacing(before, objectAt(template, 'spec') ?? {});
  if (hasNull(changed)) await patchSpec(kube, found, { ...spec, template: { ...template, spec: changed } });
}

/** Applies the BundleDeployment by server-side apply; fields of an earlier `longshore run` that are no longer given go away. Returns it as it is
 *  then.
 *  @throws TerminalError Managed */
export async function applyDeployment(kube: KubeClient, spec: DeploymentSpec): Promise<KubeObject> {
  const desired = deploymentObject(spec);
  await replaceSource(kube, desired);
  const { object } = await kube.apply(desired, { fieldManager: cliFieldManager, force: true });
  return object;
}
