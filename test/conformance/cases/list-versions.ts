import { listOf, makeSecrets, names, outline, secret, secrets, versionOf, withoutCurrent } from '../list-shapes.ts';
import { type Area, area } from '../suite.ts';

const versions = ['', '0', 'now', 'before', 'far', 'x', '-1', '1.5', '%20'] as const;
const matches = ['', 'Exact', 'NotOlderThan', 'exact'] as const;

function versionText(kind: (typeof versions)[number], now: string, before: string): string {
  const texts: Readonly<Record<string, string>> = {
    now,
    before,
    far: '9000000000000',
  };
  return texts[kind] ?? kind;
}

/** resourceVersion and resourceVersionMatch of lists and gets, in every combination. */
export const cases: Area = area('Versions of lists', (it) => {
  for (const match of matches) {
    for (const kind of versions) {
      for (const limit of ['', '&limit=1']) {
        const title = `resourceVersion=${kind} resourceVersionMatch=${match}${limit}`;
        it(`W140 W141 lists with ${title}`, async (api) => {
          const path = await makeSecrets(api, 'a', 'b');
          const before = await versionOf(api, path);
          await api.setUp('POST', path, { body: secret('c') });
          const now = await versionOf(api, path);
          const version = versionText(kind, now, before);
          const query = `resourceVersion=${version}&resourceVersionMatch=${match}${limit}`;
          await api.ask('GET', `${path}?${query}`, {
            recordHeaders: ['retry-after'],
            keep: (body) => (kind === 'far' ? withoutCurrent(body) : names(body)),
          });
        });
      }
    }
  }

  for (const kind of versions) {
    it(`W141 gets with resourceVersion=${kind}`, async (api) => {
      const path = await makeSecrets(api, 'a');
      const before = await versionOf(api, path);
      await api.setUp('PUT', `${path}/a`, { body: { ...secret('a'), data: { b: btoa('c') } } });
      const now = await versionOf(api, path);
      const query = `resourceVersion=${versionText(kind, now, before)}`;
      await api.ask('GET', `${path}/a?${query}`, {
        recordHeaders: ['retry-after'],
        keep: (body) => (kind === 'far' ? withoutCurrent(body) : ((body as { data?: unknown }).data ?? body)),
      });
    });
  }

  it('shows an object of then in an exact list', async (api) => {
    const path = await makeSecrets(api, 'a');
    const { body } = await api.setUp('POST', path, { body: secret('b') });
    const before = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    await api.setUp('PUT', `${path}/a`, { body: { ...secret('a'), data: { now: btoa('other') } } });
    await api.setUp('DELETE', `${path}/b`);
    await api.setUp('POST', path, { body: secret('c') });
    const at = `resourceVersion=${before}&resourceVersionMatch=Exact`;
    await api.ask('GET', `${path}?${at}`);
    await api.ask('GET', `${path}?${at}&fieldSelector=metadata.name%3Db`, { keep: names });
    await api.ask('GET', `${path}?${at}&limit=1`, { keep: outline });
    await api.ask('GET', `${path}?${at}&labelSelector=x`, { keep: names });
  });

  it('refuses options of watches for lists', async (api) => {
    const path = secrets(api.namespace);
    await api.ask('GET', `${path}?sendInitialEvents=true`);
    await api.ask('GET', `${path}?sendInitialEvents=false`);
    await api.ask('GET', `${path}?sendInitialEvents=`);
    await api.ask('GET', `${path}?sendInitialEvents=true&resourceVersionMatch=x`);
    await api.ask('GET', `${path}?allowWatchBookmarks=true`, { keep: names });
    await api.ask('GET', `${path}?watch=false`, { keep: names });
    await api.ask('GET', `${path}?watch=0`, { keep: names });
  });

  it('never lists an item newer than the list', async (api) => {
    const path = await makeSecrets(api, 'a', 'b');
    const { body } = await api.setUp('GET', path);
    const list = listOf(body);
    const newest = Math.max(...list.items.map(({ metadata }) => Number(metadata.resourceVersion)));
    api.record('list is as new as its items', Number(list.metadata.resourceVersion) >= newest);
  });

  it('reads what it has just written', async (api) => {
    const path = secrets(api.namespace);
    for (let turn = 0; turn < 20; turn += 1) {
      await api.setUp('POST', path, { body: secret(`c${turn}`) });
      const { body } = await api.setUp('GET', path);
      if (listOf(body).items.length !== turn + 1) api.record('a list missed a write', turn);
    }
    await api.ask('GET', path, { keep: names });
  });
});
