import type { JsonValue } from '../../src/base/index.ts';
import { formatAge } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import { at, labelsText, listAt, numberAt, objectAt, selectorText, textAt } from './object-values.ts';

type Cell = (object: KubeObject, nowMs: number) => JsonValue;

interface Extras {
  readonly type?: TableColumn['type'];
  readonly format?: string;
}

/** A column of text. A name that ends in `*` is shown with `-o wide` only. */
export function column(name: string, cell: Cell, extras: Extras = {}): TableColumn {
  const isWide = name.endsWith('*');
  return {
    name: isWide ? name.slice(0, -1) : name,
    type: extras.type ?? 'string',
    format: extras.format ?? '',
    description: '',
    priority: isWide ? 1 : 0,
    cell,
  };
}

/** A column with the text at a path, or `otherwise` where there is none. */
export function textColumn(name: string, path: readonly string[], otherwise = ''): TableColumn {
  return column(name, (object) => textAt(object, ...path) || otherwise);
}

/** A column with the number at a path, 0 where there is none. */
export function integerColumn(name: string, path: readonly string[]): TableColumn {
  return column(name, (object) => numberAt(object, ...path), { type: 'integer' });
}

/** A column with the length of the list at a path. */
export function countColumn(name: string, path: readonly string[]): TableColumn {
  return column(name, (object) => listAt(object, ...path).length, { type: 'integer' });
}

/** A column that is true where the value at a path is, `otherwise` where there is none. */
export function booleanColumn(name: string, path: readonly string[], otherwise = false): TableColumn {
  const cell: Cell = (object) => {
    const value = at(object, ...path);
    return typeof value === 'boolean' ? value : otherwise;
  };
  return column(name, cell, { type: 'boolean' });
}

/** Time since creation. */
export const age: TableColumn = column('Age', (object, nowMs) => formatAge(object.metadata.creationTimestamp, nowMs));

/** Time of creation as it is stored. */
export const createdAt: TableColumn = column('Created At', (object) => object.metadata.creationTimestamp ?? '', {
  type: 'date',
});

/** Names and images of the containers in a pod template. */
export function containerColumns(templatePath: readonly string[], wide = true): TableColumn[] {
  const each = (object: KubeObject, field: string): string =>
    listAt(object, ...templatePath, 'spec', 'containers')
      .map((container) => textAt(container, field))
      .join(',');
  const mark = wide ? '*' : '';
  return [
    column(`Containers${mark}`, (object) => each(object, 'name')),
    column(`Images${mark}`, (object) => each(object, 'image')),
  ];
}

/** A LabelSelector in its text form. */
export function selectorColumn(name: string, path: readonly string[]): TableColumn {
  return column(name, (object) => selectorText(at(object, ...path)));
}

/** A map of labels as `k=v,…`. */
export function labelsColumn(name: string, path: readonly string[]): TableColumn {
  return column(name, (object) => labelsText(objectAt(object, ...path)));
}
