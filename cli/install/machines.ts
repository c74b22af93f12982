import {
  isJsonObject,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import { groupOf, type KubeClient, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { readDeployFile, readMachineCrds } from '../client/index.ts';
import { withContainers } from './containers.ts';
import { labelled } from './manifests.ts';

interface MachineValues {
  readonly machines: boolean | undefined;
  readonly actuator: string | undefined;
  readonly 'node-agents': boolean | undefined;
}

/** How machines are managed. */
export interface MachineChoice {
  /** The provider of machines, as `longshore controllers --actuator` takes it. */
  readonly actuator: string;
  /** Whether each node has an agent, which applies the configuration of its pool. */
  readonly hasNodeAgents: boolean;
}

/** The choice of the options; what they do not name stays as it is installed.
 *  @throws TerminalError InvalidOption */
export function chooseMachines(
  { machines, actuator, 'node-agents': nodeAgents }: MachineValues,
  installed: MachineChoice | undefined,
): MachineChoice | undefined {
  if (machines ?? installed !== undefined) return completed({ actuator, nodeAgents }, installed);
  if (actuator === undefined && nodeAgents !== true) return undefined;
  throw new TerminalError('InvalidOption', '--actuator and --node-agents: only with --machines');
}

function completed(
  { actuator, nodeAgents }: { readonly actuator: string | undefined; readonly nodeAgents: boolean | undefined },
  installed: MachineChoice | undefined,
): MachineChoice {
  const named = actuator ?? installed?.actuator ?? '';
  if (named !== '') return { actuator: named, hasNodeAgents: nodeAgents ?? installed?.hasNodeAgents ?? false };
  throw new TerminalError('InvalidOption', '--machines: expected --actuator with the provider of the machines');
}

/** Has the controllers reconcile machines, and the webhook review their hooks. */
export const machinesArgument = '--machines';
export const actuatorArgument = '--actuator=';
const policyGroup = 'admissionregistration.k8s.io';

/** The containers of a workload. */
function containersOf(workload: KubeObject): readonly JsonObject[] {
  const pod = objectAt(workload as unknown as JsonObject, 'spec', 'template', 'spec');
  return isJsonObject(pod) ? objectsAt(pod, 'containers') : [];
}

/** The provider that a Deployment of the controllers names; undefined: it leaves machines alone. */
export function actuatorOf(deployment: KubeObject): string | undefined {
  const args = containersOf(deployment).flatMap((container) => listOfTexts(container, 'args'));
  if (!args.includes(machinesArgument)) return undefined;
  return args.find((arg) => arg.startsWith(actuatorArgument))?.slice(actuatorArgument.length);
}

async function readFiles(...files: readonly string[]): Promise<readonly KubeObject[]> {
  const read = await Promise.all(files.map((file) => readDeployFile(`machines/${file}`)));
  return (read.flat() as unknown as KubeObject[]).map(labelled);
}

const agentFiles = ['node-agents.yaml', 'node-agent-permissions.yaml'];
const namespaceOfMachines = 'openshift-machine-api';

/** What is removed with the program: not the kinds, pools and the namespace of machines, which users fill. */
export async function machineServerObjects(): Promise<readonly KubeObject[]> {
  const objects = await readFiles('objects.yaml', 'permissions.yaml', 'webhook.yaml', ...agentFiles);
  return objects.filter(({ kind, metadata }) => kind !== 'Namespace' || metadata.name !== namespaceOfMachines);
}

/** Whether the cluster evaluates ValidatingAdmissionPolicies, which Kubernetes 1.30 and later do. */
export async function hasPolicies(kube: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await kube.resolve(`${policyGroup}/v1`, 'ValidatingAdmissionPolicy', { signal });
    return true;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

function withArguments(object: KubeObject, { actuator }: MachineChoice, isReviewing: boolean): KubeObject {
  const args = {
    core: [machinesArgument, `${actuatorArgument}${actuator}`],
    'rukpak-webhooks': isReviewing ? [machinesArgument] : [],
  }[object.metadata.name ?? ''];
  if (object.kind !== 'Deployment' || args === undefined) return object;
  return withContainers(object, (container) => ({ ...container, args: [...listOfTexts(container, 'args'), ...args] }));
}

function imageOf(objects: readonly KubeObject[]): string | undefined {
  const core = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'core');
  return core === undefined ? undefined : textAt(containersOf(core)[0], 'image');
}

/** The manifests with machines: their definitions, namespace, pools and permissions, and the arguments of the processes. Where the cluster has no
 *  ValidatingAdmissionPolicies, the webhook reviews hooks; there are no agents then, which nothing would limit to their own Nodes. */
export async function withMachines(
  objects: readonly KubeObject[],
  choice: MachineChoice & { readonly arePoliciesServed: boolean },
): Promise<readonly KubeObject[]> {
  const { arePoliciesServed, hasNodeAgents } = choice;
  const definitions = ((await readMachineCrds()) as unknown as KubeObject[]).map(labelled);
  const shipped = await readFiles(
    'objects.yaml',
    'permissions.yaml',
    'pools.yaml',
    ...(arePoliciesServed ? [] : ['webhook.yaml']),
    ...(arePoliciesServed && hasNodeAgents ? agentFiles : []),
  );
  const isServed = ({ apiVersion, kind }: KubeObject): boolean =>
    arePoliciesServed || groupOf(apiVersion) !== policyGroup || !kind.startsWith('ValidatingAdmissionPolicy');
  const image = imageOf(objects);
  return [
    ...objects.map((object) => withArguments(object, choice, !arePoliciesServed)),
    ...definitions,
    ...shipped
      .filter(isServed)
      .map((object) => withContainers(object, (one) => (image === undefined ? one : { ...one, image }))),
  ];
}
