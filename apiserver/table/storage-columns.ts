import type { JsonValue } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import { age, booleanColumn, column, countColumn, createdAt, textColumn } from './columns.ts';
import { listAt, textAt } from './object-values.ts';

const shortModes: ReadonlyMap<string, string> = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

function modesText(modes: readonly JsonValue[]): string {
  const named = new Set(modes.map(String));
  return [...shortModes].flatMap(([mode, short]) => (named.has(mode) ? [short] : [])).join(',');
}

function phase(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined ? textAt(object, 'status', 'phase') : 'Terminating';
}

function storageClass(object: KubeObject): string {
  const legacy = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return legacy ?? textAt(object, 'spec', 'storageClassName');
}

function claim(volume: KubeObject): string {
  const name = textAt(volume, 'spec', 'claimRef', 'name');
  return name === '' ? '' : `${textAt(volume, 'spec', 'claimRef', 'namespace')}/${name}`;
}

/** What a claim shows before it is bound is empty. */
function whenBound(text: (object: KubeObject) => string): (object: KubeObject) => string {
  return (object) => (textAt(object, 'spec', 'volumeName') === '' ? '' : text(object));
}

const attributesClass = textColumn('VolumeAttributesClass', ['spec', 'volumeAttributesClassName'], '<unset>');
const volumeMode = textColumn('VolumeMode*', ['spec', 'volumeMode'], '<unset>');

/** Columns after Name, by `group/Kind`, of storage. */
export const storageColumns: Readonly<Record<string, readonly TableColumn[]>> = {
  '/PersistentVolume': [
    textColumn('Capacity', ['spec', 'capacity', 'storage']),
    column('Access Modes', (object) => modesText(listAt(object, 'spec', 'accessModes'))),
    textColumn('Reclaim Policy', ['spec', 'persistentVolumeReclaimPolicy']),
    column('Status', phase),
    column('Claim', claim),
    column('StorageClass', storageClass),
    attributesClass,
    textColumn('Reason', ['status', 'reason']),
    age,
    volumeMode,
  ],
  '/PersistentVolumeClaim': [
    column('Status', phase),
    textColumn('Volume', ['spec', 'volumeName']),
    column(
      'Capacity',
      whenBound((object) => textAt(object, 'status', 'capacity', 'storage')),
    ),
    column(
      'Access Modes',
      whenBound((object) => modesText(listAt(object, 'status', 'accessModes'))),
    ),
    column('StorageClass', storageClass),
    attributesClass,
    age,
    volumeMode,
  ],
  'storage.k8s.io/StorageClass': [
    textColumn('Provisioner', ['provisioner']),
    textColumn('ReclaimPolicy', ['reclaimPolicy'], 'Delete'),
    textColumn('VolumeBindingMode', ['volumeBindingMode'], 'Immediate'),
    column('AllowVolumeExpansion', (object) => object['allowVolumeExpansion'] === true),
    age,
  ],
  'storage.k8s.io/VolumeAttachment': [
    column('Attacher', (object) => textAt(object, 'spec', 'attacher'), { format: 'name' }),
    textColumn('PV', ['spec', 'source', 'persistentVolumeName']),
    textColumn('Node', ['spec', 'nodeName']),
    booleanColumn('Attached', ['status', 'attached']),
    age,
  ],
  'storage.k8s.io/CSINode': [countColumn('Drivers', ['spec', 'drivers']), age],
  'storage.k8s.io/CSIDriver': [
    booleanColumn('AttachRequired', ['spec', 'attachRequired'], true),
    booleanColumn('PodInfoOnMount', ['spec', 'podInfoOnMount']),
    booleanColumn('StorageCapacity', ['spec', 'storageCapacity']),
    column('TokenRequests', (object) => {
      const audiences = listAt(object, 'spec', 'tokenRequests').map((request) => textAt(request, 'audience'));
      return audiences.join(',') || '<unset>';
    }),
    booleanColumn('RequiresRepublish', ['spec', 'requiresRepublish']),
    column('Modes', (object) => listAt(object, 'spec', 'volumeLifecycleModes').map(String).join(',') || '<none>'),
    age,
  ],
  'storage.k8s.io/CSIStorageCapacity': [createdAt],
};
