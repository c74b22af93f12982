import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const at = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

function statusOf(body: JsonValue): JsonObject {
  return isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
}

/** Creates a policy that nothing binds, and records what its status reports about its expressions. */
async function show(api: Probe, spec: JsonObject): Promise<void> {
  const name = api.unique(`policy-${api.steps.length}`);
  api.cleanUp(`${at}/${name}`);
  const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name } };
  await api.setUp('POST', at, { body: { ...body, spec } });
  await api.eventually(`${at}/${name}`, (found) => statusOf(found)['observedGeneration'] === 1);
  await api.ask('GET', `${at}/${name}`, { keep: statusOf });
}

const rule = (group: string, ...resources: string[]): JsonObject => ({
  apiGroups: [group],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources,
});
const on = (...resourceRules: JsonObject[]): JsonObject => ({ matchConstraints: { resourceRules } });

/** `status.typeChecking` of ValidatingAdmissionPolicies. */
export const cases: Area = area('Types in admission policies', (it) => {
  it('finds nothing where all fields are there', controllers, async (api) => {
    const validations = [
      { expression: 'object.spec.replicas > 1', messageExpression: "'not ' + string(object.spec.replicas)" },
      { expression: "object.metadata.name != '' && object.metadata.labels['a'] == 'b'" },
      {
        expression: 'object.spec.template.spec.containers.all(c, has(c.image) && c.ports.all(p, p.containerPort > 1))',
      },
    ];
    await show(api, { ...on(rule('apps', 'deployments')), validations });
  });

  it('names fields that are not there, and values of other types', controllers, async (api) => {
    const validations = [
      { expression: 'object.replicas > 1' },
      { expression: "object.spec.replicas == 'one'" },
      { expression: 'true', messageExpression: 'string(object.spec.nothing)' },
      { expression: 'oldObject.spec.template.spec.containers.all(c, c.picture == "x")' },
    ];
    await show(api, { ...on(rule('apps', 'deployments')), validations });
  });

  it('looks at each kind that is matched', controllers, async (api) => {
    const validations = [{ expression: 'object.spec.replicas > 1' }];
    const rules = [rule('apps', 'deployments', 'daemonsets', 'deployments/scale'), rule('', 'configmaps', 'nothing')];
    await show(api, { ...on(...rules), validations });
    await show(api, { ...on({ ...rule('*', 'configmaps') }), validations });
    await show(api, { ...on({ ...rule('', '*') }), validations });
  });

  it('knows the types of parameters and variables', controllers, async (api) => {
    const variables = [
      { name: 'count', expression: 'object.spec.replicas' },
      { name: 'odd', expression: 'object.spec.odd' },
    ];
    const validations = [
      { expression: 'variables.count > 1' },
      { expression: "variables.count == 'x'" },
      { expression: 'variables.odd == 1' },
      { expression: "params.data['a'] == 'b'" },
      { expression: 'params.date == 1' },
    ];
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    await show(api, { ...on(rule('apps', 'deployments')), paramKind, variables, validations });
  });
});
