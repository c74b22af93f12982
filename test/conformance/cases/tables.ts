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
  it('has no table of what is asked and not stored', { needs: 'controllers' }, async (api) => {
    const about = { resourceAttributes: { verb: 'get', resource: 'pods' } };
    const asked = [
      ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: about }],
      ['/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { ...about, user: 'jane' } }],
      ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } }],
      [
        `/apis/authorization.k8s.io/v1/namespaces/${api.namespace}/localsubjectaccessreviews`,
        {
          spec: { resourceAttributes: { ...about.resourceAttributes, namespace: api.namespace }, user: 'jane' },
        },
      ],
      ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
      ['/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
      [`/api/v1/namespaces/${api.namespace}/serviceaccounts/default/token`, { spec: {} }],
    ] as const;
    for (const [path, body] of asked) {
      for (const accept of [table, `${table},application/json`]) {
        const keep = (answer: JsonValue): unknown => {
          const { kind, message, columnDefinitions } = answer as JsonObject;
          return { kind, message, columnDefinitions };
        };
        await api.ask('POST', path, { body, accept, keep });
      }
    }
    const pods = `/api/v1/namespaces/${api.namespace}/pods`;
    const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'registry.example.com/c' }] };
    await api.setUp('POST', pods, { body: { metadata: { name: 'p' }, spec } });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    await api.ask('POST', `${pods}/p/eviction`, { body: eviction, accept: table });
    const target = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    await api.ask('POST', `${pods}/p/binding`, { body: target, accept: table });
    const keepPod = (answer: JsonValue): unknown => {
      const { metadata, spec: kept } = answer as { metadata: JsonObject; spec: JsonObject };
      return { isGoing: metadata['deletionTimestamp'] !== undefined, nodeName: kept['nodeName'] };
    };
    await api.ask('GET', `${pods}/p`, { keep: keepPod });
  });

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
