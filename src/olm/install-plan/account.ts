import { parseOperatorGroup } from '../../api/index.ts';
import { isNotFound } from '../../kube/index.ts';
import type { PlanContext } from './context.ts';

/** With whose permissions the steps of a namespace are applied. */
export type AccountResult =
  /** Undefined: with those of the controllers. */
  { readonly account: { readonly name: string; readonly uid: string } | undefined } | { readonly problem: string };

/** Asks the only OperatorGroup of the namespace. An account that does not exist has no permissions, though its bindings may.
 *  @see docs/spec/olm-v0.md#scoped-service-account */
export async function accountFor(context: PlanContext, namespace: string, signal: AbortSignal): Promise<AccountResult> {
  const groups = context.groups.inNamespace(namespace);
  const [first] = groups;
  if (first === undefined) return { problem: 'no operator group found that is managing this namespace' };
  if (groups.length > 1) {
    return { problem: `more than one operator group(s) are managing this namespace count=${groups.length}` };
  }
  const { metadata, spec } = parseOperatorGroup(first);
  const account = spec?.serviceAccountName ?? '';
  if (account === '') return { account: undefined };
  try {
    const live = await context.kube.get(
      { apiVersion: 'v1', kind: 'ServiceAccount', name: account, namespace },
      { signal },
    );
    const { uid = '', deletionTimestamp } = live.metadata;
    if (deletionTimestamp === undefined) return { account: { name: account, uid } };
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  const group = `${namespace}/${metadata.name}`;
  return { problem: `please make sure the service account exists. sa=${account} operatorgroup=${group}` };
}
