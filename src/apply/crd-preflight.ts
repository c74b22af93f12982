import type { JsonObject } from '../base/index.ts';
import { checkCrdChange, describeFindings, howToIgnore, type ReadObjects, readSwitches } from '../crd-safety/index.ts';
import { describeRef, type KubeClient, type KubeObject, refOf } from '../kube/index.ts';
import type { CrdWatch } from './crds.ts';
import type { Problem } from './problems.ts';

/** What changes of CRDs are held to. */
export interface CrdSafety {
  /** Of the BundleDeployment: they may switch checks off for all its CRDs. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** The revision is the previous one: only harm to stored data counts. */
  readonly isRestored: boolean;
}

/** What the check of a CRD needs. */
export interface CrdPreflightContext {
  readonly kube: KubeClient;
  readonly crds: Pick<CrdWatch, 'isUnchanged'>;
  readonly crdSafety: CrdSafety;
  readonly signal: AbortSignal;
}

/** For reading all objects of one CRD. */
const readDeadlineMs = 60_000;

async function* readObjects(
  kube: KubeClient,
  target: { readonly apiVersion: string; readonly kind: string },
  options: { readonly signal: AbortSignal },
): AsyncGenerator<readonly JsonObject[]> {
  for await (const { items } of kube.listPages(target, options)) yield items as unknown as readonly JsonObject[];
}

/** Why a CRD must not become what a dry run made of it; undefined when it may. The CRD and its objects are read only if its spec changes.
 *  @throws TransientError, TerminalError when the CRD cannot be read */
export async function crdProblem(context: CrdPreflightContext, desired: KubeObject): Promise<Problem | undefined> {
  const { kube, crdSafety, signal } = context;
  if (context.crds.isUnchanged(desired)) return undefined;
  const existing = await kube.get(refOf(desired), { signal });
  const change = { before: existing as unknown as JsonObject, after: desired as unknown as JsonObject };
  const switches = readSwitches(desired.metadata.annotations, crdSafety.annotations);
  const read: ReadObjects = (target, options) => readObjects(kube, target, options);
  const { isRestored } = crdSafety;
  const findings = await checkCrdChange(change, { switches, read, deadlineMs: readDeadlineMs, isRestored, signal });
  if (findings.length === 0) return undefined;
  const checks = findings.map(({ check }) => check);
  const how = howToIgnore(checks, 'BundleDeployment or the CustomResourceDefinition');
  const lines = [describeFindings(change, findings), how, ...switches.warnings];
  const message = `${describeRef(refOf(desired))}: ${lines.join('\n')}`;
  return { message, isTransient: findings.some(({ isStatic }) => !isStatic) };
}
