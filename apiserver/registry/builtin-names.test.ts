import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { type ApiObject, type ApiServer, startApiServer } from '../index.ts';

const group = 'rbac.authorization.k8s.io';
const definitions = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const name = `clusterroles.${group}`;

function definition(version: string): { apiVersion: string; kind: string; metadata: { name: string } } {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' };
  const metadata = { name, annotations };
  const names = { plural: 'clusterroles', singular: 'clusterrole', kind: 'ClusterRole', listKind: 'ClusterRoleList' };
  const versions = [{ name: version, served: true, storage: true, schema }];
  return { ...definitions, metadata, spec: { group, scope: 'Cluster', names, versions } } as never;
}

interface Definition extends ApiObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function roles({ client }: ApiServer): Promise<(string | undefined)[]> {
  const found = await client.list({ apiVersion: `${group}/v1`, kind: 'ClusterRole' });
  return found.map(({ metadata }) => metadata?.name);
}

test.each(['v1', 'v2'])(
  'a definition that has the names of a built-in resource, in version %s, neither replaces it nor deletes its objects',
  async (version) => {
    await using server = await startApiServer();
    const { client } = server;
    const before = await roles(server);
    await client.create(definition(version));
    const refused = await client.until<Definition>(
      { ...definitions, name },
      (object) => object?.status?.conditions?.some(({ type }) => type === 'NamesAccepted') === true,
    );
    expect(refused?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'NamesAccepted', status: 'False', message: '"ClusterRole" is already in use' }),
    );
    // Who may write the status claims what the server does not.
    const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True', reason: 'Claimed' }));
    const status = { conditions };
    await client.patch({ ...definitions, name }, { status }, { type: 'merge', subresource: 'status' });

    const path = `/apis/${group}/${version}/clusterroles`;
    const role = { apiVersion: `${group}/${version}`, kind: 'ClusterRole', metadata: { name: 'b' }, rules: 'all' };
    const { status: code } = await client.request({ method: 'POST', path, body: role });
    expect(code).toBe(version === 'v1' ? 400 : 404);

    await client.delete({ ...definitions, name });
    await eventually(async () => expect(await client.find({ ...definitions, name })).toBeUndefined());
    expect(await roles(server)).toEqual(before);
  },
);
