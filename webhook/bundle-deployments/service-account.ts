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
  /** It is for other provisioners, which have no service account. */
  readonly isOfOthers: boolean;
}

/** Facts about the user. */
export interface AccountFacts {
  /** Every deployment must name an account. */
  readonly isRequired: boolean;
  /** May impersonate the account, or do everything where the change removes the account. */
  readonly isPermitted: boolean;
  /** May also impersonate the former account; or do everything, where an account takes the place of the permissions of the provisioners. */
  readonly mayReplace: boolean;
}

function quoted({ namespace, name }: ServiceAccountName): string {
  return `"${namespace}/${name}"`;
}

function needed({ namespace, name }: ServiceAccountName): string {
  return `allow the verb "impersonate" on serviceaccounts "${name}" in namespace "${namespace}"`;
}

function whyNotUsed({ field, account }: AccountChange): string {
  const path = field.replace(/^[a-z]+\./, '');
  if (account === undefined) {
    return `may not remove ${path}: without it, the permissions of the provisioners apply, which requires permission to do everything; specify another account`;
  }
  return `may not impersonate serviceaccount ${quoted(account)} (${path}): ${needed(account)}, or specify another account`;
}

function whyNotReplaced({ field, oldAccount }: AccountChange): string {
  const head = `may not change ${field.replace(/^[a-z]+\./, '')}: what is installed was installed with`;
  if (oldAccount === undefined)
    return `${head} the permissions of the provisioners, which requires permission to do everything`;
  return `${head} serviceaccount ${quoted(oldAccount)}, which the user may not impersonate: ${needed(oldAccount)}`;
}

/** A user who controls a deployment uses the permissions of its account, and must be allowed to impersonate it; and, to replace it, the one before. */
export function serviceAccount(
  change: AccountChange,
  { isRequired, isPermitted, mayReplace }: AccountFacts,
): AdmissionResult {
  const { username, field, account, isControlChanged } = change;
  if (!isControlChanged) return allowed;
  if (account === undefined && isRequired) {
    return forbid(`${field} must be set: the namespace and name of a service account that you may impersonate`);
  }
  const who = `user ${JSON.stringify(username.slice(0, 200))}`;
  if (!isPermitted) return forbid(`${who} ${whyNotUsed(change)}`);
  return mayReplace ? allowed : forbid(`${who} ${whyNotReplaced(change)}`);
}
