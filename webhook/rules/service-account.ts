import type { ServiceAccountName } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, forbid } from './rule.ts';

/** A change of what a BundleDeployment does, and who makes it. */
export interface AccountChange {
  readonly username: string;
  /** The account of the deployment; undefined: the permissions of the provisioners. */
  readonly account: ServiceAccountName | undefined;
  readonly oldAccount: ServiceAccountName | undefined;
  /** Every deployment is to name one. */
  readonly isRequired: boolean;
  readonly mayImpersonate: (account: ServiceAccountName) => Promise<boolean>;
  readonly mayDoEverything: () => Promise<boolean>;
}

/** A user who controls a deployment uses the permissions of its account, and must be allowed to impersonate it. */
export async function serviceAccount(change: AccountChange): Promise<AdmissionResult> {
  const { username, account, oldAccount, isRequired } = change;
  const who = `user ${JSON.stringify(username.slice(0, 200))}`;
  if (account !== undefined) {
    if (await change.mayImpersonate(account)) return allowed;
    const { namespace, name } = account;
    const needed = `allow the verb "impersonate" on serviceaccounts "${name}" in namespace "${namespace}", or specify another account`;
    return forbid(
      `${who} may not impersonate serviceaccount "${namespace}/${name}" (spec.config.serviceAccount): ${needed}`,
    );
  }
  if (isRequired) {
    const text = 'bundledeployment.spec.config.serviceAccount must be set: the namespace and name of a service account';
    return forbid(`${text} that you may impersonate`);
  }
  if (oldAccount === undefined || (await change.mayDoEverything())) return allowed;
  const text = 'may not remove spec.config.serviceAccount: without it, the permissions of the';
  return forbid(
    `${who} ${text} provisioners apply, which requires permission to do everything; specify another account`,
  );
}
