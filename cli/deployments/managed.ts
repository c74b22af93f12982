import { clusterExtensionResource, platformOperatorResource } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';

/** Commands that a ClusterExtension has as well. */
type Shared = 'delete' | 'rollback';

/** Kinds whose controllers revert what others change, with what to do instead. */
const instead = new Map<string, (name: string, command: Shared | undefined) => string>([
  [
    clusterExtensionResource.kind,
    (name, command) =>
      command === undefined ? 'change the ClusterExtension' : `use longshore ${command} clusterextension/${name}`,
  ],
  [platformOperatorResource.kind, () => 'change the PlatformOperator'],
]);

/** Refuses what a controller would revert at once. `command` is one that the managing object may have, too.
 *  @throws TerminalError Managed */
export function assertUnmanaged({ metadata }: KubeObject, command?: Shared): void {
  for (const { kind, name, controller } of metadata.ownerReferences ?? []) {
    const advice = controller === true ? instead.get(kind)?.(name, command) : undefined;
    if (advice === undefined) continue;
    const text = `bundledeployment "${metadata.name}" is managed by ${kind} "${name}", which would revert this: ${advice}; nothing was changed`;
    throw new TerminalError('Managed', text);
  }
}
