import { expect, test } from 'vitest';
import { notedReader } from './noted.ts';

const provisionerClassName = 'core-rukpak-io-plain';
const deployment = {
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'BundleDeployment',
  metadata: { name: 'tide', uid: 'of-deployment' },
  spec: { provisionerClassName, template: { spec: { provisionerClassName, source: { type: 'upload', upload: {} } } } },
  status: {
    activeBundle: 'tide-1',
    record: {
      uid: 'of-deployment',
      bundles: [{ name: 'tide-1', uid: 'of-bundle', specHash: '' }],
      installation: 'Done',
      groupKinds: [],
      namespaces: [],
    },
  },
};
const properties = [{ type: 'olm.package', value: { packageName: 'base', version: '1.0.0' } }];

test.each([
  { what: 'the recorded Bundle', uid: 'of-bundle', found: properties },
  { what: 'a Bundle of the same name, which a user has created', uid: 'of-another', found: [] },
])('of $what the properties are $found', ({ uid, found }) => {
  const annotations = { 'core.rukpak.io/bundle-properties': JSON.stringify(properties) };
  const bundle = { apiVersion: deployment.apiVersion, kind: 'Bundle', metadata: { name: 'tide-1', uid, annotations } };
  expect(notedReader({ get: () => bundle })(deployment)).toEqual(found);
});
