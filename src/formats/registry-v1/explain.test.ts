import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../test/support/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { type Explanation, explainBundle } from './explain.ts';
import { readRegistryBundle } from './read.ts';
import { renderBundle } from './render.ts';

interface Rules {
  readonly cluster?: readonly JsonObject[];
  readonly own?: readonly JsonObject[];
}

function rule(verbs: string, resources: string, group = ''): JsonObject {
  return { verbs: verbs.split(','), resources: resources.split(','), apiGroups: [group] };
}

function explained(
  { cluster = [], own = [] }: Rules,
  change: (csv: JsonObject) => void = () => undefined,
): Explanation {
  const csv = structuredClone(acmeCsv());
  const { install } = csv['spec'] as { install: { spec: JsonObject } };
  const account = 'acme-widget-controller';
  install.spec['clusterPermissions'] = [{ serviceAccountName: account, rules: [...cluster] }];
  install.spec['permissions'] = [{ serviceAccountName: account, rules: [...own] }];
  change(csv);
  const bundle = readRegistryBundle(registryFiles([csv]));
  const installNamespace = 'acme-widget-system';
  return explainBundle(bundle, renderBundle(bundle, { installNamespace, targetNamespaces: [installNamespace] }));
}

const shown = ({ warnings }: Explanation): readonly string[] =>
  warnings.filter((text) => text.startsWith('acme-widget-controller ')).map((text) => text.slice(23));
const rbac = 'rbac.authorization.k8s.io';

test.each([
  { of: rule('escalate', 'clusterroles', rbac), text: 'may grant itself any permission' },
  { of: rule('impersonate', 'users'), text: 'may impersonate other users' },
  { of: rule('list', 'secrets'), text: 'may read Secrets' },
  { of: rule('patch', 'secrets'), text: 'may change Secrets' },
  { of: rule('create', 'serviceaccounts/token'), text: 'may create tokens of service accounts' },
  { of: rule('create', 'rolebindings', rbac), text: 'may grant its permissions to others' },
  {
    of: rule('update', 'mutatingwebhookconfigurations', 'admissionregistration.k8s.io'),
    text: 'may change admission webhooks',
  },
  { of: rule('create', 'pods/exec'), text: 'may run commands in Pods' },
  { of: rule('get', 'nodes/proxy'), text: 'may access the kubelets of nodes' },
  { of: rule('patch', 'nodes'), text: 'may change nodes' },
  { of: rule('delete', 'namespaces'), text: 'may delete namespaces' },
  { of: rule('create', 'daemonsets', 'apps'), text: 'may run Pods as any service account' },
])('a rule that grants a power is reported: $text', ({ of, text }) => {
  expect(shown(explained({ cluster: [of] }))).toEqual([`${text}, in the whole cluster`]);
});

test('what many operators need is no power', () => {
  const harmless = [
    rule('get,list,watch', 'pods,nodes,namespaces,configmaps'),
    rule('create,patch', 'events'),
    rule('get,list,watch', 'clusterroles', rbac),
    rule('*', 'widgets', 'widgets.acme.example'),
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
  ];
  expect(explained({ cluster: harmless }).powers).toEqual([]);
});

test('the most dangerous comes first, wildcards count, and "may do everything" is reported alone', () => {
  const some = explained({
    cluster: [rule('create', 'pods'), rule('*', '*', 'rbac.authorization.k8s.io'), rule('get', '*')],
  });
  expect(shown(some)).toEqual(
    [
      'may grant itself any permission',
      'may read Secrets',
      'may grant its permissions to others',
      'may run commands in Pods',
      'may access the kubelets of nodes',
      'may run Pods as any service account',
    ].map((text) => `${text}, in the whole cluster`),
  );
  const all = explained({ cluster: [rule('*', '*', '*'), rule('get', 'secrets')] });
  expect(shown(all)).toEqual(['may do everything, in the whole cluster']);
});

test('names limit a power only when every rule has them', () => {
  const named = ['b', 'a'].map((name) => ({ ...rule('get', 'secrets'), resourceNames: [name] }));
  expect(shown(explained({ cluster: named }))).toEqual(['may read Secrets called a, b, in the whole cluster']);
  expect(shown(explained({ cluster: [...named, rule('get', 'secrets')] }))).toEqual([
    'may read Secrets, in the whole cluster',
  ]);
});

test('permissions are listed by account and scope, dangerous ones first, without warnings for the own namespace', () => {
  const it = explained({ cluster: [rule('get', 'nodes'), rule('list', 'secrets')], own: [rule('get', 'secrets')] });
  expect(it.permissions).toEqual([
    { account: 'acme-widget-controller', scope: 'cluster', rules: ['list on secrets (core)', 'get on nodes (core)'] },
    { account: 'acme-widget-controller', scope: 'acme-widget-system', rules: ['get on secrets (core)'] },
  ]);
  expect(shown(it)).toEqual(['may read Secrets, in the whole cluster']);
  expect(it.powers.map(({ scope }) => scope)).toEqual(['cluster', 'acme-widget-system']);
});

test('Pods that need a higher level are listed with their reasons', () => {
  const it = explained({}, (csv) => {
    const { install } = csv['spec'] as { install: { spec: { deployments: { spec: JsonObject }[] } } };
    const template = install.spec.deployments[0]?.spec['template'] as { spec: JsonObject };
    template.spec['hostNetwork'] = true;
  });
  expect(it.podSecurity).toMatchObject({ level: 'privileged', reasons: [expect.stringContaining('hostNetwork=true')] });
  expect(it.warnings[0]).toMatch(/^its Pods need the Pod Security level privileged: Deployment acme-widget/);
});
