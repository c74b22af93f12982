import type { JsonObject } from '../../../src/base/index.ts';
import { applying, kinds } from '../applying.ts';
import { withoutControllers } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const labels = { app: 'x' };
const template = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({ template: { metadata, spec } });
const containers = (...items: JsonObject[]): JsonObject => template({ containers: items });
const service = (spec: JsonObject): JsonObject => ({ spec });

/** Who conflicts with whom, over what, and in which words. */
export const cases: Area = area('Server-side apply: conflicts', (it) => {
  it('W124 names the manager and the field', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1' } });
    await apply('n', { data: { a: '2' } });
    await patch('u', { data: { b: '1' } });
    await apply('n', { data: { b: '2' } });
  });

  it('W125 names all managers and fields', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    await apply('z', { data: { a: '1', b: '1' }, metadata: { labels: { 'x.y/z': '1' } } });
    await patch('b', { data: { c: '1' }, metadata: { annotations: { q: '1' } } });
    await apply('a', { data: { d: '1', a: '1' } });
    await apply('n', {
      data: { a: '2', b: '2', c: '2', d: '2' },
      metadata: { labels: { 'x.y/z': '2' }, annotations: { q: '2' } },
    });
    await apply(
      'n',
      { data: { a: '2', b: '2', c: '2', d: '2' }, metadata: { labels: { 'x.y/z': '2' }, annotations: { q: '2' } } },
      '?force=true',
    );
  });

  it('W124 names a manager that has odd characters', async (api) => {
    const { apply } = applying(api, kinds.configMap);
    await apply('a%22b%5Cc%20%C3%A4', { data: { a: '1' } });
    await apply('n', { data: { a: '2' } });
  });

  it('W124 does not conflict on equal values', async (api) => {
    const { apply } = applying(api, kinds.podTemplate);
    const body = containers({ name: 'a', image: 'a', resources: { limits: { cpu: '1' } } });
    await apply('m', body);
    await apply('n', body);
    await apply('o', containers({ name: 'a', image: 'a', resources: { limits: { cpu: '1000m' } } }));
  });

  it('W124 names items of lists', async (api) => {
    const { apply } = applying(api, kinds.podTemplate);
    const item = (image: string, value: string): JsonObject =>
      containers({ name: 'a', image, env: [{ name: 'E', value }], ports: [{ containerPort: 80, name: value }] });
    await apply('m', item('a', 'x'));
    await apply('n', item('b', 'y'));
    await apply('n', item('b', 'y'), '?force=true');
    await apply('m', item('a', 'x'));
  });

  it('W124 names atomic maps and lists as a whole', async (api) => {
    const { apply } = applying(api, kinds.service);
    const own = { clusterIP: 'None', ports: [{ port: 80 }] };
    await apply('m', service({ ...own, selector: { a: 'b' }, externalIPs: ['1.2.3.4'] }));
    await apply('n', service({ selector: { a: 'b', c: 'd' }, externalIPs: ['1.2.3.4', '2.3.4.5'] }));
    await apply('n', service({ selector: { a: 'b', c: 'd' } }), '?force=true');
    await apply('m', service({ ...own, externalIPs: ['1.2.3.4'] }));
  });

  it('W124 names ports by number and protocol', async (api) => {
    const { apply, patch } = applying(api, kinds.service);
    await apply(
      'm',
      service({
        clusterIP: 'None',
        ports: [
          { port: 80, name: 'a', targetPort: 1 },
          { port: 80, name: 'b', protocol: 'UDP' },
        ],
      }),
    );
    await apply('n', service({ ports: [{ port: 80, targetPort: 2 }] }));
    await patch('u', { spec: { ports: [{ port: 80, name: 'c', targetPort: 'x' }] } });
    await apply('m', service({ clusterIP: 'None', ports: [{ port: 80, name: 'a', targetPort: 1 }] }));
  });

  it('W126 moves ownership by force, and gives up what is not forced', async (api) => {
    const { apply } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1', b: '1', c: '1' } });
    await apply('n', { data: { a: '2', b: '1' } }, '?force=true');
    await apply('m', { data: { b: '1' } });
    await apply('n', { data: {} });
    await apply('m', { data: {} });
    await apply('n', {});
    await apply('m', {});
  });

  it('W126 removes by force what others update', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1', b: '1' } });
    await patch('u', { data: { a: '2' } });
    await apply('m', { data: { b: '1' } });
    await apply('m', { data: { a: '3', b: '1' } }, '?force=true');
    await apply('m', { data: {} });
  });

  it('W123 keeps an item that another owns a part of', async (api) => {
    const { apply, patch } = applying(api, kinds.podTemplate);
    await apply(
      'm',
      containers({ name: 'a', image: 'a', env: [{ name: 'E', value: '1' }] }, { name: 'b', image: 'b' }),
    );
    await apply('n', containers({ name: 'a', tty: true }));
    await apply('m', containers({ name: 'b', image: 'b' }));
    await patch('u', containers({ name: 'b', image: 'b', stdin: true }));
    await apply('m', containers({ name: 'b', image: 'b' }));
  });

  it('W123 removes an item with unowned fields', async (api) => {
    const { apply } = applying(api, kinds.podTemplate);
    await apply('m', containers({ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }, { name: 'b', image: 'b' }));
    await apply('m', containers({ name: 'b', image: 'b' }));
    await apply('n', containers({ name: 'c', image: 'c' }));
    await apply('m', template({ hostNetwork: true }));
  });

  it('W123 removes a map with what is in it', async (api) => {
    const { apply } = applying(api, kinds.podTemplate);
    const a = { name: 'a', image: 'a' };
    await apply(
      'm',
      template(
        { containers: [{ ...a, resources: { limits: { cpu: '1', memory: '1' } } }], securityContext: { runAsUser: 1 } },
        { labels, annotations: { x: 'y' } },
      ),
    );
    await apply('n', template({ containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] }, { labels }));
    await apply('m', template({ containers: [a] }));
    await apply('n', template({ containers: [{ name: 'a', resources: {} }] }));
    await apply('n', {});
  });

  it('W123 keeps the order of lists', async (api) => {
    const { apply } = applying(api, kinds.podTemplate);
    const of = (...names: string[]): JsonObject => containers(...names.map((name) => ({ name, image: name })));
    await apply('m', of('a', 'b', 'c'));
    await apply('n', of('d', 'b'));
    await apply('m', of('c', 'a'));
    await apply('n', of('b', 'x', 'd', 'a'));
    await apply('o', of('z', 'a', 'y', 'c'));
    await apply('m', of('a', 'c', 'w'));
  });

  it('W123 keeps the order of sets', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    const of = (...finalizers: string[]): JsonObject => ({ metadata: { finalizers } });
    await apply('m', of('a/a', 'b/b', 'c/c'));
    await apply('n', of('d/d', 'b/b'));
    await apply('m', of('c/c', 'a/a'));
    await patch('u', of('x/x', 'c/c', 'a/a'));
    await apply('n', of('b/b', 'a/a', 'x/x'));
    await patch('u', { metadata: { finalizers: null } });
  });

  it('W123 owns references to owners', async (api) => {
    const { apply } = applying(api, kinds.configMap);
    const owner = (uid: string, rest: JsonObject = {}): JsonObject => ({
      apiVersion: 'a/v1',
      kind: 'K',
      name: 'n',
      uid,
      ...rest,
    });
    await apply('m', { metadata: { ownerReferences: [owner('u1')] } });
    await apply('n', { metadata: { ownerReferences: [owner('u2')] } });
    await apply('n', { metadata: { ownerReferences: [owner('u1', { controller: true })] } });
    await apply('m', { metadata: { ownerReferences: [] } });
  });

  it('W124 conflicts with status managers, scalers and updates of a Deployment', async (api) => {
    const { apply, patch } = applying(api, kinds.deployment, withoutControllers);
    const spec = {
      paused: true,
      replicas: 0,
      selector: { matchLabels: labels },
      ...template({ containers: [{ name: 'a', image: 'a' }] }, { labels }),
    };
    await apply('m', { spec });
    await patch('u', { spec: { minReadySeconds: 5 } });
    await apply('m', { spec: { ...spec, minReadySeconds: 6 } });
    await apply('m', { spec: { ...spec, strategy: { type: 'Recreate' } } });
    await apply('n', { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } });
  });
});
