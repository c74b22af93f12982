import type { JsonValue } from '../../../src/base/index.ts';
import { makeSecrets, secret, secrets, versionOf, withoutCurrent } from '../list-shapes.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';
import type { WatchEvent } from '../watch.ts';

/** Events of a watch that was asked like any request: one JSON object a line. */
const lines = (body: JsonValue): unknown => {
  if (typeof body !== 'string') return body;
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
};

/** Without the versions that depend on all who write. */
const anyVersion = (found: unknown): unknown =>
  JSON.parse(
    JSON.stringify(found).replaceAll(/too old resource version: \d+ \(\d+\)/g, 'too old resource version: N (M)'),
  );

const outlineOf = ({ type, object }: WatchEvent): unknown => {
  const { name, annotations, resourceVersion } = (object['metadata'] ?? {}) as Record<string, unknown>;
  return { type, name, annotations, hasVersion: resourceVersion !== undefined };
};

/** Opens a watch, lets a Secret `last` follow what it begins with, and records types and names. */
async function watchOutline(api: Probe, query: string, initial: number): Promise<void> {
  const path = secrets(api.namespace);
  const watch = await api.watch(`${path}?watch=true&${query}`, { keep: outlineOf });
  await watch.until((events) => events.length >= initial);
  await api.setUp('POST', path, { body: secret('last') });
  await watch.until((events) => events.some(({ object }) => JSON.stringify(object).includes('"name":"last"')));
  watch.close();
}

const refused: readonly string[] = [
  'sendInitialEvents=true',
  'sendInitialEvents=false',
  'sendInitialEvents=',
  'sendInitialEvents=true&resourceVersionMatch=Exact',
  'sendInitialEvents=true&resourceVersionMatch=x',
  'sendInitialEvents=true&allowWatchBookmarks=true',
  'resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Exact&resourceVersion=5',
  'resourceVersionMatch=x',
  'resourceVersionMatch=NotOlderThan&continue=x',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x&allowWatchBookmarks=true',
  'resourceVersion=x',
  'resourceVersion=-1',
  'resourceVersion=1.5',
  'resourceVersion=99999999999999999999',
  'labelSelector=%3D',
  'fieldSelector=x',
  'fieldSelector=spec.x%3D1',
  'timeoutSeconds=x',
  'timeoutSeconds=',
  'timeoutSeconds=1.5',
  'timeoutSeconds=1&limit=x',
  'continue=x',
  'limit=1&continue=x',
  'resourceVersion=0&continue=x',
];

const accepted: readonly string[] = [
  'limit=1',
  'allowWatchBookmarks=false',
  'allowWatchBookmarks=true',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0',
];

const initialKinds: readonly (readonly [kind: string, path: string])[] = [
  ['Secrets', '/api/v1/secrets'],
  ['Events', '/api/v1/events'],
  ['Pods', '/api/v1/pods'],
  ['Services', '/api/v1/services'],
  ['Nodes', '/api/v1/nodes'],
  ['ResourceQuotas', '/api/v1/resourcequotas'],
  ['Jobs', '/apis/batch/v1/jobs'],
  ['Roles', '/apis/rbac.authorization.k8s.io/v1/roles'],
  ['Ingresses', '/apis/networking.k8s.io/v1/ingresses'],
  ['HorizontalPodAutoscalers', '/apis/autoscaling/v2/horizontalpodautoscalers'],
  ['CustomResourceDefinitions', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
  ['Leases', '/apis/coordination.k8s.io/v1/leases'],
];

/** The version of a bookmark depends on all who write. */
const withoutVersion = ({ type, object }: WatchEvent): unknown => {
  const { resourceVersion, ...metadata } = object['metadata'] as Record<string, unknown>;
  return { type, object: { ...object, metadata: type === 'BOOKMARK' ? metadata : { ...metadata, resourceVersion } } };
};

/** Options of watches, and how watches end. */
export const cases: Area = area('Watch options', (it) => {
  for (const query of refused) {
    it(`refuses a watch with ${query}`, async (api) => {
      await api.ask('GET', `${secrets(api.namespace)}?watch=true&timeoutSeconds=1&${query}`, { keep: lines });
    });
  }

  for (const query of accepted) {
    it(`watches with ${query}`, async (api) => {
      await makeSecrets(api, 'a', 'b');
      await watchOutline(api, query, 2);
    });
  }

  for (const version of ['', '&resourceVersion=0', '&resourceVersion=now']) {
    it(`W151 sends initial events and their end${version}`, async (api) => {
      const path = await makeSecrets(api, 'a', 'b');
      const now = await versionOf(api, path);
      const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      await watchOutline(api, `${options}${version.replace('now', now)}`, 3);
    });

    it(`sends no initial events when not requested${version}`, async (api) => {
      const path = await makeSecrets(api, 'a', 'b');
      const now = await versionOf(api, path);
      const options = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      await watchOutline(api, `${options}${version.replace('now', now)}`, 0);
    });
  }

  for (const [kind, path] of initialKinds) {
    it(`W151 marks the end of the initial events of ${kind}`, async (api) => {
      const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const none = 'labelSelector=none-has-this';
      const watch = await api.watch(`${path}?watch=true&${options}&${none}`, { keep: withoutVersion });
      await watch.until((events) => events.some(({ type }) => type === 'BOOKMARK'));
      watch.close();
    });
  }

  it('W151 has no Tables for initial events and their end, but metadata', async (api) => {
    const path = await makeSecrets(api, 'a');
    const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const as = (form: string): string => `application/json;as=${form};v=v1;g=meta.k8s.io`;
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=1&${options}`, { accept: as('Table') });
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true`, { accept: as('Table') });
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=1&${options}`, {
      accept: `${as('Table')},application/json`,
      keep: (body) => (lines(body) as WatchEvent[]).slice(0, 2).map(withoutVersion),
    });
    const accept = as('PartialObjectMetadata');
    const watch = await api.watch(`${path}?watch=true&${options}`, { accept, keep: withoutVersion });
    await watch.until((events) => events.length >= 2);
    watch.close();
  });

  it('reports in an event that initial events of a future version are not available', async (api) => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const path = `${secrets(api.namespace)}?watch=true&timeoutSeconds=20&resourceVersion=9000000000000&${query}`;
    await api.ask('GET', path, { keep: (body) => withoutCurrent(lines(body) as JsonValue) });
  });

  const differs =
    'kube-apiserver waits until it has reached the version. The embedded server has reached every version that it has given; another one is of a cluster that was restored from an older copy, whose changes a client would not see: it gets 410, and lists again.';
  it('waits for what comes when the version is not there yet', { differs }, async (api) => {
    const path = await makeSecrets(api, 'a');
    const query = `watch=true&timeoutSeconds=1&resourceVersion=9000000000000`;
    await api.ask('GET', `${path}?${query}`, { keep: (body) => withoutCurrent(lines(body) as JsonValue) });
  });

  it('W148 ends at once with 410 in an event when the version is forgotten', async (api) => {
    const path = await makeSecrets(api, 'a');
    await api.ask('GET', `${path}?watch=true&resourceVersion=1`, {
      keep: (body) => anyVersion(lines(body)),
      recordHeaders: ['content-type'],
    });
  });

  it('W149 sends a bookmark before the end, and none unasked', async (api) => {
    const path = await makeSecrets(api, 'a');
    const version = await versionOf(api, path);
    const at = `watch=true&resourceVersion=${version}&timeoutSeconds=4`;
    const [asked, unasked] = await Promise.all([
      api.setUp('GET', `${path}?${at}&allowWatchBookmarks=true`),
      api.setUp('GET', `${path}?${at}`),
    ]);
    api.record('asked', (lines(asked.text) as WatchEvent[]).slice(0, 1).map(withoutVersion));
    api.record('unasked', unasked.text);
  });

  it('W150 ends cleanly when its time is over', async (api) => {
    const path = await makeSecrets(api, 'a');
    const startedMs = performance.now();
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=2`, {
      keep: lines,
      recordHeaders: ['content-type', 'transfer-encoding', 'content-length', 'cache-control'],
    });
    const tookMs = performance.now() - startedMs;
    api.record('after two seconds', tookMs > 1900 && tookMs < 4000);
  });

  it('takes anything but false and 0 as a request to watch', async (api) => {
    const path = await makeSecrets(api, 'a');
    for (const watch of ['true', '1', '', 'yes', 'false', '0', 'False', 'no']) {
      await api.ask('GET', `${path}?watch=${watch}&timeoutSeconds=1&fieldSelector=metadata.name%3Da`, {
        keep: (body) => (typeof body === 'string' || (body as { type?: string }).type !== undefined ? 'watch' : 'list'),
      });
    }
  });

  it('watches no kind that only creates', async (api) => {
    await api.ask('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?watch=true&timeoutSeconds=1');
    await api.ask('POST', `${secrets(api.namespace)}?watch=true`, { body: secret('x'), keep: () => 'created' });
  });
});
