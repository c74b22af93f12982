import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../src/base/index.ts';
import { NoKindMatch } from '../../../src/kube/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { PackageRow } from '../wire.ts';
import { type Icon, iconOf, packageRow } from './package-rows.ts';

interface Packages {
  readonly rows: readonly PackageRow[];
  readonly icons: ReadonlyMap<string, Icon>;
  readonly readMs: number;
}

const target = { apiVersion: 'packages.operators.coreos.com/v1', kind: 'PackageManifest' };
const freshMs = 3_000;
/** Icons are inert wherever they are opened. */
const iconPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

async function read({ kube }: Session, nowMs: number): Promise<Packages> {
  try {
    const { items } = await kube.list(target);
    const icons = items.flatMap((item) => {
      const icon = iconOf(item);
      const row = packageRow(item);
      return icon === undefined ? [] : [[`${row.catalogNamespace}/${row.catalog}/${row.name}`, icon] as const];
    });
    const rows = items.map(packageRow);
    // A package of a global catalog is in the list once for each namespace that is asked for.
    const byKey = new Map(rows.map((row) => [`${row.catalogNamespace}/${row.catalog}/${row.name}`, row]));
    return { rows: [...byKey.values()], icons: new Map(icons), readMs: nowMs };
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return { rows: [], icons: new Map(), readMs: nowMs };
    throw thrown;
  }
}

/** `/api/packages` and `/api/icons/…`: what the catalogs of the cluster offer, as the viewer sees it. */
export function addPackages(app: FastifyInstance, sessions: Sessions, clock: Clock): void {
  const known = new WeakMap<Session, Promise<Packages>>();
  const packagesOf = async (session: Session): Promise<Packages> => {
    const nowMs = clock.now();
    const before = await known.get(session)?.catch(() => undefined);
    if (before !== undefined && nowMs - before.readMs < freshMs) return before;
    const reading = read(session, nowMs);
    known.set(session, reading);
    return await reading;
  };
  app.get('/api/packages', async (request) => (await packagesOf(sessions.require(request))).rows);
  app.get('/api/icons/:namespace/:catalog/:name', async (request, reply) => {
    const { namespace, catalog, name } = request.params as Record<string, string>;
    const { icons } = await packagesOf(sessions.require(request));
    const icon = icons.get(`${namespace}/${catalog}/${name}`);
    if (icon === undefined) throw new ConsoleProblem(404, 'NotFound', { message: 'the package has no icon' });
    return await reply
      .type(icon.mediaType)
      .header('content-security-policy', iconPolicy)
      .header('cache-control', 'private, max-age=600')
      .send(icon.bytes);
  });
}
