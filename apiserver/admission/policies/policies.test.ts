import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/base/index.ts';
import { MemoryCluster } from '../../../test/support/memory-cluster.ts';
import { RbacAuthorizer } from '../../auth/index.ts';
import type { AdmissionRequest } from '../../core/index.ts';
import { validatingPolicies } from './index.ts';

const as = { as: 'test' };
const group = 'admissionregistration.k8s.io';
const apiVersion = `${group}/v1`;

async function bindPolicy(cluster: MemoryCluster, validations: readonly JsonObject[]): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] };
  const policy = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [rule] },
    validations: [...validations],
  };
  const paramRef = { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' };
  const binding = { policyName: 'p', validationActions: ['Deny'], paramRef };
  const metadata = { name: 'p' };
  await cluster.create(
    cluster.type('validatingadmissionpolicies', group),
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec: policy },
    as,
  );
  await cluster.create(
    cluster.type('validatingadmissionpolicybindings', group),
    { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: binding },
    as,
  );
}

test('others have turns between the parameters of a policy and between its expressions', async () => {
  const cluster = new MemoryCluster();
  const failing = { expression: "params.data['a'] != 'p19'", messageExpression: "'not ' + params.data['a']" };
  await bindPolicy(cluster, [{ expression: "object.metadata.name != 'x'" }, failing]);
  for (let index = 0; index < 20; index += 1) {
    const metadata = { namespace: 'ns', name: `p${index}`, labels: { param: 'yes' } };
    const param = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: `p${index}` } };
    await cluster.create(cluster.type('configmaps'), param, as);
  }
  const turns = vi.spyOn(cluster, 'takeTurn');
  const scans = vi.spyOn(cluster, 'eachInTurns');
  const plugin = validatingPolicies(cluster, new RbacAuthorizer({ list: () => [], get: () => undefined }));
  const request: AdmissionRequest = {
    operation: 'CREATE',
    resource: cluster.type('secrets'),
    subresource: undefined,
    namespace: 'ns',
    name: 's',
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'ns', name: 's' } },
    oldObject: undefined,
    options: {},
    user: { username: 'alice', groups: [] },
    dryRun: false,
    warn: () => {},
    signal: new AbortController().signal,
  };
  await expect(plugin.validate?.(request)).rejects.toThrow('not p19');
  expect(scans).toHaveBeenCalledTimes(1);
  expect(turns.mock.calls.length).toBeGreaterThanOrEqual(40);
});
