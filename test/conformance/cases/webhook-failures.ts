import type { ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { type Answering, openHooks } from '../hooks.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

type Kind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

interface Failure {
  readonly answer?: Answering;
  readonly spec?: JsonObject;
  readonly kind?: Kind;
}

/** Asks under both failure policies. */
async function askBoth(api: Probe, { answer = () => undefined, spec = {}, kind }: Failure): Promise<void> {
  const hooks = await openHooks(api);
  for (const failurePolicy of ['Fail', 'Ignore']) {
    const selected = { ...spec, failurePolicy, objectSelector: { matchLabels: { policy: failurePolicy } } };
    const name = `judge-${failurePolicy.toLowerCase()}`;
    const configuration = api.unique(name);
    await hooks.install(
      kind ?? 'ValidatingWebhookConfiguration',
      { [name]: { answer, spec: selected } },
      configuration,
    );
    const metadata = { name: failurePolicy.toLowerCase(), labels: { policy: failurePolicy } };
    const body = { ...configMap(''), metadata };
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body });
  }
}

const sends =
  (status: number, text: string, contentType = 'application/json') =>
  (_: unknown, response: ServerResponse): undefined => {
    response.writeHead(status, { 'content-type': contentType }).end(text);
  };

const review = (response: JsonObject, more: JsonObject = {}): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What becomes of a request when a webhook cannot be asked, or answers nonsense. */
export const cases: Area = area('Failures of webhooks', (it) => {
  const failures: Readonly<Record<string, Failure>> = {
    'ADM-07 answers for another request': { answer: sends(200, review({ uid: 'other', allowed: true })) },
    'answers without a response': {
      answer: sends(200, JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })),
    },
    'answers with another kind': { answer: sends(200, JSON.stringify({ apiVersion: 'v1', kind: 'Status' })) },
    'answers with another version of the review': {
      answer: (request, response) =>
        void response.end(review({ uid: request.uid, allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' })),
    },
    'answers status 404': { answer: sends(404, 'no such page', 'text/plain') },
    'answers status 500': { answer: sends(500, 'out of order', 'text/plain') },
    'answers status 200 with an empty body': { answer: sends(200, '') },
    'ADM-08 ADM-09 does not listen': { spec: { clientConfig: { url: 'https://127.0.0.1:1/judge' } } },
    'is a service that does not exist': {
      spec: { clientConfig: { service: { namespace: 'default', name: 'no-such-service', path: '/judge' } } },
    },
    'ADM-12 patches without a patch type': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({ allowed: true, patch: base64('[]') }),
    },
    'has a patch type without a patch': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({ allowed: true, patchType: 'JSONPatch' }),
    },
    'has an unknown patch type': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({ allowed: true, patchType: 'MergePatch', patch: base64('{}') }),
    },
    'patches a path that is not there': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({ allowed: true, patchType: 'JSONPatch', patch: base64('[{"op":"remove","path":"/data/x"}]') }),
    },
    'patches a field that the kind does not have': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({
        allowed: true,
        patchType: 'JSONPatch',
        patch: base64('[{"op":"add","path":"/spec","value":{"a":1}}]'),
      }),
    },
    'patches a field with a wrong type': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({
        allowed: true,
        patchType: 'JSONPatch',
        patch: base64('[{"op":"add","path":"/data","value":{"a":1}}]'),
      }),
    },
    'changes the name': {
      kind: 'MutatingWebhookConfiguration',
      answer: () => ({
        allowed: true,
        patchType: 'JSONPatch',
        patch: base64('[{"op":"replace","path":"/metadata/name","value":"other"}]'),
      }),
    },
  };
  for (const [name, failure] of Object.entries(failures)) it(name, async (api) => askBoth(api, failure));

  it('ADM-10 is given up after timeoutSeconds', async (api) => {
    const hooks = await openHooks(api);
    const never: Answering = () => new Promise(() => {});
    await hooks.install('ValidatingWebhookConfiguration', { slow: { answer: never, spec: { timeoutSeconds: 1 } } });
    const startedMs = performance.now();
    // Go words the same deadline in two ways.
    const deadline = /(context deadline exceeded|net\/http: request canceled).*$/;
    const keep = (body: JsonValue): unknown =>
      isJsonObject(body) && String(body['message'] as string).replace(deadline, 'deadline');
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body: configMap('late'), keep });
    const seconds = (performance.now() - startedMs) / 1000;
    api.record('after a second', seconds >= 1 && seconds < 5);
  });

  it('is not asked with a certificate that it is not trusted by', async (api) => {
    const hooks = await openHooks(api);
    const clientConfig = { url: `${hooks.url}/judge` };
    await hooks.install('ValidatingWebhookConfiguration', {
      judge: { answer: () => ({ allowed: true }), spec: { clientConfig } },
    });
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body: configMap('untrusted') });
  });
});
