import type { FastifyInstance } from 'fastify';
import { type Clock, errorMessage, type JsonObject } from '../../../src/base/index.ts';
import { isForbidden, NoKindMatch } from '../../../src/kube/index.ts';
import { clusterCatalogImage } from '../commands/catalog-reference.ts';
import type { CommandRunner } from '../commands/runner.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { PackageList, PackageRow } from '../wire.ts';
import { ClusterCatalogs, iconKey } from './cluster-catalogs.ts';
import { type Icon, iconOf, packageRow } from './package-rows.ts';

interface Packages extends PackageList {
  readonly icons: ReadonlyMap<string, Icon>;
  readonly readMs: number;
}

interface PackagesDeps {
  readonly clock: Clock;
  readonly runner: CommandRunner;
}

const target = { apiVersion: 'packages.operators.coreos.com/v1', kind: 'PackageManifest' };
const freshMs = 3_000;
/** In a path, of catalogs without a namespace. */
const noNamespace = '-';
const namePattern = /^[a-z0-9][\w.-]{0,252}$/i;
/** Icons are inert wherever they are opened. */
const iconPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface Listed {
  readonly rows: readonly PackageRow[];
  readonly icons: ReadonlyMap<string, Icon>;
  /** Why they are not listed. */
  readonly forbidden: string;
}

/** Packages of CatalogSources, as the package server has them. */
async function readManifests({ kube }: Session): Promise<Listed> {
  try {
    const { items } = await kube.list(target);
    const icons = items.flatMap((item) => {
      const icon = iconOf(item);
      return icon === undefined ? [] : [[iconKey(packageRow(item)), icon] as const];
    });
    // A package of a global catalog is in the list once for each namespace that is asked for.
    const byKey = new Map(items.map(packageRow).map((row) => [iconKey(row), row]));
    return { rows: [...byKey.values()], icons: new Map(icons), forbidden: '' };
  } catch (thrown) {
    const nothing = { rows: [], icons: new Map<string, Icon>() };
    if (thrown instanceof NoKindMatch) return { ...nothing, forbidden: '' };
    if (isForbidden(thrown)) return { ...nothing, forbidden: errorMessage(thrown) };
    throw thrown;
  }
}

async function read(session: Session, catalogs: ClusterCatalogs, nowMs: number): Promise<Packages> {
  const [manifests, content] = await Promise.all([readManifests(session), catalogs.packages(session)]);
  const rows = [...manifests.rows, ...content.rows];
  // Where nothing else is shown, the refusal is the answer.
  if (rows.length === 0 && content.unread.length === 0 && manifests.forbidden !== '') {
    throw new ConsoleProblem(403, 'Forbidden', { message: manifests.forbidden });
  }
  return { rows, unread: content.unread, icons: new Map([...manifests.icons, ...content.icons]), readMs: nowMs };
}

function nameIn(params: unknown, key: string): string {
  const text = (params as Record<string, string>)[key] ?? '';
  if (namePattern.test(text)) return text;
  throw new ConsoleProblem(400, 'InvalidRequest', { message: `${key}: expected a name` });
}

/** `/api/packages`, `/api/cluster-packages/…` and `/api/icons/…`: what the catalogs of the cluster offer, as the viewer sees it. */
export function addPackages(app: FastifyInstance, sessions: Sessions, { clock, runner }: PackagesDeps): void {
  const known = new WeakMap<Session, Promise<Packages>>();
  const catalogs = new ClusterCatalogs(runner, () => clock.now());
  const packagesOf = async (session: Session): Promise<Packages> => {
    const nowMs = clock.now();
    const before = await known.get(session)?.catch(() => undefined);
    if (before !== undefined && nowMs - before.readMs < freshMs) return before;
    const reading = read(session, catalogs, nowMs);
    known.set(session, reading);
    return await reading;
  };
  app.get('/api/packages', async (request): Promise<PackageList> => {
    const { rows, unread } = await packagesOf(sessions.require(request));
    return { rows, unread };
  });
  app.get('/api/cluster-packages/:catalog/:name', async (request) => {
    const session = sessions.require(request);
    const [catalog, name] = [nameIn(request.params, 'catalog'), nameIn(request.params, 'name')];
    const found = await session.kube.get({
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterCatalog',
      name: catalog,
    });
    const image = clusterCatalogImage(found as unknown as JsonObject);
    if (image === '')
      throw new ConsoleProblem(409, 'CatalogUnreadable', { message: `catalog ${catalog} has no image yet` });
    const manifest = await catalogs.manifest(session, image, { catalog, name });
    if (manifest !== undefined) return manifest;
    throw new ConsoleProblem(404, 'NotFound', { message: `catalog ${catalog} does not have the package ${name}` });
  });
  app.get('/api/icons/:namespace/:catalog/:name', async (request, reply) => {
    const { namespace = '', catalog = '', name = '' } = request.params as Record<string, string>;
    const { icons } = await packagesOf(sessions.require(request));
    const icon = icons.get(iconKey({ catalogNamespace: namespace === noNamespace ? '' : namespace, catalog, name }));
    if (icon === undefined) throw new ConsoleProblem(404, 'NotFound', { message: 'the package has no icon' });
    return await reply
      .type(icon.mediaType)
      .header('content-security-policy', iconPolicy)
      .header('cache-control', 'private, max-age=600')
      .send(icon.bytes);
  });
}
