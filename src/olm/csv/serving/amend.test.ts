import { expect, test } from 'vitest';
import { withCertificate } from './amend.ts';

const secret = { name: 'boat-service-cert', hash: 'abc' };

test('certificates are mounted where servers look for them, and mounts of the author win over the usual places', () => {
  const own = { name: 'webhook-cert', mountPath: '/certificates' };
  const other = { name: 'other', mountPath: '/apiserver.local.config/certificates' };
  const spec = {
    containers: [{ name: 'operator', volumeMounts: [own, other] }],
    volumes: [
      { name: 'webhook-cert', emptyDir: {} },
      { name: 'data', emptyDir: {} },
    ],
    serviceAccountName: 'sailor',
  };
  const template = { metadata: { annotations: { a: 'b', olmcahash: 'old' } }, spec };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'boat' },
    spec: { replicas: 2, template },
  };
  const amended = withCertificate(object, secret);
  const volume = (name: string, ...paths: readonly string[]): object => {
    const items = [
      { key: 'tls.crt', path: paths[0] },
      { key: 'tls.key', path: paths[1] },
    ];
    return { name, secret: { secretName: 'boat-service-cert', items, defaultMode: 420 } };
  };
  expect(amended['spec']).toEqual({
    replicas: 2,
    template: {
      metadata: { annotations: { a: 'b', olmcahash: 'abc' } },
      spec: {
        containers: [
          {
            name: 'operator',
            volumeMounts: [own, { name: 'apiservice-cert', mountPath: '/apiserver.local.config/certificates' }],
          },
        ],
        volumes: [
          volume('webhook-cert', 'tls.crt', 'tls.key'),
          { name: 'data', emptyDir: {} },
          volume('apiservice-cert', 'apiserver.crt', 'apiserver.key'),
        ],
        serviceAccountName: 'sailor',
      },
    },
  });
  expect(withCertificate(amended, secret)).toEqual(amended);
});
