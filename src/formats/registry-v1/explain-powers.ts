import { type JsonObject, listOfTexts } from '../../base/index.ts';

/** What an account may do that deserves a second look, in one namespace or in the whole cluster. */
export interface ExplainedPower {
  /** `may read Secrets` */
  readonly power: string;
  readonly account: string;
  /** `cluster`, or a namespace. */
  readonly scope: string;
  /** The names that it is limited to; empty: all of them. */
  readonly names: readonly string[];
}

/** A rule of RBAC. Lists that are none are empty. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of one account in one scope. */
export interface Grant {
  readonly account: string;
  readonly scope: string;
  readonly rules: readonly Rule[];
  /** Roles that are not the bundle's, in words. */
  readonly foreign: readonly string[];
}

interface Power {
  readonly text: string;
  /** What gives it: one of the verbs on one of the resources of the group. */
  readonly by: readonly (readonly [group: string, resources: readonly string[], verbs: readonly string[]])[];
}

const rbac = 'rbac.authorization.k8s.io';
const writing = ['create', 'update', 'patch'];
const changing = [...writing, 'delete', 'deletecollection'];
const reading = ['get', 'list', 'watch'];

/** The most dangerous first. */
const powers: readonly Power[] = [
  { text: 'may grant itself any permission', by: [[rbac, ['clusterroles', 'roles'], ['escalate', 'bind']]] },
  {
    text: 'may impersonate other users',
    by: [
      ['', ['users', 'groups', 'serviceaccounts'], ['impersonate']],
      ['authentication.k8s.io', ['uids', 'userextras'], ['impersonate']],
    ],
  },
  { text: 'may read Secrets', by: [['', ['secrets'], reading]] },
  { text: 'may change Secrets', by: [['', ['secrets'], changing]] },
  { text: 'may create tokens of service accounts', by: [['', ['serviceaccounts/token'], ['create']]] },
  {
    text: 'may approve user certificates',
    by: [
      ['certificates.k8s.io', ['certificatesigningrequests/approval'], ['update', 'patch']],
      ['certificates.k8s.io', ['signers'], ['approve', 'sign']],
    ],
  },
  {
    text: 'may grant its permissions to others',
    by: [[rbac, ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'], writing]],
  },
  {
    text: 'may change admission webhooks',
    by: [
      ['admissionregistration.k8s.io', ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'], changing],
    ],
  },
  {
    text: 'may run commands in Pods',
    by: [
      ['', ['pods/exec', 'pods/attach'], ['create', 'get']],
      ['', ['pods/ephemeralcontainers'], ['update', 'patch']],
    ],
  },
  { text: 'may access the kubelets of nodes', by: [['', ['nodes/proxy'], ['get', 'create']]] },
  { text: 'may change nodes', by: [['', ['nodes'], changing]] },
  {
    text: 'may use or change SecurityContextConstraints',
    by: [['security.openshift.io', ['securitycontextconstraints'], ['use', ...changing]]],
  },
  {
    text: 'may change APIs (CustomResourceDefinitions)',
    by: [['apiextensions.k8s.io', ['customresourcedefinitions'], changing]],
  },
  { text: 'may create PersistentVolumes, which can expose files of nodes', by: [['', ['persistentvolumes'], writing]] },
  { text: 'may delete namespaces', by: [['', ['namespaces'], ['delete', 'deletecollection']]] },
  {
    text: 'may run Pods as any service account',
    by: [
      ['', ['pods', 'replicationcontrollers'], writing],
      ['apps', ['deployments', 'daemonsets', 'statefulsets', 'replicasets'], writing],
      ['batch', ['jobs', 'cronjobs'], writing],
    ],
  },
];

/** Reads a rule of a role. */
export function readRule(rule: JsonObject): Rule {
  return {
    verbs: listOfTexts(rule, 'verbs'),
    apiGroups: listOfTexts(rule, 'apiGroups'),
    resources: listOfTexts(rule, 'resources'),
    resourceNames: listOfTexts(rule, 'resourceNames'),
    nonResourceURLs: listOfTexts(rule, 'nonResourceURLs'),
  };
}

function covers(list: readonly string[], required: readonly string[]): boolean {
  return list.some((item) => item === '*' || required.includes(item));
}

function gives(rule: Rule, { by }: Power): boolean {
  return by.some(
    ([group, resources, verbs]) =>
      covers(rule.apiGroups, [group]) && covers(rule.resources, resources) && covers(rule.verbs, verbs),
  );
}

function isEverything({ apiGroups, resources, verbs }: Rule): boolean {
  return [apiGroups, resources, verbs].every((list) => list.includes('*'));
}

function powerIn({ account, scope }: Grant, power: string, by: readonly Rule[]): readonly ExplainedPower[] {
  if (by.length === 0) return [];
  const isLimited = by.every(({ resourceNames }) => resourceNames.length > 0);
  const names = isLimited ? [...new Set(by.flatMap(({ resourceNames }) => resourceNames))].sort() : [];
  return [{ power, account, scope, names }];
}

/** Dangerous permissions of the grants: the whole cluster before namespaces, the most dangerous first. "May do everything" is
 *  reported alone. */
export function powersOf(grants: readonly Grant[]): readonly ExplainedPower[] {
  const found = grants.flatMap((grant) => {
    const all = powerIn(grant, 'may do everything', grant.rules.filter(isEverything));
    if (all.length > 0) return all;
    return powers.flatMap((power) =>
      powerIn(
        grant,
        power.text,
        grant.rules.filter((rule) => gives(rule, power)),
      ),
    );
  });
  const order = ['may do everything', ...powers.map(({ text }) => text)];
  const rank = ({ power, scope }: ExplainedPower): number =>
    order.indexOf(power) + (scope === 'cluster' ? 0 : order.length);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a rule gives something that deserves a second look. */
export function isPowerful(rule: Rule): boolean {
  return isEverything(rule) || powers.some((power) => gives(rule, power));
}
