import { group, readDeploymentConfig, type ServiceAccountName } from '../src/api/index.ts';
import { isJsonEqual, type JsonObject, objectAt, TerminalError, textAt, valueAt } from '../src/base/index.ts';
import { findFormat } from '../src/formats/index.ts';
import type { FactsReader } from './facts.ts';
import type { ReviewRequest } from './review.ts';
import { type AdmissionResult, allowed } from './rules/rule.ts';
import { serviceAccount } from './rules/service-account.ts';

interface Context {
  readonly facts: FactsReader;
  readonly isAccountRequired: boolean;
  readonly signal: AbortSignal;
}

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
function reviewedFieldsOf(deployment: JsonObject | undefined): JsonObject {
  const annotations = Object.entries(objectAt(deployment, 'metadata', 'annotations') ?? {});
  const own = annotations.filter(([key]) => key.startsWith(`${group}/`));
  return { spec: valueAt(deployment, 'spec') ?? null, annotations: Object.fromEntries(own) };
}

/** A user who creates or changes a deployment must be allowed to use its account. Labels, finalizers and other metadata
 *  may be changed by anyone who may write them. */
export async function checkAccount(request: ReviewRequest, context: Context): Promise<AdmissionResult> {
  const { object, oldObject, user } = request;
  if (oldObject !== undefined && isJsonEqual(reviewedFieldsOf(object), reviewedFieldsOf(oldObject))) return allowed;
  const { facts, signal } = context;
  const isOurs = findFormat(textAt(objectAt(object, 'spec'), 'provisionerClassName')) !== undefined;
  return await serviceAccount({
    username: textAt(user, 'username'),
    account: accountOf(object),
    oldAccount: accountOf(oldObject),
    isRequired: context.isAccountRequired && isOurs,
    mayImpersonate: ({ namespace, name }) =>
      facts.mayDo(user, { verb: 'impersonate', resource: 'serviceaccounts', namespace, name }, { signal }),
    mayDoEverything: () => facts.mayDo(user, { verb: '*', group: '*', version: '*', resource: '*' }, { signal }),
  });
}
