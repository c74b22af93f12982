import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { definition, definitionsPath, establish, isTrue, thing } from '../definitions.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';
import type { WatchEvent } from '../watch.ts';

const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function memberAt(body: JsonValue, ...path: string[]): JsonValue {
  let value: JsonValue = body;
  for (const key of path) value = isJsonObject(value) ? (value[key] ?? null) : null;
  return value;
}

/** The hash is of the group's name, which is another one each time. */
function withoutHashes(body: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(body).replaceAll(/"storageVersionHash":"[^"]*",?|,"storageVersionHash":"[^"]*"/g, ''),
  ) as JsonValue;
}

function textOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : '';
}

/** Approval and names are validated at the same time, in any order. */
function conditionsByType(body: JsonValue): JsonValue {
  const conditions = memberAt(body, 'status', 'conditions') as JsonObject[];
  return Object.fromEntries(conditions.map((condition) => [textOf(condition), condition]));
}

const statusOf = (body: JsonValue): JsonValue => memberAt(body, 'status');
const metadataOf = (body: JsonValue): JsonValue => memberAt(body, 'metadata');

async function created(api: Probe, options: Parameters<typeof definition>[1]): Promise<string> {
  const body = definition(api, options);
  const path = `${definitionsPath}/${(body['metadata'] as { name: string }).name}`;
  api.cleanUp(path);
  await api.setUp('POST', definitionsPath, { body });
  return path;
}

/** What becomes of a CustomResourceDefinition from its creation to its end. */
export const cases: Area = area('Life of definitions', (it) => {
  it('CRD-01 is accepted, then established, in steps that a watcher sees', async (api) => {
    const name = `things.${api.group}`;
    const watch = await api.watch(`${definitionsPath}?watch=true&fieldSelector=metadata.name%3D${name}`, {
      record: false,
    });
    const path = await created(api, { schema });
    await watch.until((events) => events.some((event) => isTrue(event.object, 'Established')));
    watch.close();
    api.record(
      'events',
      watch.events.map(({ type, object }) => ({
        type,
        generation: memberAt(object, 'metadata', 'generation'),
        status: statusOf(object),
      })),
    );
    await api.ask('GET', path, { keep: statusOf });
  });

  it('CRD-34 a version that is not served is absent', async (api) => {
    const own = { schema: { openAPIV3Schema: schema } };
    const { thingsIn } = await establish(api, {
      versions: [
        { name: 'v1', served: true, storage: true, ...own },
        { name: 'v2', served: false, storage: false, ...own },
        { name: 'v1beta1', served: true, storage: false, ...own },
      ],
    });
    await api.ask('GET', thingsIn('v2'));
    await api.ask('GET', thingsIn('v1beta1'));
    await api.ask('GET', `/apis/${api.group}`);
    await api.ask('GET', `/apis/${api.group}/v1`, { keep: withoutHashes });
    await api.ask('GET', `/apis/${api.group}/v2`);
  });

  it('CRD-30 CRD-31 names in use are not accepted until they are free', async (api) => {
    const first = await establish(api, { schema });
    const second = await created(api, { schema, names: { plural: 'others', kind: 'Thing' } });
    await api.eventually(second, (body) => JSON.stringify(body).includes('NamesAccepted'));
    await api.ask('GET', second, { keep: statusOf });
    await api.ask('GET', `/apis/${api.group}/v1/namespaces/${api.namespace}/others`);
    await api.ask('GET', `/apis/${api.group}/v1`, { keep: withoutHashes });
    await api.setUp('DELETE', first.path);
    await api.untilDeleted(first.path);
    await api.eventually(second, (body) => isTrue(body, 'Established'));
    await api.ask('GET', second, { keep: statusOf });
  });

  for (const [name, names] of Object.entries({
    plural: { plural: 'things2', singular: 'things', kind: 'Other' },
    singular: { plural: 'others', singular: 'thing', kind: 'Other' },
    'short name': { plural: 'others', kind: 'Other', shortNames: ['ok', 'th'] },
    'list kind': { plural: 'others', kind: 'Other', listKind: 'ThingList' },
    'kind as list kind': { plural: 'others', kind: 'ThingList' },
    'several names': { plural: 'others', singular: 'th', kind: 'Thing', shortNames: ['thing'], categories: ['all'] },
  })) {
    it(`CRD-30 reports which name is in use: ${name}`, async (api) => {
      await establish(api, { schema, names: { shortNames: ['th'] } });
      const second = await created(api, { schema, names });
      await api.eventually(second, (body) => JSON.stringify(body).includes('NamesAccepted'));
      await api.ask('GET', second, { keep: statusOf });
    });
  }

  it('names may change after they were accepted, as far as they are free', async (api) => {
    await establish(api, { schema, names: { plural: 'others', kind: 'Other', shortNames: ['oo'] } });
    const { path } = await establish(api, { schema, names: { shortNames: ['tt'] } });
    const body = (names: object): object => ({ spec: { names } });
    const patch = { contentType: 'application/merge-patch+json' };
    await api.setUp('PATCH', path, {
      ...patch,
      body: body({ shortNames: ['t2', 't3'], singular: 'thingy', categories: ['all'] }),
    });
    await api.eventually(path, (found) => JSON.stringify(statusOf(found)).includes('thingy'));
    await api.ask('GET', path, { keep: statusOf });
    await api.setUp('PATCH', path, { ...patch, body: body({ shortNames: ['oo'] }) });
    await api.eventually(path, (found) => JSON.stringify(statusOf(found)).includes('ShortNamesConflict'));
    await api.ask('GET', path, { keep: statusOf });
  });

  it('CRD-32 what an established definition may not change', async (api) => {
    const { path } = await establish(api, { schema });
    const patch = { contentType: 'application/merge-patch+json' };
    await api.ask('PATCH', path, { ...patch, body: { spec: { scope: 'Cluster' } } });
    await api.ask('PATCH', path, { ...patch, body: { spec: { names: { kind: 'Other' } } } });
    await api.ask('PATCH', path, { ...patch, body: { spec: { group: `x.${api.group}` } } });
    await api.ask('PATCH', path, { ...patch, body: { spec: { names: { plural: 'others' } } } });
    await api.ask('PATCH', path, {
      ...patch,
      body: { spec: { scope: 'Cluster', group: 'x', names: { kind: 'K', plural: 'p' } } },
    });
  });

  it('CRD-33 a version that objects may be stored in must stay while storedVersions lists it', async (api) => {
    const own = { served: true, schema: { openAPIV3Schema: schema } };
    const { path } = await establish(api, { versions: [{ name: 'v1', storage: true, ...own }] });
    const patch = { contentType: 'application/merge-patch+json' };
    const versions = [
      { name: 'v1', storage: false, ...own },
      { name: 'v2', storage: true, ...own },
    ];
    await api.ask('PATCH', path, {
      ...patch,
      body: { spec: { versions } },
      keep: (body) => [metadataOf(body), statusOf(body)].map((part) => memberAt(part, 'storedVersions')),
    });
    await api.ask('PATCH', path, { ...patch, body: { spec: { versions: [versions[1]] } } });
    await api.ask('PATCH', `${path}/status`, { ...patch, body: { status: { storedVersions: [] } }, keep: statusOf });
    await api.ask('PATCH', `${path}/status`, {
      ...patch,
      body: { status: { storedVersions: ['v2'] } },
      keep: (body) => memberAt(body, 'status', 'storedVersions'),
    });
    await api.ask('PATCH', path, {
      ...patch,
      body: { spec: { versions: [versions[1]] } },
      keep: (body) => memberAt(body, 'status', 'storedVersions'),
    });
  });

  it('CRD-35 a change of spec counts, one of status by the client does not', async (api) => {
    const { path } = await establish(api, { schema });
    const patch = { contentType: 'application/merge-patch+json' };
    const keep = (body: JsonValue): JsonValue => [memberAt(body, 'metadata', 'generation'), statusOf(body)];
    await api.ask('PATCH', path, {
      ...patch,
      body: {
        spec: {
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
      keep,
    });
    await api.ask('PATCH', path, { ...patch, body: { status: { storedVersions: ['v9'] } }, keep });
    await api.ask('PATCH', path, { ...patch, body: { metadata: { labels: { a: 'b' } } }, keep });
    await api.ask('PATCH', `${path}/status`, {
      ...patch,
      body: { spec: { scope: 'Cluster' }, metadata: { labels: { a: 'c' } } },
      keep: (body) => [memberAt(body, 'metadata', 'labels'), memberAt(body, 'spec', 'scope')],
    });
  });

  it('CRD-36 CRD-38 takes its objects with it', async (api) => {
    const { path, things } = await establish(api, { schema });
    await api.setUp('POST', things, { body: thing(api, 'one') });
    const watch = await api.watch(`${things}?watch=true`, { record: false });
    const ofDefinition = await api.watch(
      `${definitionsPath}?watch=true&fieldSelector=metadata.name%3Dthings.${api.group}`,
      {
        record: false,
      },
    );
    await watch.until((events) => events.length > 0);
    await api.ask('DELETE', path, {
      keep: (body) => [
        memberAt(body, 'metadata', 'finalizers'),
        memberAt(body, 'metadata', 'generation'),
        statusOf(body),
      ],
    });
    await api.untilDeleted(path);
    await ofDefinition.until((events) => events.some((event) => event.type === 'DELETED'));
    const events = (list: readonly WatchEvent[]): JsonValue =>
      list.map(({ type, object }) => ({
        type,
        status: statusOf(object),
        finalizers: memberAt(object, 'metadata', 'finalizers'),
      }));
    api.record('events of the definition', events(ofDefinition.events));
    await watch.until((list) => list.some((event) => event.type === 'DELETED'));
    api.record(
      'events of the object',
      watch.events.map(({ type }) => type),
    );
    await api.eventually(things, (body) => !isJsonObject(body));
    await api.ask('GET', things);
    await api.ask('GET', `/apis/${api.group}/v1`);
    const again = await establish(api, { schema });
    await api.ask('GET', again.things, { keep: (body) => memberAt(body, 'items') });
  });

  it('CRD-37 while it goes, nothing is created', async (api) => {
    const { path, things } = await establish(api, { schema });
    const finalizers = ['example.com/hold'];
    await api.setUp('POST', things, { body: { ...thing(api, 'stuck'), metadata: { name: 'stuck', finalizers } } });
    await api.setUp('DELETE', path);
    await api.eventually(
      path,
      (body) =>
        JSON.stringify(body).includes('InstanceDeletionInProgress') ||
        JSON.stringify(body).includes('InstanceDeletionCheck'),
    );
    await api.ask('POST', things, { body: thing(api, 'two') });
    await api.ask('GET', `${things}/stuck`, { keep: (body) => memberAt(body, 'metadata', 'finalizers') });
    await api.ask('GET', path, { keep: (body) => [memberAt(body, 'metadata', 'finalizers'), statusOf(body)] });
    await api.eventually(`/apis/${api.group}/v1`, (body) => !JSON.stringify(body).includes('"create"'));
    await api.ask('GET', `/apis/${api.group}/v1`, { keep: withoutHashes });
    const patch = { contentType: 'application/merge-patch+json', body: { metadata: { finalizers: [] } } };
    await api.ask('PATCH', `${things}/stuck`, { ...patch, keep: (body) => memberAt(body, 'metadata', 'finalizers') });
    await api.untilDeleted(path);
  });

  it('CRD-29 reports whether a protected group is approved', async (api) => {
    const group = `${api.unique('protected')}.k8s.io`;
    const annotations = (text: string): object => ({ annotations: { 'api-approved.kubernetes.io': text } });
    const approved = await created(api, {
      schema,
      spec: { group },
      metadata: annotations('https://github.com/kubernetes/enhancements/pull/1111'),
    });
    const unapproved = await created(api, {
      schema,
      spec: { group },
      names: { plural: 'others', kind: 'Other' },
      metadata: annotations('unapproved, for tests'),
    });
    for (const path of [approved, unapproved]) {
      await api.eventually(
        path,
        (body) => isTrue(body, 'Established') && JSON.stringify(body).includes('KubernetesAPIApproval'),
      );
      await api.ask('GET', path, { keep: conditionsByType });
    }
    const patch = { contentType: 'application/merge-patch+json' };
    await api.ask('PATCH', approved, { ...patch, body: { metadata: annotations('nonsense') } });
    await api.ask('PATCH', approved, { ...patch, body: { metadata: { annotations: null } } });
  });

  it('CRD-40 is described in OpenAPI', async (api) => {
    const described = {
      type: 'object',
      description: 'A thing.',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', description: 'How big.' } } } },
    };
    await establish(api, { schema: described });
    const path = `/openapi/v3/apis/${api.group}/v1`;
    await api.eventually(path, (body) => isJsonObject(body) && JSON.stringify(body).includes('How big.'));
    await api.ask('GET', path, {
      keep: (body) => {
        const name = `${api.group.split('.').toReversed().join('.')}.v1.Thing`;
        // The embedded server does not describe the fields that every object has.
        return ['description', 'properties'].map((key) => {
          const value = memberAt(body, 'components', 'schemas', name, key);
          return key === 'properties' ? memberAt(value, 'spec') : value;
        });
      },
    });
  });
});
