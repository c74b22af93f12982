import { type JsonValue, parseYaml } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { dumpEnveloped } from '../protobuf-fields.ts';
import { type Area, area } from '../suite.ts';

const aggregated = (version: string, type = 'application/json'): string =>
  `${type};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const recordHeaders = ['content-type', 'vary', 'cache-control'];

/** Other cases come and go with groups of their own. */
const isBuiltIn = ({ name }: { readonly name: string }): boolean => !name.endsWith('.example.com');

function withoutOthers(list: JsonValue): unknown {
  const { items, groups, ...rest } = list as unknown as {
    items?: { metadata: { name: string } }[];
    groups?: { name: string }[];
  };
  return {
    ...rest,
    ...(items === undefined ? {} : { items: items.filter(({ metadata }) => isBuiltIn({ name: metadata.name ?? '' })) }),
    ...(groups === undefined ? {} : { groups: groups.filter(isBuiltIn) }),
  };
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(group: string): { readonly [key: string]: unknown } {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } },
    },
  };
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  };
  const version = { served: true, schema, subresources };
  const names = { plural: 'foos', singular: 'foo', kind: 'Foo', shortNames: ['fo'], categories: ['all'] };
  const versions = [
    { ...version, name: 'v1beta1', storage: false },
    { ...version, name: 'v1', storage: true },
  ];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `foos.${group}` },
    spec: { group, scope: 'Namespaced', names, versions },
  };
}

async function install(api: Probe): Promise<void> {
  await api.setUp('POST', crds, { body: definition(api.group) });
  api.cleanUp(`${crds}/foos.${api.group}`);
  await api.eventually(
    `/apis/${api.group}/v1`,
    (body) => (body as { kind?: string } | null)?.kind === 'APIResourceList',
  );
}

const groupVersions = [
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
];

/** Discovery documents. */
export const cases: Area = area('Discovery', (it) => {
  it('W027 lists the versions of the core group', async (api) => {
    const keep = (body: unknown): unknown => ({ ...(body as object), serverAddressByClientCIDRs: undefined });
    await api.ask('GET', '/api', { recordHeaders, keep });
    await api.ask('GET', '/api/', { keep });
  });

  it('W028 lists the other groups in the order of preference', async (api) => {
    await api.ask('GET', '/apis', { recordHeaders, keep: withoutOthers });
    await api.ask('GET', '/apis/', { keep: withoutOthers });
  });

  it('W029 lists what the core group has', async (api) => {
    await api.ask('GET', '/api/v1', { recordHeaders });
  });

  for (const groupVersion of groupVersions) {
    it(`W030 lists what ${groupVersion} has`, async (api) => {
      await api.ask('GET', `/apis/${groupVersion}`, { recordHeaders });
      await api.ask('GET', `/apis/${groupVersion.split('/', 1)[0]}`, { recordHeaders });
    });
  }

  it('W031 has everything of the groups in one document', async (api) => {
    await api.ask('GET', '/apis', { accept: aggregated('v2'), recordHeaders, keep: withoutOthers });
    await api.ask('GET', '/apis', {
      accept: `${aggregated('v2')},${aggregated('v2beta1')},application/json`,
      recordHeaders,
      keep: (body) => (body as { apiVersion: string }).apiVersion,
    });
  });

  it('W032 no longer knows the older version of that document', async (api) => {
    await api.ask('GET', '/apis', { accept: aggregated('v2beta1'), recordHeaders });
    await api.ask('GET', '/apis', {
      accept: `${aggregated('v2beta1')},application/json`,
      recordHeaders,
      keep: (body) => (body as { kind: string }).kind,
    });
    await api.ask('GET', '/api', { accept: aggregated('v9'), recordHeaders });
  });

  it('W033 has everything of the core group in one document', async (api) => {
    await api.ask('GET', '/api', { accept: aggregated('v2'), recordHeaders });
  });

  it('W034 sends nothing to a client that has it', async (api) => {
    const first = await api.setUp('GET', '/api', { accept: aggregated('v2') });
    const etag = String(first.headers['etag']);
    api.record('form of the tag', /^"[0-9A-F]{128}"$/.test(etag));
    await api.ask('GET', '/api', { accept: aggregated('v2'), headers: { 'if-none-match': etag }, recordHeaders });
    await api.ask('GET', '/api', {
      accept: aggregated('v2'),
      headers: { 'if-none-match': '"other"' },
      recordHeaders,
      keep: () => undefined,
    });
  });

  it('answers in protobuf and in YAML too', async (api) => {
    const keep = (body: unknown): unknown =>
      typeof body === 'string' ? Object.keys(parseYaml('answer', body) as object) : body;
    for (const path of ['/api', '/apis', '/apis/apps', '/apis/apps/v1']) {
      const answer = await api.ask('GET', path, {
        accept: 'application/vnd.kubernetes.protobuf',
        recordHeaders,
        keep: () => undefined,
      });
      api.record('type', (dumpEnveloped(answer.raw) as { type: unknown }).type);
      await api.ask('GET', path, { accept: 'application/yaml', recordHeaders, keep });
      await api.ask('GET', path, { accept: 'text/html', recordHeaders });
    }
    const all = await api.ask('GET', '/api', {
      accept: aggregated('v2', 'application/vnd.kubernetes.protobuf'),
      recordHeaders,
      keep: () => undefined,
    });
    api.record('type', (dumpEnveloped(all.raw) as { type: unknown }).type);
  });

  it('W035 has a new kind at once, and forgets it', async (api) => {
    await install(api);
    await api.ask('GET', `/apis/${api.group}`);
    // The hash is one of the group, too, whose name is unpredictable.
    const keep = (body: JsonValue): unknown =>
      (body as unknown as { resources: { storageVersionHash?: string }[] }).resources.map((resource) => ({
        ...resource,
        storageVersionHash: resource.storageVersionHash?.length,
      }));
    await api.ask('GET', `/apis/${api.group}/v1`, { keep });
    await api.ask('GET', `/apis/${api.group}/v1beta1`, { keep });
    const own = (body: JsonValue): unknown =>
      (body as unknown as { items: { metadata: { name: string } }[] }).items.find(
        ({ metadata }) => metadata.name === api.group,
      );
    await api.eventually('/apis', (body) =>
      (body as unknown as { groups: { name: string }[] }).groups.some(({ name }) => name === api.group),
    );
    await api.ask('GET', '/apis', { accept: aggregated('v2'), keep: own });
    await api.setUp('DELETE', `${crds}/foos.${api.group}`);
    for (const path of [`/apis/${api.group}/v1`, `/apis/${api.group}`]) {
      await api.eventually(path, (body) => typeof body === 'string' && body.startsWith('404'));
    }
    await api.ask('GET', `/apis/${api.group}`);
  });

  it('shows another set of kinds under another tag', async (api) => {
    const tag = async (): Promise<string> =>
      String((await api.setUp('GET', '/apis', { accept: aggregated('v2') })).headers['etag']);
    const before = await tag();
    await install(api);
    api.record('the tag is another', before !== (await tag()));
  });

  it('W005 knows no other paths', async (api) => {
    for (const path of [
      '/nope',
      '/apis/no.such',
      '/apis/no.such/v1',
      '/apis/apps/v9',
      '/apis/apps/v1/nope',
      '/api/v2',
      '/api/v1/nope',
      '/api/v1/namespaces/default/nope/x',
    ]) {
      await api.ask('GET', path, { recordHeaders: ['content-type', 'x-content-type-options'] });
    }
  });
});
