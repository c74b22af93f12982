import { readFile } from 'node:fs/promises';
import { isJsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { Connection } from '../conformance/connection.ts';

/** They come and go by themselves. */
const fleeting = new Set(['Event', 'Lease', 'Endpoints', 'EndpointSlice']);

async function read(connection: Connection, path: string): Promise<ReturnType<typeof objectAt>> {
  const { body } = await connection.ask({ method: 'GET', path, headers: {} });
  return isJsonObject(body as never) ? (body as never) : undefined;
}

/** Paths of the lists of every kind that the API server serves, each group in the version that it prefers. */
async function listPaths(connection: Connection): Promise<string[]> {
  const groups = objectsAt(await read(connection, '/apis'), 'groups');
  const roots = [
    '/api/v1',
    ...groups.map((group) => `/apis/${textAt(objectAt(group, 'preferredVersion'), 'groupVersion')}`),
  ];
  const paths: string[] = [];
  for (const root of roots) {
    const resources = objectsAt(await read(connection, root), 'resources');
    const listed = resources.filter(
      (resource) => listOfTexts(resource, 'verbs').includes('list') && !fleeting.has(textAt(resource, 'kind')),
    );
    paths.push(...listed.map((resource) => `${root}/${textAt(resource, 'name')}`));
  }
  return paths;
}

/** Every object of every kind in the cluster, as `<path of the list> <namespace>/<name>`, sorted. */
export async function takeCensus(kubeconfigPath: string): Promise<readonly string[]> {
  using connection = new Connection(await readFile(kubeconfigPath, 'utf8'));
  const found: string[] = [];
  for (const path of await listPaths(connection)) {
    for (const item of objectsAt(await read(connection, path), 'items')) {
      const metadata = objectAt(item, 'metadata');
      found.push(`${path} ${textAt(metadata, 'namespace')}/${textAt(metadata, 'name')}`);
    }
  }
  return found.toSorted();
}
