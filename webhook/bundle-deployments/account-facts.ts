import { group, readDeploymentConfig, type ServiceAccountName } from '../../src/api/index.ts';
import { isJsonEqual, type JsonObject, objectAt, TerminalError, textAt, valueAt } from '../../src/base/index.ts';
import { findFormat } from '../../src/formats/index.ts';
import type { ReviewRequest } from '../review/request.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';
import type { AccountChange, AccountFacts } from './service-account.ts';

/** Unknown fields of a configuration belong to another provisioner, or the rule for its form denies them. */
function accountOf(deployment: JsonObject | undefined): ServiceAccountName | undefined {
  try {
    return readDeploymentConfig(objectAt(deployment, 'spec', 'config')).serviceAccount;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** All fields that control what is done for a deployment: its spec, and annotations that change how. */
function controlOf(deployment: JsonObject | undefined): JsonObject {
  const annotations = Object.entries(objectAt(deployment, 'metadata', 'annotations') ?? {});
  const own = annotations.filter(([key]) => key.startsWith(`${group}/`));
  return { spec: valueAt(deployment, 'spec') ?? null, annotations: Object.fromEntries(own) };
}

/** The account of a BundleDeployment before and after a request. */
export function accountChangeOf({ object, oldObject, user }: ReviewRequest): AccountChange {
  return {
    username: textAt(user, 'username'),
    field: 'bundledeployment.spec.config.serviceAccount',
    account: accountOf(object),
    oldAccount: accountOf(oldObject),
    isControlChanged: oldObject === undefined || !isJsonEqual(controlOf(object), controlOf(oldObject)),
  };
}

/** The same for a BundleDeployment, as far as it is for one of our formats. */
export async function readAccountFacts(
  request: ReviewRequest,
  change: AccountChange,
  context: ReviewContext,
): Promise<AccountFacts> {
  const isOurs = findFormat(textAt(objectAt(request.object, 'spec'), 'provisionerClassName')) !== undefined;
  return await readPermissions(request, change, { ...context, isAccountRequired: context.isAccountRequired && isOurs });
}

/** Asks the API server for the permissions that a change requires of its user, if any. */
export async function readPermissions(
  { user }: ReviewRequest,
  { account, oldAccount, isControlChanged }: AccountChange,
  { facts, isAccountRequired: isRequired, signal }: ReviewContext,
): Promise<AccountFacts> {
  const isPermitted = async (): Promise<boolean> => {
    if (!isControlChanged) return true;
    if (account !== undefined) {
      const attributes = { verb: 'impersonate', resource: 'serviceaccounts', ...account };
      return await facts.mayDo(user, attributes, { signal });
    }
    if (isRequired || oldAccount === undefined) return true;
    return await facts.mayDo(user, { verb: '*', group: '*', version: '*', resource: '*' }, { signal });
  };
  return { isRequired, isPermitted: await isPermitted() };
}
