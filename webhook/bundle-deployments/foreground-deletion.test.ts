import { expect, test } from 'vitest';
import { parseBundleDeployment } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { readReview } from '../review/request.ts';
import { rules } from '../rules.ts';
import { deletionOf } from './foreground-deletion.ts';

const template = { spec: { provisionerClassName: 'plain', source: { type: 'image', image: { ref: 'x' } } } };
const orphaned = { annotations: { 'core.rukpak.io/orphan': 'true' } };
const owner = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'tide', uid: '1' };
const owned = { ownerReferences: [{ ...owner, controller: true }] };

/** Why a BundleDeployment may not be deleted with these options; empty where it may. */
function denial(metadata: JsonObject, options: JsonObject): string {
  const deployment = parseBundleDeployment({
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name: 'shop', ...metadata },
    spec: { provisionerClassName: 'plain', template },
  });
  const request = readReview({ request: { uid: '1', operation: 'DELETE', options } });
  const { denials } = rules['foreground-deletion'].evaluate(deletionOf(deployment, request));
  return denials.map(({ text }) => text).join();
}

test.each([
  { how: 'by the request', finalizers: [], options: { propagationPolicy: 'Foreground' } },
  { how: 'by its finalizer', finalizers: ['foregroundDeletion'], options: {} },
])(
  'a BundleDeployment that leaves its objects, or that a ClusterExtension deletes, stays in the foreground $how',
  ({ finalizers, options }) => {
    expect(denial({ finalizers, ...orphaned }, options)).toContain('leaves its objects (core.rukpak.io/orphan)');
    expect(denial({ finalizers, ...owned }, options)).toContain('is deleted by ClusterExtension "tide"');
    expect(denial({ finalizers }, options)).toBe('');
  },
);

test('in the background, and with --cascade=orphan, they are deleted, whatever their finalizers', () => {
  for (const propagationPolicy of ['Background', 'Orphan']) {
    const finalizers = ['foregroundDeletion'];
    expect(denial({ finalizers, ...orphaned, ...owned }, { propagationPolicy })).toBe('');
  }
  expect(denial({ ...orphaned, ...owned }, {})).toBe('');
});
