import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { configMap, deployment, mergePatch, metadataOnly, pathOf, pod, service } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const held = (name: string): JsonObject => configMap(name, { metadata: { finalizers: ['a/b'] } });

function finalizersOf(body: JsonValue): JsonValue {
  const { kind, metadata } = body as { kind: string; metadata: JsonObject };
  return kind === 'Status'
    ? body
    : {
        kind,
        finalizers: metadata['finalizers'] ?? null,
        generation: metadata['generation'] ?? null,
        grace: metadata['deletionGracePeriodSeconds'] ?? null,
      };
}

function withoutRecord(body: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(body).replaceAll(/in record \(\d+\)/g, 'in record (…)')) as JsonValue;
}

/** Deleting one object and many. */
export const cases: Area = area('Deletes', (it) => {
  it('W087 answers a delete with a Status', async (api) => {
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('DELETE', pathOf(api, 'configmaps', 'a'));
    await api.ask('DELETE', pathOf(api, 'configmaps', 'a'));
    await api.setUp('POST', pathOf(api, 'networking.k8s.io/v1/networkpolicies'), {
      body: { metadata: { name: 'a' }, spec: {} },
    });
    await api.ask('DELETE', pathOf(api, 'networking.k8s.io/v1/networkpolicies', 'a'));
  });

  it('W088 answers a delete of a Service with the Service', async (api) => {
    await api.setUp('POST', pathOf(api, 'services'), { body: service('a') });
    await api.ask('DELETE', pathOf(api, 'services', 'a'));
    await api.setUp('POST', pathOf(api, 'serviceaccounts'), { body: { metadata: { name: 'a' } } });
    await api.ask('DELETE', pathOf(api, 'serviceaccounts', 'a'));
    await api.setUp('POST', pathOf(api, 'podtemplates'), {
      body: { metadata: { name: 'a' }, template: { spec: { containers: [{ name: 'a', image: 'a' }] } } },
    });
    await api.ask('DELETE', pathOf(api, 'podtemplates', 'a'));
  });

  it('W089 W090 retains what finalizers hold until they are removed', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: held('a') });
    const watch = await api.watch(`${pathOf(api, 'configmaps')}?watch=true&fieldSelector=metadata.name=a`);
    await watch.until((events) => events.length > 0);
    await api.ask('DELETE', path);
    await api.ask('DELETE', path);
    await api.ask('PATCH', path, { body: { data: { a: '1' } }, contentType: mergePatch });
    await api.ask('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: mergePatch });
    await api.ask('GET', path);
    await watch.until((events) => events.some(({ type }) => type === 'DELETED'));
  });

  it('W090 removes a held object by PUT without finalizers', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: held('a') });
    await api.setUp('DELETE', path);
    await api.ask('PUT', `${path}?dryRun=All`, { body: configMap('a') });
    await api.ask('GET', path);
    await api.ask('PUT', path, { body: configMap('a') });
    await api.ask('GET', path);
  });

  it('W091 W092 holds a delete to its preconditions', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('DELETE', path, { body: { preconditions: { uid: 'x' } } });
    await api.ask('DELETE', path, { body: { preconditions: { resourceVersion: '1' } }, keep: withoutRecord });
    await api.ask('DELETE', path, { body: { preconditions: { uid: 'x', resourceVersion: '1' } } });
    await api.ask('DELETE', path, { body: { preconditions: { uid: '' } } });
    await api.ask('DELETE', path, { body: { preconditions: {} } });
    const made = await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), {
      body: deployment('a', { replicas: 0 }),
    });
    await api.ask('DELETE', pathOf(api, 'apps/v1/deployments', 'a'), { body: { preconditions: { uid: 'x' } } });
    const { uid } = (made.body as { metadata: { uid: string } }).metadata;
    await api.ask('DELETE', pathOf(api, 'apps/v1/deployments', 'a'), {
      body: { preconditions: { uid } },
      keep: (body) => (body as JsonObject)['status'],
    });
  });

  it('W093 refuses options', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: held('a') });
    const bad: readonly unknown[] = [
      { propagationPolicy: 'x' },
      { propagationPolicy: 'Foreground', orphanDependents: true },
      { propagationPolicy: 'x', orphanDependents: false },
      { gracePeriodSeconds: 'x' },
      { gracePeriodSeconds: 1.5 },
      { dryRun: ['x'] },
      { dryRun: ['All', 'x'] },
      { dryRun: 'All' },
      { preconditions: { uid: 1 } },
      { preconditions: 'x' },
      { orphanDependents: 'x' },
      { kind: 'ConfigMap', apiVersion: 'v1' },
      { kind: 'DeleteOptions', apiVersion: 'x/v1' },
      { kind: 'DeleteOptions' },
      { apiVersion: 'v1' },
      { kind: 'DeleteOptions', apiVersion: 'v1' },
      { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
      { kind: 'DeleteOptions', apiVersion: 'apps/v1' },
      { unknown: 1 },
      [],
      'x',
      1,
    ];
    for (const body of bad) await api.ask('DELETE', path, { body });
    for (const rawBody of ['{', 'x', 'null', '{"a":1} x']) await api.ask('DELETE', path, { rawBody });
  });

  it('W093 reads options from the query', async (api) => {
    const queries = [
      'propagationPolicy=x',
      'propagationPolicy=Orphan',
      'propagationPolicy=Foreground',
      'propagationPolicy=Background',
      'orphanDependents=true',
      'orphanDependents=false',
      'orphanDependents=',
      'orphanDependents=true&propagationPolicy=Orphan',
      'gracePeriodSeconds=x',
      'gracePeriodSeconds=-1',
      'gracePeriodSeconds=',
      'gracePeriodSeconds=9223372036854775808',
      'dryRun=x',
      'dryRun=All',
      'dryRun=',
      'dryRun=All&dryRun=All',
      'preconditions=x',
      'fieldManager=x&fieldValidation=Nope',
    ];
    for (const [index, query] of queries.entries()) {
      await api.setUp('POST', pathOf(api, 'configmaps'), { body: held(`a${index}`) });
      await api.ask('DELETE', `${pathOf(api, 'configmaps', `a${index}`)}?${query}`, { keep: finalizersOf });
    }
  });

  it('W094 W095 W096 marks what is deleted with its policy', async (api) => {
    const bodies: readonly JsonObject[] = [
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Orphan' },
      { propagationPolicy: 'Background' },
      { orphanDependents: true },
      { orphanDependents: false },
      {},
    ];
    for (const [index, body] of bodies.entries()) {
      const name = `a${index}`;
      await api.setUp('POST', pathOf(api, 'networking.k8s.io/v1/networkpolicies'), {
        body: { metadata: { name, finalizers: ['a/b'] }, spec: {} },
      });
      const path = pathOf(api, 'networking.k8s.io/v1/networkpolicies', name);
      await api.ask('DELETE', `${path}?dryRun=All`, { body, keep: finalizersOf });
      await api.ask('DELETE', path, { body, keep: finalizersOf });
    }
  });

  it('W093 lets a delete request another policy than the finalizers', async (api) => {
    const rows: readonly (readonly [string[], JsonObject])[] = [
      [['orphan', 'a/b'], { propagationPolicy: 'Foreground' }],
      [['foregroundDeletion', 'a/b'], { propagationPolicy: 'Background' }],
      [['foregroundDeletion', 'a/b'], { propagationPolicy: 'Orphan' }],
      [['orphan', 'a/b'], {}],
      [['foregroundDeletion', 'a/b'], {}],
      [['orphan', 'a/b'], { orphanDependents: false }],
    ];
    for (const [index, [finalizers, body]] of rows.entries()) {
      const name = `a${index}`;
      await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap(name, { metadata: { finalizers } }) });
      await api.ask('DELETE', `${pathOf(api, 'configmaps', name)}?dryRun=All`, { body, keep: finalizersOf });
    }
  });

  it('W093 orphans the children of Jobs and ReplicationControllers by default', async (api) => {
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] },
    };
    await api.setUp('POST', pathOf(api, 'batch/v1/jobs'), {
      body: { metadata: { name: 'a' }, spec: { suspend: true, template } },
    });
    const always = { ...template, spec: { ...template.spec, restartPolicy: 'Always' } };
    await api.setUp('POST', pathOf(api, 'replicationcontrollers'), {
      body: { metadata: { name: 'a' }, spec: { replicas: 0, selector: { a: 'b' }, template: always } },
    });
    const keep = (body: JsonValue): JsonValue => ((body as JsonObject)['metadata'] as JsonObject)['finalizers'] ?? null;
    for (const path of [pathOf(api, 'batch/v1/jobs', 'a'), pathOf(api, 'replicationcontrollers', 'a')]) {
      await api.ask('DELETE', `${path}?dryRun=All`, { keep });
      await api.ask('DELETE', `${path}?dryRun=All&propagationPolicy=Background`, { keep });
      await api.ask('DELETE', `${path}?dryRun=All&propagationPolicy=Foreground`, { keep });
      await api.ask('DELETE', `${path}?dryRun=All&orphanDependents=false`, { keep });
    }
  });

  it('W097 W098 lets scheduled pods end with grace', async (api) => {
    await api.setUp('POST', pathOf(api, 'pods'), { body: pod('a') });
    await api.ask('DELETE', pathOf(api, 'pods', 'a'));
    await api.ask('GET', pathOf(api, 'pods', 'a'));
    const kept = (body: JsonValue): JsonValue => finalizersOf(body);
    for (const [index, body] of [
      {},
      { gracePeriodSeconds: 5 },
      { gracePeriodSeconds: 0 },
      { gracePeriodSeconds: -1 },
      { gracePeriodSeconds: 100 },
    ].entries()) {
      const name = `b${index}`;
      await api.setUp('POST', pathOf(api, 'pods'), { body: pod(name, { nodeName: 'nowhere' }) });
      await api.ask('DELETE', pathOf(api, 'pods', name), { body, keep: kept });
      await api.ask('DELETE', pathOf(api, 'pods', name), { body: { gracePeriodSeconds: 60 }, keep: kept });
      await api.ask('DELETE', pathOf(api, 'pods', name), { body: { gracePeriodSeconds: 2 }, keep: kept });
      await api.ask('DELETE', pathOf(api, 'pods', name), { body: { gracePeriodSeconds: 0 }, keep: kept });
    }
  });

  it('W099 deletes a selection', async (api) => {
    for (const name of ['a', 'b', 'c']) {
      const labels = { keep: name === 'c' ? 'yes' : 'no' };
      const finalizers = name === 'b' ? { finalizers: ['a/b'] } : {};
      await api.setUp('POST', pathOf(api, 'configmaps'), {
        body: configMap(name, { metadata: { labels, ...finalizers } }),
      });
    }
    const collection = pathOf(api, 'configmaps');
    const names = (body: JsonValue): JsonValue => {
      const list = body as { kind: string; items?: { metadata: JsonObject }[] };
      return list.items === undefined
        ? body
        : { kind: list.kind, items: list.items.map((item) => metadataOnly(item as unknown as JsonObject)) };
    };
    await api.ask('DELETE', `${collection}?labelSelector=keep%3Dno&dryRun=All`, { keep: names });
    await api.ask('DELETE', `${collection}?labelSelector=a+in+(b`, { keep: names });
    await api.ask('DELETE', `${collection}?fieldSelector=data.x%3D1`, { keep: names });
    await api.ask('DELETE', `${collection}?labelSelector=keep%3Dno`, { body: { propagationPolicy: 'x' }, keep: names });
    await api.ask('DELETE', `${collection}?labelSelector=keep%3Dno`, { keep: names });
    await api.ask('GET', `${collection}?fieldSelector=metadata.name!=kube-root-ca.crt`, { keep: names });
    await api.ask('DELETE', `${collection}?fieldSelector=metadata.name%3Dnone`, { keep: names });
  });

  it('W099 deletes a part of a collection', async (api) => {
    for (const name of ['a', 'b', 'c'])
      await api.setUp('POST', pathOf(api, 'coordination.k8s.io/v1/leases'), { body: { metadata: { name }, spec: {} } });
    const keep = (body: JsonValue): JsonValue => {
      const { kind, apiVersion, items } = body as {
        kind: string;
        apiVersion: string;
        items?: { metadata: { name: string } }[];
      };
      return items === undefined ? body : { kind, apiVersion, names: items.map(({ metadata }) => metadata.name) };
    };
    await api.ask('DELETE', `${pathOf(api, 'coordination.k8s.io/v1/leases')}?limit=2`, { keep });
    await api.ask('GET', pathOf(api, 'coordination.k8s.io/v1/leases'), { keep });
  });

  it('W100 W101 only pretends in a dry run', async (api) => {
    const collection = pathOf(api, 'configmaps');
    await api.ask('POST', `${collection}?dryRun=All`, { body: configMap('a') });
    await api.ask('GET', `${collection}/a`);
    await api.ask('POST', `${collection}?dryRun=All`, { body: { metadata: { generateName: 'g-' } } });
    await api.setUp('POST', collection, { body: configMap('b', { data: { a: '1' } }) });
    await api.ask('PUT', `${collection}/b?dryRun=All`, { body: configMap('b', { data: { a: '2' } }) });
    await api.ask('PATCH', `${collection}/b?dryRun=All`, { body: { data: { a: '3' } }, contentType: mergePatch });
    await api.ask('DELETE', `${collection}/b?dryRun=All`);
    await api.ask('GET', `${collection}/b`);
    for (const query of ['dryRun=x', 'dryRun=', 'dryRun=all', 'dryRun=All,All', 'dryRun=All&dryRun=x', 'dryRun=true']) {
      await api.ask('POST', `${collection}?${query}`, { body: configMap('c') });
      await api.ask('PUT', `${collection}/b?${query}`, { body: configMap('b') });
      await api.ask('PATCH', `${collection}/b?${query}`, { body: {}, contentType: mergePatch });
    }
  });
});
