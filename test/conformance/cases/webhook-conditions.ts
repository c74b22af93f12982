import type { JsonObject } from '../../../src/base/index.ts';
import { openHooks } from '../hooks.ts';
import { configMapWriter } from '../policies.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const conditions = (...expressions: string[]): JsonObject[] =>
  expressions.map((expression, index) => ({ name: `condition-${index}`, expression }));
const rules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] },
];

/** Installs a webhook with match conditions, and records which ConfigMaps it was asked about while `act` was busy. */
async function withConditions(
  api: Probe,
  spec: JsonObject,
  act: (writer: ReturnType<typeof configMapWriter>) => Promise<void>,
): Promise<void> {
  const hooks = await openHooks(api);
  const answer = (): JsonObject => ({ allowed: true });
  await hooks.install('ValidatingWebhookConfiguration', { seen: { answer, spec: { rules, ...spec } } });
  await act(configMapWriter(api));
  const own = ({ userInfo }: JsonObject): boolean => (userInfo as JsonObject)['username'] === 'alice';
  const asked = hooks.calls.filter(({ request }) => own(request));
  api.record(
    'asked about',
    asked.map(({ request }) => [request['operation'], request['name']]),
  );
}

/** When `matchConditions` let a webhook be asked. */
export const cases: Area = area('Match conditions of webhooks', (it) => {
  it('ADM-23 is asked only about what all conditions hold for', async (api) => {
    const matchConditions = conditions("object.metadata.name.startsWith('m')", "!('skip' in object.data)");
    await withConditions(api, { matchConditions }, async ({ create }) => {
      await create('match', { a: 'b' });
      await create('other', { a: 'b' });
      await create('mind', { skip: 'yes' });
    });
  });

  it('ADM-24 refuses when a condition cannot be evaluated', async (api) => {
    const matchConditions = conditions("object.data.nope == 'x'");
    await withConditions(api, { matchConditions }, async ({ create }) => {
      await create('a', { nope: 'x' });
      await create('b', { nope: 'y' });
      await create('c', { a: 'b' });
    });
  });

  it('reports several errors in one', async (api) => {
    const matchConditions = conditions("object.data.nope == 'x'", 'true', "object.data.neither == 'x'");
    await withConditions(api, { matchConditions }, async ({ create }) => {
      await create('a', { a: 'b' });
    });
  });

  it('a condition that is false outweighs those that cannot be evaluated', async (api) => {
    const matchConditions = conditions("object.data.nope == 'x'", 'false');
    await withConditions(api, { matchConditions }, async ({ create }) => {
      await create('a', { a: 'b' });
    });
  });

  it('ADM-24 does not ask when failurePolicy is Ignore', async (api) => {
    const matchConditions = conditions("object.data.nope == 'x'");
    await withConditions(api, { matchConditions, failurePolicy: 'Ignore' }, async ({ create }) => {
      await create('a', { nope: 'x' });
      await create('b', { a: 'b' });
    });
  });

  it('old objects, requests and the authorizer', async (api) => {
    const matchConditions = conditions(
      "request.operation != 'UPDATE' || object.data != oldObject.data",
      "request.operation != 'DELETE' || (object == null && oldObject.data.a == 'c')",
      "!('system:nodes' in request.userInfo.groups)",
      "authorizer.group('').resource('secrets').namespace(request.namespace).check('list').allowed()",
      "authorizer.requestResource.check('delete').allowed()",
    );
    await withConditions(api, { matchConditions }, async ({ create, change, remove }) => {
      await create('a', { a: 'b' });
      await change('a', { metadata: { labels: { a: 'b' } } });
      await change('a', { data: { a: 'c' } });
      await remove('a');
    });
  });

  it('mutating webhooks have conditions too', async (api) => {
    const hooks = await openHooks(api);
    const patch = Buffer.from('[{"op":"add","path":"/data/seen","value":"yes"}]').toString('base64');
    const answer = (): JsonObject => ({ allowed: true, patchType: 'JSONPatch', patch });
    const matchConditions = conditions("object.data.?wanted.orValue('no') == 'yes'");
    await hooks.install('MutatingWebhookConfiguration', { seen: { answer, spec: { matchConditions } } });
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    const keep = (body: unknown): unknown => (body as JsonObject)['data'];
    for (const wanted of ['yes', 'no']) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: wanted }, data: { wanted } };
      await api.ask('POST', path, { body, keep });
    }
  });
});
