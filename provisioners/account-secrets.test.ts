import { expect, test } from 'vitest';
import { startApiServer } from '../apiserver/index.ts';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { createManager } from '../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { eventually } from '../test/support/index.ts';
import { createAccountSecrets } from './account-secrets.ts';

const systemNamespace = 'default';
const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: systemNamespace, name: 'default' };
const user = { fieldManager: 'test' };

test('the pull secrets of the service account are watched, and no other change of it is reported', async () => {
  const server = await startApiServer({ simulation: false });
  const stop = new AbortController();
  try {
    const access = await loadClusterAccess({ text: server.kubeconfig });
    const kube = createKubeClient({ access, clock: systemClock });
    await eventually(() => kube.get(account));
    const manager = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stop.signal });
    const secrets = createAccountSecrets(manager, systemNamespace);
    const cache = manager.cache(secrets.target);
    await cache.whenSynced;
    expect(secrets.names()).toEqual([]);
    const seen: (readonly string[])[] = [];
    cache.subscribe((change) => {
      if (secrets.hasChanged(change)) seen.push(secrets.names());
    });
    await kube.patch(account, { metadata: { labels: { touched: 'yes' } } }, user);
    await kube.patch(account, { imagePullSecrets: [{ name: 'one' }, { name: 'two' }] }, user);
    await eventually(() => expect(secrets.names()).toEqual(['one', 'two']));
    await kube.patch(account, { metadata: { labels: { touched: 'again' } } }, user);
    await kube.patch(account, { imagePullSecrets: null }, user);
    await eventually(() => expect(secrets.names()).toEqual([]));
    expect(seen).toEqual([['one', 'two'], []]);
  } finally {
    stop.abort();
    await server.stop();
  }
});
