import type { Subscription } from '../api/index.ts';

type SubscriptionCondition = NonNullable<NonNullable<Subscription['status']>['conditions']>[number];

const adviceOfGroups = {
  NoOperatorGroup: 'create an OperatorGroup in the namespace',
  TooManyOperatorGroups: 'delete all OperatorGroups of the namespace but one',
} as const;

const adviceByType: Readonly<Record<string, string>> = {
  ResolutionFailed:
    'correct the Subscription or what it depends on; the catalogs are resolved again as soon as one of them changes',
  BundleUnpackFailed: 'see that the image of the bundle can be pulled; it is tried again after some minutes',
  InstallPlanMissing: 'a new InstallPlan is made at the next resolution',
};

/** What a resolution failed for, by a text that its message has. */
const resolutionAdvice: readonly (readonly [RegExp, string])[] = [
  [/found 0 operatorGroups/i, adviceOfGroups.NoOperatorGroup],
  [/found \d+ operatorGroups/i, adviceOfGroups.TooManyOperatorGroups],
  [
    /no operators found in package/,
    'correct spec.name of the Subscription: longshore operator list-available lists packages',
  ],
  [
    /no operators found in channel/,
    'correct spec.channel of the Subscription: longshore operator list-available PACKAGE lists channels',
  ],
  [/no operators found with name/, 'correct spec.startingCSV of the Subscription, or remove it'],
  [/error using catalogsource/, 'repair or remove that catalog: longshore operator catalog list shows what is wrong'],
  [
    /exists and is not referenced by a subscription/,
    'a ClusterServiceVersion without a Subscription is in the way: delete it, or wait for the upgrade that is under way',
  ],
  [
    /requires an operator/,
    'add a catalog that has the required operator: longshore operator catalog add; or install it first',
  ],
];

/** What a user can do about a condition of a Subscription. */
export function adviceOf({ type, message = '' }: SubscriptionCondition): string | undefined {
  const specific =
    type === 'ResolutionFailed' ? resolutionAdvice.find(([pattern]) => pattern.test(message)) : undefined;
  if (type === 'InstallPlanFailed') return adviceOfFailure(message);
  return specific?.[1] ?? adviceByType[type];
}

const podAdvice = 'see why the Pods of the Deployment are not ready: kubectl describe pods';

/** What a user can do about a reason of a ClusterServiceVersion. */
export const adviceByReason: Readonly<Record<string, string>> = {
  RequirementsNotMet:
    'create what is missing, install the operator that provides it, or upgrade a cluster that is too old; it is checked again by itself',
  ...adviceOfGroups,
  UnsupportedOperatorGroup: 'change the target namespaces of the OperatorGroup to what the operator supports',
  NoTargetNamespaces: 'make the OperatorGroup select at least one namespace',
  InterOperatorGroupOwnerConflict:
    'another operator provides the same APIs in a namespace that both watch: remove one, or narrow the OperatorGroup of one',
  CannotModifyStaticOperatorGroupProvidedAPIs: 'add the APIs to the annotation olm.providedAPIs of the OperatorGroup',
  OperatorConditionNotUpgradeable:
    'the installed version asks not to be replaced now: wait, or override its OperatorCondition',
  OwnerConflict: 'another operator owns the API: remove one of the two',
  InstallCheckFailed: podAdvice,
  ComponentUnhealthy: podAdvice,
  InstallComponentFailedNoRetry: 'grant the service account of the OperatorGroup what it lacks',
};

/** What a user can do about a CatalogSource that cannot be read. */
export const catalogAdvice =
  'correct the CatalogSource: its image or address, or the pull secrets in spec.secrets; it is tried again by itself';

const removePlan = 'then delete the InstallPlan, and the ClusterServiceVersion if there is one: a new plan is made';

/** What a plan failed for, by a text that its message has. */
const failureAdvice: readonly (readonly [RegExp, string])[] = [
  [/api-server resource not found/, `install what defines this kind first, ${removePlan}`],
  [/validating existing CRs/, `correct the custom resources that the new schema refuses, ${removePlan}`],
  [
    /risk of data loss/,
    `migrate the stored objects to a version that stays, and remove the other from status.storedVersions, ${removePlan}`,
  ],
  [/forbidden/i, 'grant the service account of the OperatorGroup what it lacks: the plan is executed again by itself'],
];

/** What a user can do about an InstallPlan that failed with this message. */
export function adviceOfFailure(message: string): string {
  return failureAdvice.find(([pattern]) => pattern.test(message))?.[1] ?? `remove the cause, ${removePlan}`;
}

/** What a user can do about an InstallPlan that is approved, and not executed. */
export const planAdvice =
  'the namespace needs exactly one OperatorGroup, and the service account that it names must exist; it is checked again by itself';
