import type { TableColumn } from '../core/index.ts';
import { clusterColumns } from './cluster-columns.ts';
import { createdAt } from './columns.ts';
import { networkColumns } from './network-columns.ts';
import { policyColumns } from './policy-columns.ts';
import { nameColumn } from './printer-columns.ts';
import { storageColumns } from './storage-columns.ts';
import { workloadColumns } from './workload-columns.ts';

const columnsByKind: ReadonlyMap<string, readonly TableColumn[]> = new Map(
  [workloadColumns, networkColumns, storageColumns, policyColumns, clusterColumns].flatMap((table) =>
    Object.entries(table),
  ),
);

const defaultClassAnnotation = 'storageclass.kubernetes.io/is-default-class';

const classNameColumn: TableColumn = {
  ...nameColumn,
  cell: ({ metadata }) => {
    const isDefault = metadata.annotations?.[defaultClassAnnotation] === 'true';
    return `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
  },
};

/** The columns of a built-in kind (`group` is empty for core): those of kube-apiserver 1.33, or Name and Created At. */
export function columnsOf(group: string, kind: string): TableColumn[] {
  const columns = columnsByKind.get(`${group}/${kind}`) ?? [createdAt];
  if (kind === 'Event') return [...columns];
  return [kind === 'StorageClass' ? classNameColumn : nameColumn, ...columns];
}
