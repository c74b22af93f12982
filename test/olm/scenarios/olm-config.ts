import type { JsonObject } from '../../../src/base/index.ts';
import { apply, crd, csv, csvTarget, group, rest, succeeded } from '../objects.ts';
import type { Action, Scenario, Target } from '../scenario.ts';

const version1 = 'boat.v0.1.0';
const configTarget: Target = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', name: 'cluster' };
const config = (features: JsonObject): JsonObject => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OLMConfig',
  // Names the scenario that it belongs to.
  metadata: { name: 'cluster', annotations: { scenario: '$id' } },
  spec: { features },
});
const isDisabled = (disableCopiedCSVs: boolean): Action => ({
  patch: configTarget,
  merge: { spec: { features: { disableCopiedCSVs } } },
});
const global = apply(group({ targets: [] }), crd(), csv());
const isAlone = true;

/** The configuration of the whole cluster. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'E-064a',
    title: 'copies are disabled, then enabled again',
    namespaces: ['a', 'b'],
    isAlone,
    actions: [
      ...apply(config({ disableCopiedCSVs: false })),
      ...global,
      rest('enabled', succeeded()),
      isDisabled(true),
      rest('disabled', { of: csvTarget(version1, 'b'), isAbsent: true }),
      isDisabled(false),
      rest('enabled again', { of: csvTarget(version1, 'b'), is: 'Succeeded' }),
    ],
  },
  {
    id: 'E-064b',
    title: 'copies are disabled before anything is installed',
    namespaces: ['a', 'b'],
    isAlone,
    actions: [
      ...apply(config({ disableCopiedCSVs: true })),
      rest('disabled'),
      ...global,
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-064c',
    title: 'copies are disabled, and a group is not global',
    namespaces: ['a', 'b'],
    isAlone,
    actions: [
      ...apply(config({ disableCopiedCSVs: true })),
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-064d',
    title: 'a cluster has an OLMConfig and nothing else',
    namespaces: ['a'],
    isAlone,
    actions: [
      ...apply(config({})),
      rest('empty'),
      { try: 'interval', apply: config({ packageServerSyncInterval: 'soon' }) },
      { try: 'name', apply: { ...config({}), metadata: { name: 'other' } } },
      rest('tried'),
    ],
  },
];
