import { expect, test } from 'vitest';
import { parseReleaseFileName } from './file-name.ts';

test.each([
  ['0000_03_config-operator_01_proxy.crd.yaml', '03', 'config-operator', '01_proxy.crd.yaml'],
  ['0000_50_cloud-credential-operator_00-crd.yaml', '50', 'cloud-credential-operator', '00-crd.yaml'],
  ['0000_03_quota-openshift_01_x.yaml', '03', 'quota-openshift', '01_x.yaml'],
  ['0000_99_machine-api-operator_00_tombstones.yaml', '99', 'machine-api-operator', '00_tombstones.yaml'],
  ['0000_10_a_file.yaml', '10', 'a', 'file.yaml'],
  ['0000_10_openshift_service-ca_00.yaml', '10', 'openshift', 'service-ca_00.yaml'],
])('CV-32: the name %s states level and component', (name, ...parts) => {
  const { runlevel, component, rest } = parseReleaseFileName(name) ?? {};
  expect([runlevel, component, rest]).toEqual(parts);
});

test.each(['0000_50_a--b_x.yaml', '0000_50_-a_x.yaml', '0000_50_x.yaml', '0001_50_a_x.yaml', 'my.yaml'])(
  'the name %s states no level',
  (name) => {
    expect(parseReleaseFileName(name)).toBeUndefined();
  },
);
