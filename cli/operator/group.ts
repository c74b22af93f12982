import { type OperatorGroup, operatorGroupResource, parseOperatorGroup } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { unsupportedTargets } from '../../src/operators/index.ts';
import { explainMissing } from '../client/index.ts';
import type { InstallRequest } from './request.ts';

const fieldManager = 'longshore';
const everywhere: readonly string[] = [''];
const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'] as const;

function shown(targets: readonly string[]): string {
  return targets[0] === '' ? 'all namespaces' : `namespace ${targets.map((name) => `"${name}"`).join(', ')}`;
}

/** Undefined where a selector decides, and has not been evaluated yet. */
function targetsOfGroup({ spec, status }: OperatorGroup): readonly string[] | undefined {
  if (status?.namespaces !== undefined) return status.namespaces;
  if ((spec?.targetNamespaces ?? []).length > 0) return spec?.targetNamespaces;
  return Object.keys(spec?.selector ?? {}).length === 0 ? everywhere : undefined;
}

/** Whether the operator may watch these namespaces; yes where its install modes are not known. */
function isSupported({ installModes, namespace }: InstallRequest, targets: readonly string[]): boolean {
  if (installModes.length === 0) return true;
  const list = modes.map((type) => ({ type, supported: installModes.includes(type) }));
  return unsupportedTargets({ spec: { installModes: list } }, namespace, targets) === undefined;
}

function assertSuits(request: InstallRequest, object: KubeObject): void {
  const { namespace, packageName, targetNamespaces, areTargetsNamed, installModes } = request;
  const { name } = object.metadata;
  const targets = targetsOfGroup(parseOperatorGroup(object));
  if (targets === undefined) return;
  const requested = targetNamespaces.length === 0 ? everywhere : targetNamespaces;
  const isSame = requested.length === targets.length && requested.every((target) => targets.includes(target));
  const group = `OperatorGroup "${name}" of namespace "${namespace}" targets ${shown(targets)}`;
  const elsewhere = 'install the operator in another namespace with -n NAME: it gets an OperatorGroup of its own';
  if (areTargetsNamed && !isSame) {
    throw new TerminalError('OperatorGroupExists', `${group}, not ${shown(requested)}: ${elsewhere}`);
  }
  if (isSupported(request, targets)) return;
  const text = `${group}, but "${packageName}" supports only ${installModes.join(', ')}: ${elsewhere}`;
  throw new TerminalError('UnsupportedInstallMode', text);
}

/** Makes an OperatorGroup where there is none; what was made.
 *  @throws TerminalError TooManyOperatorGroups, OperatorGroupExists, UnsupportedInstallMode */
export async function ensureGroup(kube: KubeClient, request: InstallRequest): Promise<readonly KubeObject[]> {
  const { namespace, packageName, targetNamespaces, installModes } = request;
  const { apiVersion, kind } = operatorGroupResource;
  const { items } = await explainMissing(kube.list({ apiVersion, kind, namespace }));
  const [existing, ...more] = items;
  if (more.length > 0) {
    const names = items.map(({ metadata }) => metadata.name).join(', ');
    const text = `namespace "${namespace}" has several OperatorGroups (${names}), and operators are installed only where there is one: delete the others`;
    throw new TerminalError('TooManyOperatorGroups', text);
  }
  if (existing !== undefined) {
    assertSuits(request, existing);
    return [];
  }
  const targets = targetNamespaces.length === 0 ? everywhere : targetNamespaces;
  if (!isSupported(request, targets)) {
    const text = `"${packageName}" supports only ${installModes.join(', ')}, and cannot watch ${shown(targets)} from namespace "${namespace}": choose other namespaces with --watch-namespace`;
    throw new TerminalError('UnsupportedInstallMode', text);
  }
  const spec = targetNamespaces.length === 0 ? {} : { targetNamespaces: [...targetNamespaces] };
  const group = { apiVersion, kind, metadata: { name: packageName, namespace }, spec };
  return [await kube.create(group, { fieldManager })];
}
