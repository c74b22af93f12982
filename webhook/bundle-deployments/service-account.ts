import type { ServiceAccountName } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, forbid } from '../review/result.ts';

/** A change of what a BundleDeployment or ClusterExtension does, and the user who makes it. */
export interface AccountChange {
  readonly username: string;
  /** Where the account is named: `bundledeployment.spec.config.serviceAccount`. */
  readonly field: string;
  /** The account of the deployment; undefined: the permissions of the provisioners. */
  readonly account: ServiceAccountName | undefined;
  readonly oldAccount: ServiceAccountName | undefined;
  /** Whether the spec or annotations that control it change. Labels, finalizers and other metadata may be changed by every user who may write them. */
  readonly isControlChanged: boolean;
}

/** Facts about the user. */
export interface AccountFacts {
  /** Every deployment must name an account. */
  readonly isRequired: boolean;
  /** May impersonate the account, or do everything where the change removes the account. */
  readonly isPermitted: boolean;
}

/** A user who controls a deployment uses the permissions of its account, and must be allowed to impersonate it. */
export function serviceAccount(
  { username, field, account, isControlChanged }: AccountChange,
  { isRequired, isPermitted }: AccountFacts,
): AdmissionResult {
  if (!isControlChanged) return allowed;
  if (account === undefined && isRequired) {
    return forbid(`${field} must be set: the namespace and name of a service account that you may impersonate`);
  }
  if (isPermitted) return allowed;
  const who = `user ${JSON.stringify(username.slice(0, 200))}`;
  const path = field.replace(/^[a-z]+\./, '');
  if (account !== undefined) {
    const { namespace, name } = account;
    const needed = `allow the verb "impersonate" on serviceaccounts "${name}" in namespace "${namespace}", or specify another account`;
    return forbid(`${who} may not impersonate serviceaccount "${namespace}/${name}" (${path}): ${needed}`);
  }
  const text = `may not remove ${path}: without it, the permissions of the`;
  return forbid(
    `${who} ${text} provisioners apply, which requires permission to do everything; specify another account`,
  );
}
