import { readFileSync } from 'node:fs';
import resources from '../../../apiserver/registry/generated/builtin-resources.json' with { type: 'json' };
import { type JsonObject, type JsonValue, parseYaml } from '../../../src/base/index.ts';
import { collectionOf } from '../manifests.ts';
import { type Area, area } from '../suite.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const ages = /^(?:\d+[smhdy])+$|^<unknown>$|^<invalid>$/;

interface Column {
  readonly name: string;
}

const restartsPattern = /^(\d+) \((?:\d+[smhdy])+ ago\)$/;

/** Ages depend on when it is asked. */
function withoutAges(cells: readonly JsonValue[], columns: readonly Column[]): JsonValue[] {
  return cells.map((cell, index) => {
    if (typeof cell !== 'string') return cell;
    const { name = '' } = columns[index] ?? {};
    const isAge = /^(Age|First Seen|Last Seen)$/.test(name) && ages.test(cell);
    return isAge ? '<age>' : cell.replace(restartsPattern, '$1 (<age> ago)');
  });
}

function rowsOf(body: JsonValue): JsonValue {
  const { columnDefinitions, rows } = body as unknown as {
    columnDefinitions?: Column[];
    rows?: { cells: JsonValue[] }[];
  };
  if (columnDefinitions === undefined) return body;
  const names = columnDefinitions.map(({ name }) => name);
  return { names, rows: (rows ?? []).map(({ cells }) => withoutAges(cells, columnDefinitions)) };
}

/** Without their descriptions: the prose of another project. */
function columnsOf(body: JsonValue): JsonValue {
  const { columnDefinitions } = body as { columnDefinitions?: JsonObject[] };
  return columnDefinitions?.map(({ description: _prose, ...column }) => column) ?? body;
}

function manifests(): JsonObject[] {
  const file = 'tables.yaml';
  return parseYaml(file, readFileSync(new URL(`../manifests/${file}`, import.meta.url), 'utf8')) as JsonObject[];
}

interface Listed {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Which columns every kind prints, and what it puts there. */
export const cases: Area = area('Tables of all kinds', (it) => {
  for (const [groupVersion, list] of Object.entries(resources.resources as Record<string, Listed[]>)) {
    const root = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
    for (const { name, namespaced } of list.filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'))) {
      it(`W020 has columns for ${name} of ${groupVersion}`, async (api) => {
        const scope = namespaced ? `/namespaces/${api.namespace}` : '';
        const path = `${root}${scope}/${name}?fieldSelector=metadata.name%3Dnobody`;
        await api.ask('GET', path, { accept: table, keep: columnsOf });
      });
    }
  }
  for (const [index, manifest] of manifests().entries()) {
    const { status, ...object } = manifest;
    it(`W154 fills the columns of ${object['kind'] as string} ${index + 1}`, async (api) => {
      const { name: given, ...metadata } = (object['metadata'] ?? {}) as JsonObject;
      const name = typeof given === 'string' ? given : api.unique('subject');
      const path = collectionOf(object);
      const body = { ...object, metadata: { ...metadata, name } };
      if (status === undefined) {
        await api.ask('POST', `${path}?dryRun=All`, { body, accept: table, keep: rowsOf });
        return;
      }
      api.cleanUp(`${path}/${name}`);
      await api.setUp('POST', path, { body });
      const contentType = 'application/merge-patch+json';
      const patch = { body: { status }, contentType, accept: table, keep: rowsOf };
      await api.ask('PATCH', `${path}/${name}/status?dryRun=All`, patch);
    });
  }
});
