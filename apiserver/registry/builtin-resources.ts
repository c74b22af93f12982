import type { KubeObject, RegistryView, ResourceType } from '../core/index.ts';
import { loadBuiltinSchemas } from '../schema/index.ts';
import { columnsOf } from '../table/index.ts';
import { createBuiltinStrategy } from './builtin-strategy.ts';
import { type BuiltinRow, builtinRows } from './builtin-table.ts';
import { type BuiltinKind, rulesOf } from './kinds/index.ts';
import { createRegistryView } from './service-network.ts';

/** What the built-in kinds need of the server they run in. */
export interface BuiltinOptions {
  /** All services stored; their cluster IPs and node ports are not given out again. */
  readonly services: () => Iterable<KubeObject>;
  readonly nowMs: () => number;
}

/** Events are stored once for both groups, in the core form; autoscalers in v2. */
function storageOf(row: BuiltinRow): { readonly storageKey: string; readonly isStorageVersion: boolean } {
  if (row.kind === 'Event') return { storageKey: 'events', isStorageVersion: row.group === '' };
  const storageKey = row.group === '' ? row.plural : `${row.plural}.${row.group}`;
  return { storageKey, isStorageVersion: `${row.group}/${row.version}` !== 'autoscaling/v1' };
}

function resourceOf(row: BuiltinRow, rules: BuiltinKind, view: RegistryView): ResourceType {
  const same = (object: KubeObject): KubeObject => object;
  return {
    group: row.group,
    version: row.version,
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural: row.plural,
    singular: row.singular,
    shortNames: row.shortNames,
    categories: row.categories,
    namespaced: row.namespaced,
    verbs: row.verbs,
    subresources: row.subresources,
    ...storageOf(row),
    isCustom: false,
    storageVersionHash: row.storageVersionHash,
    ...(Object.hasOwn(deprecations, row.kind) ? { deprecationWarning: deprecations[row.kind] ?? '' } : {}),
    schema: loadBuiltinSchemas().kind(row.group, row.version, row.kind),
    columns: columnsOf(row.group, row.kind),
    strategy: createBuiltinStrategy({
      rules,
      view,
      hasStatus: row.subresources.some((sub) => sub.name === 'status'),
      storageKey: storageOf(row).storageKey,
    }),
    isStoredAsServed: rules.toServed === undefined,
    toServed: rules.toServed ?? same,
    toStorage: rules.toStorage ?? same,
  };
}

const deprecations: Readonly<Record<string, string>> = {
  ComponentStatus: 'v1 ComponentStatus is deprecated in v1.19+',
  Endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** Every resource built in, ready to serve; the same list at every call but for the options. */
export function builtinResourceTypes(options: BuiltinOptions = { services: () => [], nowMs: () => 0 }): ResourceType[] {
  const view = createRegistryView(options.services, options.nowMs);
  return builtinRows.map((row) => resourceOf(row, rulesOf(row), view));
}
