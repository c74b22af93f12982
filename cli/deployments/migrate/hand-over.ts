import { setTimeout as pause } from 'node:timers/promises';
import {
  clusterExtensionResource,
  parsePlatformOperator,
  platformChoiceAnnotation,
  platformOperatorResource,
  platformPackageLabel,
} from '../../../src/api/index.ts';
import { type JsonObject, TerminalError } from '../../../src/base/index.ts';
import {
  conditionsOf,
  findSame,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  preconditionOf,
  refOf,
} from '../../../src/kube/index.ts';
import { bundleAnnotations, choiceAnnotation } from '../../../src/operators/index.ts';
import type { Waiting } from '../run/wait.ts';
import type { ExtensionTarget } from './extension.ts';
import { migratedAnnotation } from './record.ts';

const pollMs = 300;
const writer = { fieldManager: 'rukpakctl' };

/** Looks at an object until nothing is missing of it; returns it as it is then.
 *  @throws TerminalError NotInstalled */
export async function until(
  { kube, timeoutMs, progress }: Waiting,
  object: KubeObject,
  missingOf: (live: KubeObject) => string | undefined | Promise<string | undefined>,
): Promise<KubeObject> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const live = await kube.get(refOf(object));
    const missing = await missingOf(live);
    if (missing === undefined) return { ...live, apiVersion: object.apiVersion, kind: object.kind };
    const what = `${object.kind} "${object.metadata.name}"`;
    if (performance.now() > untilMs)
      throw new TerminalError('NotInstalled', `${what}: ${missing}; run the command again to wait further`);
    progress.show(`${what}: ${missing}`);
    await pause(pollMs);
  }
}

const isPlatform = ({ kind }: { readonly kind: string }): boolean => kind === platformOperatorResource.kind;

/** The PlatformOperators of the package that own a BundleDeployment.
 *  @throws TerminalError Managed where it has another owner, which needs it further */
export async function platformOwnersOf(
  kube: KubeClient,
  { deployment, packageName }: Pick<ExtensionTarget, 'deployment' | 'packageName'>,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  const { name: deploymentName = '', ownerReferences = [] } = deployment.metadata;
  for (const { kind, name, uid, controller } of ownerReferences) {
    const live = isPlatform({ kind })
      ? await findSame(kube, { ...platformOperatorResource, name }, { uid })
      : undefined;
    if (live !== undefined && parsePlatformOperator(live).spec.package.name === packageName) found.push(live);
    else if (live !== undefined || controller === true) {
      const text = `BundleDeployment "${deploymentName}" is needed by ${kind} "${name}": migrate that first; nothing was changed`;
      throw new TerminalError('Managed', text);
    }
  }
  return found;
}

/** PlatformOperators let go of it; the BundleDeployment stays. */
export async function releaseFromPlatform(
  waiting: Waiting,
  target: Pick<ExtensionTarget, 'deployment' | 'packageName'>,
): Promise<KubeObject> {
  const { deployment } = target;
  for (const owner of await platformOwnersOf(waiting.kube, target)) {
    const { uid = '' } = owner.metadata;
    await waiting.kube.delete(refOf(owner), { uid, propagationPolicy: 'Orphan' });
  }
  return await until(waiting, deployment, ({ metadata }) =>
    (metadata.ownerReferences ?? []).some(isPlatform) ? 'waiting until no PlatformOperator owns it' : undefined,
  );
}

function handedOver(live: KubeObject, { metadata }: KubeObject, target: ExtensionTarget): JsonObject {
  const { apiVersion, kind } = clusterExtensionResource;
  const { name, version, image } = target.bundle;
  const { packageName } = target;
  const { name: owner = '', uid = '' } = metadata;
  const choice = {
    package: packageName,
    bundle: name,
    version,
    image,
    catalog: { name: '-' },
    reason: 'it was installed before',
    chosenAt: '',
  };
  return {
    metadata: {
      ...preconditionOf(live),
      labels: { [platformPackageLabel]: null },
      annotations: {
        [platformChoiceAnnotation]: null,
        [migratedAnnotation]: null,
        ...choiceAnnotation(choice),
      },
      ownerReferences: [{ apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { template: { metadata: { annotations: bundleAnnotations(choice) } } },
  };
}

/** Hands a BundleDeployment over to a ClusterExtension, and waits until that reports it as installed.
 *  @throws TerminalError Managed, NotInstalled */
export async function handOver(waiting: Waiting, target: ExtensionTarget): Promise<void> {
  const { kube } = waiting;
  const free = await releaseFromPlatform(waiting, target);
  const extension = await kube.apply(target.extension, { ...writer, force: false });
  await kube.patch(refOf(free), handedOver(free, extension.object, target), writer);
  await whenExtended(waiting, target);
}

/** Waits until the ClusterExtension reports what it has taken over as installed.
 *  @throws TerminalError NotInstalled */
export async function whenExtended(waiting: Waiting, { extension }: ExtensionTarget): Promise<void> {
  await until(waiting, extension, (live) => {
    const progressing = conditionsOf(live).find(({ type }) => type === 'Progressing');
    const isDone = progressing?.reason === 'Succeeded' && progressing.observedGeneration === live.metadata.generation;
    return isDone ? undefined : (progressing?.message ?? 'waiting for its conditions');
  });
}

/** Deletes a ClusterExtension, and waits until its BundleDeployment is on its own, which is returned.
 *  @throws TerminalError NotInstalled, StillThere */
export async function releaseExtension(
  waiting: Waiting,
  extension: KubeObject,
  deployment: KubeObject,
): Promise<KubeObject> {
  const { kube } = waiting;
  const { uid = '', name = '', deletionTimestamp } = extension.metadata;
  if (deletionTimestamp === undefined) await kube.delete(refOf(extension), { uid, propagationPolicy: 'Orphan' });
  await until(waiting, deployment, ({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
      ? `waiting until ClusterExtension "${name}" does not own it`
      : undefined,
  );
  await untilDeleted(waiting, refOf(extension), uid);
  return await kube.get(refOf(deployment));
}

/** Waits until an object that is being deleted does not exist any more.
 *  @throws TerminalError StillThere */
export async function untilDeleted({ kube, timeoutMs }: Waiting, ref: ObjectRef, uid: string): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  while ((await findSame(kube, ref, { uid })) !== undefined) {
    if (performance.now() > untilMs) {
      const text = `${ref.kind} "${ref.name}" is still being deleted: check that longshore controllers runs, and run the command again`;
      throw new TerminalError('StillThere', text);
    }
    await pause(pollMs);
  }
}
