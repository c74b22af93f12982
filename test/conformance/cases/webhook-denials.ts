import type { JsonObject } from '../../../src/base/index.ts';
import { openHooks } from '../hooks.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

async function askWith(api: Probe, response: JsonObject): Promise<void> {
  const hooks = await openHooks(api);
  await hooks.install('ValidatingWebhookConfiguration', { judge: { answer: () => response } });
  await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body: configMap('judged') });
}

/** What a client sees of what a validating webhook answers. */
export const cases: Area = area('Denials of webhooks', (it) => {
  const denials: Readonly<Record<string, JsonObject>> = {
    'ADM-01 denies with a message': { status: { message: 'not this one' } },
    'ADM-02 denies with code 403 and reason Forbidden': {
      status: { code: 403, reason: 'Forbidden', message: 'not this one' },
    },
    'ADM-03 denies without a status': {},
    'ADM-04 denies with a reason alone': { status: { reason: 'Forbidden' } },
    'ADM-05 denies with code 200': { status: { code: 200, message: 'not this one' } },
    'denies with details': {
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'not this one',
        details: {
          name: 'x',
          kind: 'ConfigMap',
          causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data' }],
        },
      },
    },
    'denies with a code that is none': { status: { code: 99, message: 'not this one' } },
    'denies with code 500': { status: { code: 500, message: 'not this one' } },
    'denies with reason Unauthorized': { status: { code: 401, reason: 'Unauthorized', message: 'who are you' } },
    'denies, and warns besides': { status: { message: 'not this one' }, warnings: ['look out'] },
    'denies with an empty status': { status: {} },
    'denies with a status of success': { status: { status: 'Success', message: 'not this one' } },
  };
  for (const [name, response] of Object.entries(denials)) {
    it(name, async (api) => askWith(api, { allowed: false, ...response }));
  }

  it('ADM-06 passes warnings on', async (api) => {
    await askWith(api, { allowed: true, warnings: ['first', 'second "quoted"', 'x'.repeat(300)] });
  });

  it('passes on as many warnings as fit', async (api) => {
    const warnings = Array.from({ length: 60 }, (_, index) => `${index} ${'w'.repeat(110)}`);
    await askWith(api, { allowed: true, warnings });
  });

  it('ADM-13 does not take a patch from a validating webhook', async (api) => {
    await askWith(api, { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('[]').toString('base64') });
  });

  it('takes the first of several denials of one configuration', async (api) => {
    const hooks = await openHooks(api);
    const deny = (message: string) => (): JsonObject => ({ allowed: false, status: { message } });
    await hooks.install('ValidatingWebhookConfiguration', {
      good: { answer: () => ({ allowed: true }) },
      bad: { answer: deny('bad') },
    });
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body: configMap('judged') });
  });
});
