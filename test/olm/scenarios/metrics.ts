import {
  catalog,
  catalogSource,
  connected,
  latest,
  sourceTarget,
  subscription,
  subscriptionTarget,
} from '../catalog-objects.ts';
import { apply, crd, csv, csvTarget, failed, group, rest, succeeded } from '../objects.ts';
import { clusterRole } from '../rbac-objects.ts';
import type { Scenario, Target } from '../scenario.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const first = { version: '0.1.0' };
const isAlone = true;
const operatorTarget: Target = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator', name: 'boat.$id-a' };
const shop = [...apply(group(), catalogSource('old')), rest('catalog', connected())];

/** Metrics, and Operator objects. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'C-067',
    title: 'CSVs, plans and Subscriptions are created and deleted, and counted',
    namespaces,
    isAlone,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { delete: subscriptionTarget() },
      { delete: csvTarget(version1) },
      { delete: sourceTarget() },
      rest('deleted', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'C-068',
    title: 'a CSV is replaced twice, and upgrades are counted',
    namespaces,
    isAlone,
    actions: [
      ...apply(group(), crd(), csv()),
      rest('first', succeeded()),
      ...apply(csv({ name: 'boat.v0.2.0', spec: { replaces: version1 } })),
      rest('second', { of: csvTarget(version1), isAbsent: true }),
      ...apply(csv({ name: 'boat.v0.3.0', spec: { replaces: 'boat.v0.2.0' } })),
      rest('third', { of: csvTarget('boat.v0.2.0'), isAbsent: true }),
    ],
  },
  {
    id: 'E-068a',
    title: 'a CSV fails, recovers and is deleted',
    namespaces,
    actions: [
      ...apply(crd(), csv()),
      rest('failed', failed()),
      ...apply(group()),
      rest('recovered', succeeded()),
      { delete: csvTarget(version1) },
      rest('deleted'),
    ],
  },
  {
    id: 'E-068b',
    title: 'OLM is restarted beside a CSV that fails and one that does not',
    namespaces,
    isAlone,
    actions: [
      ...apply(group(), crd(), csv(), csv({ name: 'dock.v0.1.0', kind: 'Dock' })),
      rest('before', succeeded()),
      { restart: true },
      rest('after'),
    ],
  },
  {
    id: 'E-069a',
    title: 'the channel and the approval of a Subscription change, then it is deleted',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { patch: subscriptionTarget(), merge: { spec: { installPlanApproval: 'Manual' } } },
      rest('changed'),
      { delete: subscriptionTarget() },
      rest('deleted'),
    ],
  },
  {
    id: 'E-069b',
    title: 'a catalog is connected, loses its address and is deleted',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply(catalogSource('old')),
      rest('connected', connected()),
      { patch: sourceTarget(), merge: { spec: { address: '127.0.0.1:1' } } },
      rest('lost'),
      { delete: sourceTarget() },
      rest('deleted'),
    ],
  },
  {
    id: 'E-070a',
    title: 'an operator is installed by a Subscription, and its Operator object is deleted',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { delete: operatorTarget },
      rest('created again'),
      { delete: subscriptionTarget() },
      { delete: csvTarget(version1) },
      rest('uninstalled'),
    ],
  },
  {
    id: 'E-070b',
    title: 'a user labels objects as components of an operator',
    namespaces,
    actions: [
      ...apply({ apiVersion: 'operators.coreos.com/v1', kind: 'Operator', metadata: { name: 'boat.$id-a' } }),
      ...apply(
        ...clusterRole([]).map((object) => ({
          ...object,
          metadata: { name: '$id-boat', labels: { 'operators.coreos.com/boat.$id-a': '' } },
        })),
      ),
      rest('labelled'),
      { delete: operatorTarget },
      rest('deleted'),
    ],
  },
  {
    id: 'E-065',
    title: 'the CRD that owns ClusterRoles is deleted',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv()),
      rest('installed', succeeded()),
      { delete: csvTarget(version1) },
      rest('CSV deleted'),
      {
        delete: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          name: 'boats.$id.example.com',
        },
      },
      rest('CRD deleted'),
    ],
  },
];
