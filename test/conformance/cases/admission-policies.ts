import type { JsonObject } from '../../../src/base/index.ts';
import { configMaps, configMapWriter, installPolicies } from '../policies.ts';
import { type Area, area } from '../suite.ts';

const bound = { binding: {} };
const rule = (group: string, resources: string[], more: JsonObject = {}): JsonObject => ({
  resourceRules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['*'], resources, ...more }],
});
const checks = (...expressions: string[]): JsonObject => ({
  validations: expressions.map((expression) => ({ expression })),
});

function deployment(replicas: number): JsonObject {
  const labels = { app: 'd' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec };
}

/** What ValidatingAdmissionPolicies do to what is written. */
export const cases: Area = area('Validating admission policies', (it) => {
  it('ADM-35 denies what does not hold', async (api) => {
    const spec = { matchConstraints: rule('apps', ['deployments']), ...checks('object.spec.replicas <= 5') };
    await installPolicies(api, { p: { spec, ...bound } });
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.ask('POST', `${path}?dryRun=All`, { body: deployment(6) });
    await api.ask('POST', `${path}?dryRun=All`, { body: deployment(5), keep: () => 'written' });
  });

  it('messages and reasons', async (api) => {
    const validations = [
      { expression: "!('a' in object.data)", message: ' a is not for you ' },
      { expression: "!('b' in object.data)", messageExpression: "'b is ' + object.data.b", message: 'fallback' },
      { expression: "!('c' in object.data)", messageExpression: "object.data.nope + 'x'", message: 'c fallback' },
      { expression: "!('d' in object.data)", messageExpression: "'two\\nlines'" },
      { expression: "!('e' in object.data)", reason: 'Forbidden' },
      { expression: "!('g' in object.data)", reason: 'RequestEntityTooLarge', message: 'g' },
      { expression: "!('h' in object.data)", reason: 'Invalid', message: 'h' },
      { expression: "object.data.size() < 2 || object.data['z'] == 'x'", message: 'errors' },
    ];
    await installPolicies(api, { p: { spec: { validations }, ...bound } });
    const { create } = configMapWriter(api);
    for (const key of ['a', 'b', 'c', 'd', 'e', 'g', 'h', 'i']) await create(key, { [key]: 'value' });
    await create('two', { x: 'y', y: 'z' });
    await create('more', { a: 'x', b: 'y' });
  });

  it('ADM-37 warns', async (api) => {
    const validations = [
      { expression: "!('a' in object.data)", message: 'm' },
      { expression: "!('b' in object.data)", messageExpression: "'b: ' + object.data.b" },
      { expression: "object.data.c == 'd'" },
    ];
    await installPolicies(api, { p: { spec: { validations }, binding: { validationActions: ['Warn', 'Audit'] } } });
    const { create } = configMapWriter(api);
    await create('good', { c: 'd' });
    await create('bad', { a: 'x', b: 'y' });
  });

  it('sees what is posted to subresources as it is created', async (api) => {
    const namespace = `/api/v1/namespaces/${api.namespace}`;
    const posted = ['serviceaccounts/token', 'pods/binding', 'bindings', 'pods/eviction'];
    const spec = {
      matchConstraints: rule('*', posted, { operations: ['CREATE'] }),
      validations: [
        {
          expression: 'false',
          messageExpression: "request.kind.kind + ' ' + request.subResource + ' ' + request.name",
        },
      ],
    };
    await installPolicies(api, { p: { spec, ...bound } });
    const containers = [{ name: 'c', image: 'i' }];
    const pod = { metadata: { name: 'a' }, spec: { containers, schedulerName: 'none' } };
    await api.setUp('POST', `${namespace}/serviceaccounts`, { body: { metadata: { name: 'app' } } });
    await api.setUp('POST', `${namespace}/pods`, { body: pod });
    const binding = { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } };
    await api.ask('POST', `${namespace}/serviceaccounts/app/token`, { body: { spec: {} } });
    await api.ask('POST', `${namespace}/pods/a/binding`, { body: binding });
    await api.ask('POST', `${namespace}/bindings`, { body: binding });
    await api.ask('POST', `${namespace}/pods/a/eviction`, { body: { metadata: { name: 'a' } } });
  });

  it('audits without a warning', async (api) => {
    await installPolicies(api, { p: { spec: checks('false'), binding: { validationActions: ['Audit'] } } });
    await configMapWriter(api).create('a');
  });

  it('ADM-39 does nothing without a binding', async (api) => {
    await installPolicies(api, { p: { spec: checks('false') } });
    await configMapWriter(api).create('a');
  });

  it('errors of expressions, failurePolicy Fail and Ignore', async (api) => {
    const broken = checks("object.data.nope == 'x'");
    await installPolicies(api, { p: { spec: { ...broken, failurePolicy: 'Ignore' }, ...bound } });
    const { create } = configMapWriter(api);
    await create('ignored', { a: 'b' });
    await installPolicies(api, { q: { spec: broken, ...bound } });
    await create('failed', { a: 'b' });
  });

  it('match conditions of policies', async (api) => {
    const spec = {
      ...checks('false'),
      matchConditions: [
        { name: 'is-named', expression: "object.metadata.name.startsWith('match')" },
        { name: 'has-data', expression: "object.data.a == 'b'" },
      ],
    };
    await installPolicies(api, { p: { spec, ...bound } });
    const { create } = configMapWriter(api);
    await create('other');
    await create('match-1', { a: 'b' });
    await create('match-2', { a: 'c' });
    await create('match-3');
    await create('other-2');
  });

  it('variables', async (api) => {
    const variables = [
      { name: 'keys', expression: 'object.data.map(k, k)' },
      { name: 'count', expression: 'size(variables.keys)' },
      { name: 'broken', expression: "object.data.nope + 'x'" },
    ];
    const validations = [
      {
        expression: 'variables.count < 3',
        messageExpression: "'%d of %s'.format([variables.count, variables.keys.exists(k, k == 'a')])",
      },
      { expression: "!('x' in object.data) || variables.broken == 'a'", message: 'broken' },
    ];
    await installPolicies(api, { p: { spec: { variables, validations }, ...bound } });
    const { create } = configMapWriter(api);
    await create('few', { a: '1' });
    await create('many', { a: '1', b: '2', c: '3' });
    await create('broken', { x: '1' });
  });

  it('request, namespace and old object', async (api) => {
    const validations = [
      "request.operation != 'CREATE' || request.name != 'shown'",
      "request.operation != 'UPDATE' || object.data.a == oldObject.data.a",
      "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'",
      "request.operation != 'DELETE' || object == null",
      "request.operation != 'CREATE' || oldObject == null",
    ].map((expression) => ({
      expression,
      messageExpression:
        "request.operation + ' ' + request.kind.group + '|' + request.kind.version + '|' + request.kind.kind + ' ' + request.resource.resource + ' ' + request.requestKind.kind + ' ' + request.namespace + ' ' + request.userInfo.username + ' ' + string(request.dryRun) + ' ' + namespaceObject.metadata.name + ' ' + string(has(request.subResource))",
    }));
    await installPolicies(api, { p: { spec: { validations }, ...bound } });
    const { create, change, remove } = configMapWriter(api);
    await create('shown', { a: 'b' });
    await create('kept', { a: 'b' });
    await change('kept', { data: { a: 'c' } });
    await change('kept', { metadata: { labels: { a: 'b' } } });
    await remove('kept');
  });

  it('the authorizer', async (api) => {
    const validations = [
      "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
      "authorizer.path('/healthz').check('get').allowed()",
      'authorizer.requestResource.check("create").allowed()',
      "authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').check('get').allowed()",
      "authorizer.serviceAccount('Bad', 'nobody').group('').resource('secrets').check('get').allowed()",
    ].map((expression) => ({ expression }));
    const spec = (name: string, start: number, end: number): JsonObject => ({
      validations: validations.slice(start, end),
      matchConditions: [{ name: 'own', expression: `object.metadata.name == '${name}'` }],
    });
    await installPolicies(api, { a: { spec: spec('a', 0, 4), ...bound }, b: { spec: spec('b', 4, 5), ...bound } });
    const { create } = configMapWriter(api);
    await create('a');
    await create('b');
  });

  it('parameters by name, in the namespace of the request', async (api) => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        {
          expression: "object.metadata.name == 'limits' || int(object.data.n) <= int(params.data.max)",
          messageExpression: "'at most ' + params.data.max",
        },
      ],
    };
    const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
    await api.setUp('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits' }, data: { max: '5' } },
    });
    await installPolicies(api, { p: { spec, binding: { paramRef } } });
    const { create } = configMapWriter(api);
    await create('small', { n: '1' });
    await create('large', { n: '6' });
  });

  it('ADM-40 parameters that are missing', async (api) => {
    const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...checks('false') };
    const missing = (parameterNotFoundAction: string): JsonObject => ({
      paramRef: { name: 'missing', parameterNotFoundAction },
    });
    await installPolicies(api, { allow: { spec, binding: missing('Allow') } });
    const { create } = configMapWriter(api);
    await create('a');
    await installPolicies(api, { deny: { spec, binding: missing('Deny') } });
    await create('b');
  });

  it('parameters by selector: each applies', async (api) => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        {
          expression: 'has(object.metadata.labels) || object.data.n != params.data.n',
          messageExpression: "'not ' + params.data.n",
        },
      ],
    };
    for (const n of ['1', '2']) {
      await api.setUp('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, {
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `param-${n}`, labels: { param: 'yes' } },
          data: { n },
        },
      });
    }
    const paramRef = { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' };
    await installPolicies(api, { p: { spec, binding: { paramRef } } });
    const { create } = configMapWriter(api);
    await create('a', { n: '1' });
    await create('b', { n: '2' });
    await create('c', { n: '3' });
  });

  it('parameters of a kind that is not there, and of no binding', async (api) => {
    const unknown = { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' }, ...checks('false') };
    const paramRef = { name: 'a', parameterNotFoundAction: 'Deny' };
    await installPolicies(api, { p: { spec: unknown, binding: { paramRef } } });
    const { create } = configMapWriter(api);
    await create('a');
  });

  it('a binding without paramRef gives null', async (api) => {
    const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...checks('params != null') };
    await installPolicies(api, { p: { spec, ...bound } });
    await configMapWriter(api).create('a');
  });

  it('paramRef.namespace for a cluster-scoped kind', async (api) => {
    const spec = { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, ...checks('params == null') };
    const paramRef = { name: 'default', namespace: 'default', parameterNotFoundAction: 'Deny' };
    await installPolicies(api, { p: { spec, binding: { paramRef } } });
    await configMapWriter(api).create('a');
  });

  it('names, exclusions and selectors', async (api) => {
    const base = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const matchConstraints = {
      resourceRules: [{ ...base, resourceNames: ['a', 'b', 'c', 'd'] }],
      excludeResourceRules: [{ ...base, resourceNames: ['b'] }],
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
    };
    const binding = { matchResources: { excludeResourceRules: [{ ...base, resourceNames: ['d'] }] } };
    await installPolicies(api, { p: { spec: { matchConstraints, ...checks('false') }, binding } });
    const { create } = configMapWriter(api);
    await create('a');
    await create('b');
    await create('c', {}, { labels: { skip: 'yes' } });
    await create('d');
    await create('e');
  });

  it('other versions of the same objects', async (api) => {
    const old = rule('autoscaling', ['horizontalpodautoscalers'], { apiVersions: ['v1'] });
    const validations = [
      {
        expression: 'object.spec.maxReplicas < 5',
        messageExpression: "request.kind.version + ' for ' + request.requestKind.version",
      },
    ];
    await installPolicies(api, { p: { spec: { matchConstraints: old, validations }, ...bound } });
    const body = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { maxReplicas: 6, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    };
    const path = `/apis/autoscaling/v2/namespaces/${api.namespace}/horizontalpodautoscalers`;
    await api.ask('POST', `${path}?dryRun=All`, { body });
  });

  it('exact versions only', async (api) => {
    const old = { ...rule('autoscaling', ['horizontalpodautoscalers'], { apiVersions: ['v1'] }), matchPolicy: 'Exact' };
    await installPolicies(api, { p: { spec: { matchConstraints: old, ...checks('false') }, ...bound } });
    const body = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { maxReplicas: 6, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    };
    const path = `/apis/autoscaling/v2/namespaces/${api.namespace}/horizontalpodautoscalers`;
    await api.ask('POST', `${path}?dryRun=All`, { body, keep: () => 'written' });
  });

  it('subresources', async (api) => {
    const matchConstraints = rule('apps', ['deployments/scale']);
    const validations = [
      { expression: 'object.spec.replicas < 5', messageExpression: "object.kind + ' ' + request.subResource" },
    ];
    await installPolicies(api, { p: { spec: { matchConstraints, validations }, ...bound } });
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.setUp('POST', path, { body: deployment(0) });
    const contentType = 'application/merge-patch+json';
    await api.ask('PATCH', `${path}/d/scale?dryRun=All`, { body: { spec: { replicas: 9 } }, contentType });
  });

  it('audit annotations that fail', async (api) => {
    const auditAnnotations = [
      { key: 'shown', valueExpression: "'name ' + object.metadata.name" },
      { key: 'broken', valueExpression: "object.data.a + 'b'" },
    ];
    await installPolicies(api, { p: { spec: { auditAnnotations }, binding: { validationActions: ['Warn'] } } });
    const { create } = configMapWriter(api);
    await create('good', { a: 'b' });
    await create('bad', { b: 'c' });
  });

  it('the first of several policies is reported', async (api) => {
    const spec = (message: string): JsonObject => ({ validations: [{ expression: 'false', message }] });
    await installPolicies(api, { a: { spec: { ...spec('one'), matchConstraints: configMaps }, ...bound } });
    await configMapWriter(api).create('a');
  });
});
