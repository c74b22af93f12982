import { type BundleDeployment, parseBundleDeployment } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { type Condition, type KubeObject, setCondition } from '../../src/kube/index.ts';
import { type ProvisionerContext, writeStatus } from '../context.ts';
import { bundlesOf } from '../owned-bundles.ts';
import type { ConditionChange } from './conditions.ts';

/** What a reconcile asks of those who wait. */
export interface DeploymentHooks {
  /** The deployment waits for something that belongs to others; called with false once it does not. */
  readonly setBlocked: (name: string, isBlocked: boolean) => void;
  /** The stored content of the Bundle is gone. */
  readonly onContentLost: (bundleName: string) => void;
}

/** One reconcile of one BundleDeployment. */
export interface DeploymentRun {
  readonly context: ProvisionerContext;
  readonly hooks: DeploymentHooks;
  /** As it was read, or as our last write of it left it. */
  object: KubeObject;
  /** The Bundle of the template, once it is found or made. */
  bundle?: KubeObject;
}

/** The deployment, typed. */
export function deploymentOf(run: DeploymentRun): BundleDeployment {
  return parseBundleDeployment(run.object);
}

/** The Bundles that were made for the deployment. */
export function ownedBundles({ context, object }: DeploymentRun): readonly KubeObject[] {
  return bundlesOf(context, object);
}

/** Name of the Bundle that was installed last with success; empty before the first. */
export function activeOf(run: DeploymentRun): string {
  return deploymentOf(run).status?.activeBundle ?? '';
}

/** Writes what is new of the conditions, and the active Bundle, into the status. */
export async function report(
  run: DeploymentRun,
  changes: readonly ConditionChange[],
  options: { readonly signal: AbortSignal; readonly activeBundle?: string },
): Promise<void> {
  const { context, object } = run;
  const { status, metadata } = deploymentOf(run);
  const observedGeneration = metadata.generation ?? 0;
  let conditions: readonly Condition[] = status?.conditions ?? [];
  for (const change of changes) {
    conditions = setCondition(conditions, { ...change, observedGeneration }, context.clock.now());
  }
  const { activeBundle, signal } = options;
  const next = {
    observedGeneration,
    conditions: conditions as unknown as JsonObject[],
    ...(activeBundle === undefined ? {} : { activeBundle }),
  };
  run.object = await writeStatus({ kube: context.kube, cache: context.deployments, signal }, object, next);
}
