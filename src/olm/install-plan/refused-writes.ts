import type { InstallPlanStep } from '../../api/index.ts';
import { isAlreadyExists, KubeRejection, KubeUnavailable } from '../../kube/index.ts';

type Write = 'creating' | 'updating';

/** What OLM calls the object of a step in its messages; some are the same for both writes. */
const called: ReadonlyMap<string, (write: Write) => string> = new Map<string, (write: Write) => string>([
  ['ClusterServiceVersion', (write) => `${write} csv `],
  ['Subscription', (write) => `${write} subscription `],
  ['BundleSecret', () => 'updating secret: '],
  ['ServiceAccount', (write) => `${write} service account: `],
  ['Service', () => 'updating service: '],
  ['ConfigMap', () => 'updating configmap: '],
  ['Role', (write) => `${write} role `],
  ['RoleBinding', (write) => `${write} rolebinding `],
  ['ClusterRole', (write) => `${write} clusterrole `],
  ['ClusterRoleBinding', (write) => `${write} clusterrolebinding `],
  ['CustomResourceDefinition', (write) => `${write} CRD: `],
]);

function prefixOf({ resource: { kind, name } }: InstallPlanStep, write: Write): string {
  return `error ${called.get(kind)?.(write) ?? `${write} unstructured object `}${name}: `;
}

/** The same refusal in other words; its class and status stay. */
export function withMessage(thrown: KubeRejection | KubeUnavailable, message: string): KubeRejection | KubeUnavailable {
  const failure = { ...thrown.failure, message };
  const isFinal = thrown instanceof KubeRejection;
  return isFinal ? new KubeRejection(failure, { cause: thrown }) : new KubeUnavailable(failure, { cause: thrown });
}

/** Adds to the refusal of a write which object it was about, in OLM's words; its class and status stay.
 *  @throws what `work` throws */
export async function describingRefusal<T>(step: InstallPlanStep, write: Write, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof KubeRejection || thrown instanceof KubeUnavailable) || isAlreadyExists(thrown))
      throw thrown;
    throw withMessage(thrown, `${prefixOf(step, write)}${thrown.message}`);
  }
}
