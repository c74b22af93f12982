import {
  clusterExtensionResource,
  extensionChoiceAnnotation,
  group,
  platformChoiceAnnotation,
  platformOperatorResource,
  platformPackageLabel,
  readDeploymentConfig,
  type ServiceAccountName,
} from '../../src/api/index.ts';
import {
  isJsonEqual,
  type JsonObject,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
  valueAt,
} from '../../src/base/index.ts';
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

const ownerKinds: ReadonlySet<string> = new Set([clusterExtensionResource.kind, platformOperatorResource.kind]);

/** By what ClusterExtensions and PlatformOperators recognize their BundleDeployments, whose content they choose. */
function claimsOf(deployment: JsonObject | undefined): readonly string[] {
  const metadata = objectAt(deployment, 'metadata');
  const owners = objectsAt(metadata, 'ownerReferences').filter((owner) => ownerKinds.has(textAt(owner, 'kind')));
  const marks = [
    [platformPackageLabel, objectAt(metadata, 'labels')],
    [platformChoiceAnnotation, objectAt(metadata, 'annotations')],
    [extensionChoiceAnnotation, objectAt(metadata, 'annotations')],
  ] as const;
  return [
    ...owners.map(
      (owner) => `${textAt(owner, 'kind')} ${textAt(owner, 'uid')} ${String(owner['controller'] === true)}`,
    ),
    ...marks.flatMap(([key, texts]) => (texts?.[key] === undefined ? [] : [`${key} ${textAt(texts, key)}`])),
  ];
}

/** Whether the fields that control a deployment change, or another object claims it. A claim that ends, as with an owner that the garbage collector
 *  removes, changes nothing. */
function isControlChanged({ object, oldObject }: ReviewRequest): boolean {
  if (oldObject === undefined || !isJsonEqual(controlOf(object), controlOf(oldObject))) return true;
  const before = new Set(claimsOf(oldObject));
  return claimsOf(object).some((claim) => !before.has(claim));
}

/** The account of a BundleDeployment before and after a request. */
export function accountChangeOf(request: ReviewRequest): AccountChange {
  const { object, oldObject, user } = request;
  return {
    username: textAt(user, 'username'),
    field: 'bundledeployment.spec.config.serviceAccount',
    account: accountOf(object),
    oldAccount: accountOf(oldObject),
    isControlChanged: isControlChanged(request),
    isOfOthers: findFormat(textAt(objectAt(object, 'spec'), 'provisionerClassName')) === undefined,
  };
}

/** Asks the API server for the permissions that a change requires of its user, if any. */
export async function readAccountFacts(
  request: ReviewRequest,
  change: AccountChange,
  context: ReviewContext,
): Promise<AccountFacts> {
  const { isControlChanged: isChanged, isOfOthers } = change;
  const isRequired = context.isAccountRequired && !isOfOthers;
  const isPermitted =
    !isChanged || (await mayUseAccount(request, change, { ...context, isAccountRequired: isRequired }));
  const mayReplace = !isChanged || (await mayReplaceAccount(request, change, context));
  return { isRequired, isPermitted, mayReplace };
}

const everything = { verb: '*', group: '*', version: '*', resource: '*' };

async function mayImpersonate(
  { user }: ReviewRequest,
  account: ServiceAccountName,
  { facts, signal }: ReviewContext,
): Promise<boolean> {
  const attributes = { verb: 'impersonate', resource: 'serviceaccounts', ...account };
  return await facts.mayDo(user, attributes, { signal });
}

async function mayUseAccount(
  request: ReviewRequest,
  { account, oldAccount }: AccountChange,
  context: ReviewContext,
): Promise<boolean> {
  if (account !== undefined) return await mayImpersonate(request, account, context);
  if (context.isAccountRequired || oldAccount === undefined) return true;
  return await context.facts.mayDo(request.user, everything, { signal: context.signal });
}

/** What was installed with the former account is used for the new one: passwords that a chart made up, what its templates look up, values in the hooks of
 *  its removal. That a BundleDeployment passes to another class of provisioners, and back, makes no difference. */
async function mayReplaceAccount(
  request: ReviewRequest,
  { account, oldAccount }: AccountChange,
  context: ReviewContext,
): Promise<boolean> {
  if (request.oldObject === undefined || account === undefined || isJsonEqual({ ...account }, { ...oldAccount }))
    return true;
  if (oldAccount !== undefined) return await mayImpersonate(request, oldAccount, context);
  return (
    !context.isAccountRequired || (await context.facts.mayDo(request.user, everything, { signal: context.signal }))
  );
}
