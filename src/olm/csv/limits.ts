import type { ClusterServiceVersion } from '../../api/index.ts';
import { type Move, move } from './decision.ts';

type Spec = ClusterServiceVersion['spec'];

/** Far more than any operator has that is published; each is an object that is written, or a row of the status. */
const limits: readonly (readonly [what: string, most: number, countOf: (spec: Spec) => number])[] = [
  ['deployments', 100, ({ install }) => install.spec?.deployments.length ?? 0],
  ['webhookdefinitions', 200, ({ webhookdefinitions = [] }) => webhookdefinitions.length],
  [
    'conversionCRDs of webhooks',
    2_000,
    ({ webhookdefinitions = [] }) =>
      webhookdefinitions.reduce((sum, { conversionCRDs = [] }) => sum + conversionCRDs.length, 0),
  ],
  ['owned APIServices', 200, ({ apiservicedefinitions }) => apiservicedefinitions?.owned?.length ?? 0],
  ['required APIServices', 500, ({ apiservicedefinitions }) => apiservicedefinitions?.required?.length ?? 0],
  ['nativeAPIs', 500, ({ nativeAPIs = [] }) => nativeAPIs.length],
  ['owned definitions', 2_000, ({ customresourcedefinitions }) => customresourcedefinitions?.owned?.length ?? 0],
  ['required definitions', 2_000, ({ customresourcedefinitions }) => customresourcedefinitions?.required?.length ?? 0],
  [
    'rules of permissions',
    3_000,
    ({ install: { spec } }) =>
      [...(spec?.permissions ?? []), ...(spec?.clusterPermissions ?? [])].reduce(
        (sum, { rules }) => sum + rules.length,
        0,
      ),
  ],
];

/** What an operator has too many of to be installed; undefined where it is within the limits. Those that are not would occupy the controller for others, and
 *  their status would not fit. */
export function excessOf({ spec }: ClusterServiceVersion): Move | undefined {
  for (const [what, most, countOf] of limits) {
    const count = countOf(spec);
    if (count <= most) continue;
    const message = `install strategy invalid: ${count} ${what}, at most ${most} are allowed: split the operator`;
    return move('Failed', 'InvalidInstallStrategy', message);
  }
  return undefined;
}
