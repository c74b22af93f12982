import { makeSecrets, secret, secrets, versionOf } from '../list-shapes.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';
import type { WatchEvent } from '../watch.ts';

const isAbout =
  (name: string) =>
  ({ object }: WatchEvent): boolean =>
    (object['metadata'] as { readonly name?: string } | undefined)?.name === name;

/** Waits for the event of an object that is written last. */
async function untilLast(watch: {
  until(isMet: (events: readonly WatchEvent[]) => boolean): Promise<void>;
}): Promise<void> {
  await watch.until((events) => events.some(isAbout('last')));
}

/** Creates the object whose event ends a watch of a case. */
async function writeLast(api: Probe, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await api.setUp('POST', secrets(api.namespace), { body: secret('last', labels) });
}

const value = (text: string): unknown => ({ data: { name: btoa(text) } });
const merge = { contentType: 'application/merge-patch+json' };

/** Watches: what they begin with, what they report, in which order. */
export const cases: Area = area('Watches', (it) => {
  it('W145 W152 reports every change after a version, with kind and version', async (api) => {
    const path = await makeSecrets(api, 'old');
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    await api.ask('POST', path, { body: secret('a') });
    await api.ask('PATCH', `${path}/a`, { ...merge, body: value('x') });
    await api.ask('PATCH', `${path}/a`, { ...merge, body: value('x') });
    await api.ask('DELETE', `${path}/a`);
    await api.ask('POST', path, { body: secret('a') });
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('W145 loses nothing that was written before it began', async (api) => {
    const path = await makeSecrets(api, 'old');
    const version = await versionOf(api, path);
    await api.setUp('POST', path, { body: secret('a') });
    await api.setUp('DELETE', `${path}/old`);
    await writeLast(api);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    await untilLast(watch);
    watch.close();
  });

  it('W146 begins with what is there when it names no version', async (api) => {
    const path = await makeSecrets(api, 'b', 'a', 'c');
    const watch = await api.watch(`${path}?watch=true`);
    await watch.until((events) => events.length >= 3);
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('W146 begins with what is there at version 0', async (api) => {
    const path = await makeSecrets(api, 'b', 'a');
    // A list waits until the cache of the server has both: a watch shows what that has.
    await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=0`);
    await watch.until((events) => events.length >= 2);
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('W147 shows what enters and leaves a label selector', async (api) => {
    const path = await makeSecrets(api, 'a');
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}&labelSelector=on%3Dyes`);
    const label = (on: string | null): unknown => ({ metadata: { labels: { on } } });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: label('yes') });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: value('inside') });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: label('no') });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: value('outside') });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: label('yes') });
    await api.setUp('DELETE', `${path}/a`);
    await api.setUp('POST', path, { body: secret('b', { on: 'no' }) });
    await api.setUp('DELETE', `${path}/b`);
    await writeLast(api, { on: 'yes' });
    await untilLast(watch);
    watch.close();
  });

  it('W147 shows what enters and leaves a field selector', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/events`;
    const make = (name: string, reason: string): unknown => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace: api.namespace, name: 'p' },
      reason,
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      action: 'Test',
      reportingComponent: 'longshore.example/c',
      reportingInstance: 'i',
    });
    const { body } = await api.setUp('POST', path, { body: make('a', 'Other') });
    const version = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}&fieldSelector=reason%3DWanted`);
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: { reason: 'Wanted' } });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: { message: 'inside' } });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: { reason: 'Other' } });
    await api.setUp('POST', path, { body: make('last', 'Wanted') });
    await untilLast(watch);
    watch.close();
  });

  it('watches one object by a field selector of its name', async (api) => {
    const path = await makeSecrets(api, 'a', 'b');
    const version = await versionOf(api, path);
    const selector = 'fieldSelector=metadata.name%3Dlast';
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}&${selector}`);
    await api.setUp('DELETE', `${path}/a`);
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('gets an object whose path asks for a watch', async (api) => {
    const path = await makeSecrets(api, 'a');
    await api.ask('GET', `${path}/a?watch=true`, { keep: (body) => (body as { kind: string }).kind });
    await api.ask('GET', `${path}/b?watch=true&timeoutSeconds=1`);
  });

  it('watches one object by the old path', async (api) => {
    const path = await makeSecrets(api, 'a', 'last');
    const old = `/api/v1/watch/namespaces/${api.namespace}/secrets`;
    const watch = await api.watch(`${old}/last`);
    await watch.until((events) => events.length >= 1);
    await api.setUp('DELETE', `${path}/a`);
    await api.setUp('DELETE', `${path}/last`);
    await watch.until((events) => events.length >= 2);
    watch.close();
    await api.ask('GET', `${old}/last?fieldSelector=metadata.name%3Dother`);
    await api.ask('GET', `${old}/last?fieldSelector=type%3DOpaque`);
    await api.ask('POST', old, { body: secret('b') });
    await api.ask('DELETE', `${old}/last`);
  });

  it('watches an object that is not there yet by the old path', async (api) => {
    const watch = await api.watch(`/api/v1/watch/namespaces/${api.namespace}/secrets/last`);
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('has the versions of the writes, in their order, and the version of a deletion on the last state', async (api) => {
    const path = await makeSecrets(api, 'old');
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`, { record: false });
    const versions: string[] = [];
    const keepVersion = (body: unknown): void => {
      versions.push((body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    };
    for (let turn = 0; turn < 10; turn += 1) {
      keepVersion((await api.setUp('POST', path, { body: secret(`a${turn}`) })).body);
      keepVersion((await api.setUp('PATCH', `${path}/a${turn}`, { ...merge, body: value(`x${turn}`) })).body);
    }
    await api.setUp('DELETE', `${path}/a0`);
    await writeLast(api);
    await untilLast(watch);
    const reported = watch.events.map(
      ({ object }) => (object['metadata'] as { resourceVersion: string }).resourceVersion,
    );
    api.record('the writes', JSON.stringify(reported.slice(0, versions.length)) === JSON.stringify(versions));
    const rising = reported.every((text, index) => index === 0 || Number(text) > Number(reported[index - 1]));
    api.record('versions only rise', rising);
    api.record('types', watch.events.map(({ type }) => type).join(' '));
  });

  it('reports a finalizer that holds an object, then its deletion', async (api) => {
    const path = secrets(api.namespace);
    const held = { ...secret('a'), metadata: { name: 'a', finalizers: ['longshore.example/held'] } };
    await api.setUp('POST', path, { body: held });
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    await api.setUp('DELETE', `${path}/a`);
    await api.ask('PATCH', `${path}/a`, { ...merge, body: { metadata: { finalizers: null } } });
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('reports a change in managedFields alone, but no dry runs and refused writes', async (api) => {
    const path = await makeSecrets(api, 'a');
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    await api.setUp('PATCH', `${path}/a?dryRun=All`, { ...merge, body: value('dry') });
    await api.setUp('POST', `${path}?dryRun=All`, { body: secret('dry') });
    await api.setUp('DELETE', `${path}/a?dryRun=All`);
    await api.ask('POST', path, { body: secret('a'), keep: () => 'refused' });
    const applied = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { name: btoa('a') } };
    await api.setUp('PATCH', `${path}/a?fieldManager=other`, {
      contentType: 'application/apply-patch+yaml',
      body: applied,
    });
    await writeLast(api);
    await untilLast(watch);
    watch.close();
  });

  it('watches all namespaces', async (api) => {
    const path = await makeSecrets(api, 'a');
    const version = await versionOf(api, path);
    const selector = `labelSelector=set%3D${api.namespace}`;
    const watch = await api.watch(`/api/v1/secrets?watch=true&resourceVersion=${version}&${selector}`);
    await api.setUp('POST', path, { body: secret('b', { set: api.namespace }) });
    await writeLast(api, { set: api.namespace });
    await untilLast(watch);
    watch.close();
  });

  it('reports each object that a collection delete removes', async (api) => {
    const path = await makeSecrets(api, 'a', 'b', 'c');
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    await api.setUp('DELETE', path);
    await watch.until((events) => events.length >= 3);
    api.record('gone', watch.events.map(({ object }) => (object['metadata'] as { name: string }).name).sort());
    api.record(
      'types',
      watch.events.map(({ type }) => type),
    );
  });
});
