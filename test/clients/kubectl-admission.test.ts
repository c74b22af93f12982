import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { eventually } from '../support/index.ts';
import { chosenKubectls, KubectlHome } from './kubectl.ts';
import { configMap, deployment } from './manifests.ts';

const kubectls = await chosenKubectls();
const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'deny' },
  webhooks: [
    {
      name: 'deny.example.com',
      clientConfig: { service: { name: 'deny', namespace: 'default', path: '/' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      objectSelector: { matchExpressions: [{ key: 'deny', operator: 'Exists' }] },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

/** What the webhook answers, by the value of the label `deny`. */
const denials: Readonly<Record<string, object>> = {
  plainly: { message: 'm' },
  forbidden: { message: 'm', code: 403, reason: 'Forbidden' },
  invalid: {
    message: 'm',
    code: 422,
    reason: 'Invalid',
    details: { kind: 'Thing', name: 'n', causes: [{ message: 'bad', field: 'spec.a' }] },
  },
};

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object: { readonly metadata: { readonly labels: { readonly deny: string } } };
  };
}

let server: ApiServer;
let webhook: Server;

beforeAll(async () => {
  server = await startApiServer({ webhooks: [configuration] });
  await server.client.create(policy);
  await server.client.create(binding);
  const { certificatePem = '', keyPem = '', port = 0, host = '' } = server.webhookServer ?? {};
  webhook = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      const { uid, object } = (JSON.parse(body) as Review).request;
      const answer = { uid, allowed: false, status: denials[object.metadata.labels.deny] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await new Promise<void>((resolve) => webhook.listen(port, host, resolve));
});
afterAll(async () => {
  webhook.closeAllConnections();
  webhook.close();
  await server.stop();
});

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'few' },
  spec: {
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }],
    },
    validations: [{ expression: 'object.spec.replicas <= 5', message: 'at most five' }],
  },
};
const binding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'few' },
  spec: { policyName: 'few', validationActions: ['Deny'] },
};

describe.each(kubectls)('kubectl $version', (kubectl) => {
  const denied = 'admission webhook "deny.example.com" denied the request: m';
  const file = (home: KubectlHome): string => `${home.folder}/denied.json`;
  const expected: Readonly<Record<string, (home: KubectlHome) => string>> = {
    plainly: (home) => `Error from server: error when creating "${file(home)}": ${denied}\n`,
    forbidden: (home) => `Error from server (Forbidden): error when creating "${file(home)}": ${denied}\n`,
    invalid: () => 'The Thing "n" is invalid: spec.a: bad\n',
  };

  test.each(Object.keys(denials))('ADM-01 ADM-02 reports why a webhook denied an object %s', async (how) => {
    await using home = await KubectlHome.open(kubectl, { kubeconfig: server.kubeconfig, namespace: 'default' });
    await home.file('denied.json', configMap('denied', {}, { deny: how }));
    const { code, stderr } = await home.run(`create -f ${file(home)}`);
    expect([code, stderr]).toEqual([1, expected[how]?.(home)]);
  });

  test('ADM-36 names the policy that denied an object', async () => {
    await using home = await KubectlHome.open(kubectl, { kubeconfig: server.kubeconfig, namespace: 'default' });
    const file = await home.file('many.json', deployment('many', 6));
    await eventually(async () => {
      const { code, stderr } = await home.run(`create --dry-run=server -f ${file}`);
      const what = "ValidatingAdmissionPolicy 'few' with binding 'few' denied request: at most five";
      expect([code, stderr]).toEqual([1, `The deployments "many" is invalid: : ${what}\n`]);
    });
  });
});
