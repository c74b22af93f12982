import { listOf, secret, secrets, versionOf } from '../list-shapes.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';
import type { Watch } from '../watch.ts';

const writers = 50;
const writesEach = 6;
const merge = { contentType: 'application/merge-patch+json' };

interface Meta {
  readonly name: string;
  readonly resourceVersion: string;
}

const metaOf = (object: unknown): Meta => (object as { readonly metadata: Meta }).metadata;

/** One writer: creates, patches, deletes every second object; answers the versions that its writes had. */
async function write(api: Probe, path: string, writer: number): Promise<string[]> {
  const versions: string[] = [];
  const name = `w${writer}`;
  const keep = (body: unknown): void => void versions.push(metaOf(body).resourceVersion);
  keep((await api.setUp('POST', path, { body: secret(name, { parity: String(writer % 2) }) })).body);
  for (let turn = 1; turn < writesEach; turn += 1) {
    const body = { data: { turn: btoa(String(turn)) } };
    keep((await api.setUp('PATCH', `${path}/${name}`, { ...merge, body })).body);
  }
  if (writer % 2 === 0) await api.setUp('DELETE', `${path}/${name}`);
  return versions;
}

async function writeAll(api: Probe, path: string): Promise<string[]> {
  const all = await Promise.all(Array.from({ length: writers }, (_, writer) => write(api, path, writer)));
  await api.setUp('POST', path, { body: secret('last', { parity: '1' }) });
  return all.flat();
}

const untilLast = (watch: Watch): Promise<void> =>
  watch.until((events) => events.some(({ object }) => metaOf(object).name === 'last'));

/** What is left when the events of a watch are played on a list. */
function replay(start: readonly string[], watch: Watch): string[] {
  const left = new Set(start);
  for (const { type, object } of watch.events) {
    if (type === 'DELETED') left.delete(metaOf(object).name);
    else left.add(metaOf(object).name);
  }
  return [...left].sort();
}

const isRising = (watch: Watch): boolean =>
  watch.events.every(
    ({ object }, index) =>
      index === 0 ||
      Number(metaOf(object).resourceVersion) > Number(metaOf(watch.events[index - 1]?.object).resourceVersion),
  );

const namesIn = async (api: Probe, path: string): Promise<string[]> =>
  listOf((await api.setUp('GET', path)).body)
    .items.map(({ metadata }) => metadata.name)
    .sort();

/** Watches while fifty clients write. */
export const cases: Area = area('Watches under load', (it) => {
  it('W145 reports each of fifty writers’ changes once, in the order of versions', async (api) => {
    const path = secrets(api.namespace);
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`, { record: false });
    const written = await writeAll(api, path);
    await untilLast(watch);
    const reported = watch.events.map(({ object }) => metaOf(object).resourceVersion);
    api.record('events', reported.length);
    api.record('rising', isRising(watch));
    const reportedSet = new Set(reported);
    api.record('missed', written.filter((one) => !reportedSet.has(one)).length);
    api.record('left', JSON.stringify(replay([], watch)) === JSON.stringify(await namesIn(api, path)));
  });

  it('misses nothing between a list and the watch that goes on from it, at any moment', async (api) => {
    const path = secrets(api.namespace);
    const work = writeAll(api, path);
    const pairs: { readonly start: readonly string[]; readonly watch: Watch }[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const list = listOf((await api.setUp('GET', path)).body);
      const query = `watch=true&resourceVersion=${list.metadata.resourceVersion}`;
      const watch = await api.watch(`${path}?${query}`, { record: false });
      pairs.push({ start: list.items.map(({ metadata }) => metadata.name), watch });
    }
    await work;
    const left = JSON.stringify(await namesIn(api, path));
    for (const { start, watch } of pairs) {
      if (!start.includes('last')) await untilLast(watch);
      api.record('ends with the truth', isRising(watch) && JSON.stringify(replay(start, watch)) === left);
    }
  });

  it('goes on in a new watch from the last version seen', async (api) => {
    const path = secrets(api.namespace);
    let version = await versionOf(api, path);
    const first = await api.watch(`${path}?watch=true&resourceVersion=${version}`, { record: false });
    const work = writeAll(api, path);
    await first.until((events) => events.length >= 20);
    first.close();
    version = metaOf(first.events.at(-1)?.object).resourceVersion;
    const second = await api.watch(`${path}?watch=true&resourceVersion=${version}`, { record: false });
    await work;
    await untilLast(second);
    api.record('events in both', first.events.length + second.events.length);
    api.record('rising', isRising(first) && isRising(second));
  });

  it('begins with all that is there, then the rest, without a gap between', async (api) => {
    const path = secrets(api.namespace);
    const work = writeAll(api, path);
    const watch = await api.watch(`${path}?watch=true`, { record: false });
    await work;
    await untilLast(watch);
    api.record('left', JSON.stringify(replay([], watch)) === JSON.stringify(await namesIn(api, path)));
  });

  it('shows a selector its own share alone', async (api) => {
    const path = secrets(api.namespace);
    const version = await versionOf(api, path);
    const selector = 'labelSelector=parity%3D1';
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}&${selector}`, { record: false });
    await writeAll(api, path);
    await untilLast(watch);
    api.record('events', watch.events.length);
    api.record('rising', isRising(watch));
    api.record('types', [...new Set(watch.events.map(({ type }) => type))].sort());
  });
});
