import { expect, test } from 'vitest';
import { managedKinds, patchOf } from './choice.ts';

const catalog = { packageName: 'tide-gauge', channels: ['alpha', 'beta'], version: '0.1.0' };
const spec = { namespace: 'tides', source: { sourceType: 'Catalog', catalog } };

function patch(kind: string, before: Record<string, unknown>, part: Record<string, string>): unknown {
  const known = managedKinds[kind];
  return known && patchOf(known, before, { ...known.read(before), ...part });
}

test('a choice is a merge patch of what it changes', () => {
  const ofCatalog = (value: object): object => ({ spec: { source: { catalog: value } } });
  expect(patch('ClusterExtension', spec, {})).toBeUndefined();
  expect(patch('ClusterExtension', spec, { version: '' })).toEqual(ofCatalog({ version: null }));
  expect(patch('ClusterExtension', spec, { version: '0.1.1' })).toEqual(ofCatalog({ version: '0.1.1' }));
  expect(patch('ClusterExtension', spec, { channel: 'beta' })).toEqual(ofCatalog({ channels: ['beta'] }));
  expect(patch('ClusterExtension', spec, { channel: '' })).toEqual(ofCatalog({ channels: null }));
  expect(patch('ClusterExtension', spec, { policy: 'SelfCertified' })).toEqual(
    ofCatalog({ upgradeConstraintPolicy: 'SelfCertified' }),
  );
  expect(patch('PlatformOperator', { package: { name: 'x' } }, { policy: 'Automatic' })).toEqual({
    spec: { upgradePolicy: 'Automatic' },
  });
  expect(patch('Subscription', { channel: 'alpha', installPlanApproval: 'Manual' }, { channel: 'beta' })).toEqual({
    spec: { channel: 'beta' },
  });
});
