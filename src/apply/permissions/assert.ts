import type { ServiceAccountName } from '../../api/index.ts';
import { TransientError } from '../../base/index.ts';
import { isNotFound, type KubeClient } from '../../kube/index.ts';
import { clientFor } from '../account.ts';
import type { Owner } from '../ownership.ts';
import { describeMissing, listMissing } from './describe.ts';
import { findMissing } from './held.ts';
import type { Need } from './need.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';

/** The deployment's service account may not do everything that is to be done: nothing was changed. */
export class PermissionsMissing extends TransientError {
  /** Roles and bindings of these namespaces, and of the whole cluster, may change that. */
  readonly namespaces: ReadonlySet<string>;

  constructor(message: string, namespaces: ReadonlySet<string>) {
    super('PermissionsMissing', message);
    this.namespaces = namespaces;
  }
}

interface Context {
  /** With our own permissions. */
  readonly platform: KubeClient;
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

async function assertThere({ platform, signal }: Context, { namespace, name }: ServiceAccountName): Promise<void> {
  try {
    await platform.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name }, { signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    const text = `serviceaccount "${name}" not found in namespace "${namespace}" (spec.config.serviceAccount): create it to continue`;
    throw new PermissionsMissing(text, new Set([namespace]));
  }
}

/** Asserts that the account of the owner, if any, exists and has all permissions.
 *  @throws PermissionsMissing with all missing permissions, as far as they can be read */
export async function assertPermissions(
  context: Context,
  needsIn: (surroundings: Surroundings) => Promise<readonly Need[]>,
): Promise<void> {
  const { platform, owner, signal } = context;
  const { account } = owner;
  if (account === undefined) return;
  await assertThere(context, account);
  const needs = await needsIn(surroundingsOf(platform, signal));
  const missing = await findMissing({ kube: clientFor(platform, owner), signal }, needs);
  const lines = describeMissing(missing);
  if (lines.length === 0) return;
  const head = `serviceaccount "${account.namespace}/${account.name}" lacks permissions, so nothing was changed; missing`;
  const how = `longshore permissions bd/${owner.name} prints all required permissions as manifests`;
  const namespaces = new Set([account.namespace, ...missing.map((one) => one.namespace)]);
  throw new PermissionsMissing(`${head}: ${listMissing(lines)} (${how})`, namespaces);
}
