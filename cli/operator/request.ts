import type { JsonObject } from '../../src/base/index.ts';

/** What the Subscription asks for. */
export interface InstallRequest {
  readonly namespace: string;
  readonly packageName: string;
  readonly channel: string;
  readonly catalog: { readonly namespace: string; readonly name: string };
  readonly startingCsv: string | undefined;
  /** Of the InstallPlans. */
  readonly approval: 'Automatic' | 'Manual';
  /** Of the Deployments of the operator. */
  readonly config?: JsonObject;
  /** Of an OperatorGroup that is made if there is none; empty for all namespaces. */
  readonly targetNamespaces: readonly string[];
  /** The user named them: a group with others is not what was meant. */
  readonly areTargetsNamed: boolean;
  /** That the operator supports; empty where they are not known. */
  readonly installModes: readonly string[];
}
