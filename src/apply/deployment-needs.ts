import type { KubeClient, KubeObject } from '../kube/index.ts';
import { listInstalled } from './installed.ts';
import type { Inventory } from './inventory.ts';
import { installedObject } from './kind-watches.ts';
import type { Owner } from './ownership.ts';
import { type Need, needsOfInstallation, surroundingsOf } from './permissions/index.ts';
import { makePlan } from './plan.ts';

/** What is to be installed for whom. */
export interface NeedsRequest {
  readonly kube: KubeClient;
  readonly owner: Owner;
  readonly objects: readonly KubeObject[];
  readonly recorded: Inventory | undefined;
  readonly installNamespace: string | undefined;
  readonly systemNamespace: string;
  readonly signal: AbortSignal;
}

/** What an installation would take, the end of what is installed now included; `kube` only reads.
 *  @throws InstallBlocked, InstallRefused when the bundle cannot be installed at all */
export async function readNeeds(request: NeedsRequest): Promise<readonly Need[]> {
  const { kube, owner, objects, recorded, installNamespace, systemNamespace, signal } = request;
  const defaultNamespace = installNamespace ?? systemNamespace;
  const plan = await makePlan({ kube, owner, defaultNamespace, signal }, objects);
  const installed = recorded === undefined ? [] : await listInstalled({ kube, signal }, owner.name, recorded);
  const present = installed.map((object) => installedObject(object));
  return await needsOfInstallation(surroundingsOf(kube, signal), { plan, present, installNamespace, defaultNamespace });
}
