import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Clock, errorMessage } from '../../../src/base/index.ts';
import { isForbidden, NoKindMatch } from '../../../src/kube/index.ts';
import { holdAnswer } from '../answers.ts';
import { catalogReference } from '../commands/catalog-reference.ts';
import { Input } from '../commands/input.ts';
import type { CommandRunner } from '../commands/runner.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { PackageList, PackageRow } from '../wire.ts';
import { ClusterCatalogs, iconKey } from './cluster-catalogs.ts';
import { readIcon } from './manifest-icon.ts';
import { type Icon, packageRow } from './package-rows.ts';

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
/** Of all rows together, as JSON: those of ten thousand packages. */
const maxRowCharacters = 8 * 1024 * 1024;
/** In a path, of catalogs without a namespace. */
const noNamespace = '-';
const namePattern = /^[a-z0-9][\w.-]{0,252}$/i;
/** Icons are inert wherever they are opened. */
const iconPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface Listed {
  readonly rows: readonly PackageRow[];
  /** Why they are not listed. */
  readonly forbidden: string;
  /** Whether there are more than are shown. */
  readonly isCut: boolean;
}

/** The rows of all packages, up to a limit. A package of a global catalog is in the list once for each namespace that is asked for.
 *  @throws as the list */
async function listManifests({ kube }: Session): Promise<Omit<Listed, 'forbidden'>> {
  const byKey = new Map<string, PackageRow>();
  let characters = 0;
  for await (const { items } of kube.listPages(target)) {
    for (const row of items.map(packageRow)) {
      const key = iconKey(row);
      characters += byKey.has(key) ? 0 : JSON.stringify(row).length;
      if (characters > maxRowCharacters) return { rows: [...byKey.values()], isCut: true };
      byKey.set(key, { ...row, hasIcon: true });
    }
  }
  return { rows: [...byKey.values()], isCut: false };
}

/** Packages of CatalogSources, as the package server has them. It lists no icons: each may have one, which is read by itself. */
async function readManifests(session: Session): Promise<Listed> {
  try {
    return { ...(await listManifests(session)), forbidden: '' };
  } catch (thrown) {
    const nothing = { rows: [], forbidden: '', isCut: false };
    if (thrown instanceof NoKindMatch) return nothing;
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
  const cut = { catalog: 'CatalogSource', why: 'there are more packages than the console shows' };
  const unread = [...content.unread, ...(manifests.isCut ? [cut] : [])];
  return { rows, unread, icons: content.icons, readMs: nowMs };
}

function nameIn(params: unknown, key: string): string {
  const text = (params as Record<string, string>)[key] ?? '';
  if (namePattern.test(text)) return text;
  throw new ConsoleProblem(400, 'InvalidRequest', { message: `${key}: expected a name` });
}

/** Empty for a ClusterCatalog. */
function namespaceIn(params: unknown): string {
  const { namespace } = params as Record<string, string>;
  return namespace === noNamespace ? '' : nameIn(params, 'namespace');
}

/** `/api/packages`, `/api/catalog-packages/…` and `/api/icons/…`: what the catalogs of the cluster offer, as the viewer sees it. */
export function addPackages(app: FastifyInstance, sessions: Sessions, { clock, runner }: PackagesDeps): void {
  const known = new WeakMap<Session, Promise<Packages>>();
  const catalogs = new ClusterCatalogs(runner, () => clock.now());
  const packagesOf = async (session: Session): Promise<Packages> => {
    const nowMs = clock.now();
    const before = await known.get(session)?.catch(() => undefined);
    if (before !== undefined && nowMs - before.readMs < freshMs) return before;
    const reading = read(session, catalogs, nowMs);
    known.set(session, reading);
    // Many sessions do not each hold a list that no page asks for any more.
    void clock.sleep(freshMs, { signal: session.ended }).then(
      () => {
        if (known.get(session) === reading) known.delete(session);
      },
      () => undefined,
    );
    return await reading;
  };
  const send = async (session: Session, reply: FastifyReply, answer: object): Promise<void> => {
    const text = JSON.stringify(answer);
    holdAnswer(session, reply, text.length);
    await reply.type('application/json; charset=utf-8').send(text);
  };
  app.get('/api/packages', async (request, reply) => {
    const session = sessions.require(request);
    const { rows, unread } = await packagesOf(session);
    await send(session, reply, { rows, unread } satisfies PackageList);
  });
  app.get('/api/catalog-packages/:namespace/:catalog/:name', async (request, reply) => {
    const session = sessions.require(request);
    const [catalog, name] = [nameIn(request.params, 'catalog'), nameIn(request.params, 'name')];
    const catalogNamespace = namespaceIn(request.params);
    const reference = await catalogReference(session, new Input({ catalog, catalogNamespace }));
    const manifest = await catalogs.manifest(session, reference, { catalog, name });
    if (manifest !== undefined) return await send(session, reply, manifest);
    throw new ConsoleProblem(404, 'NotFound', { message: `catalog ${catalog} does not have the package ${name}` });
  });
  app.get('/api/icons/:namespace/:catalog/:name', async (request, reply) => {
    const session = sessions.require(request);
    const [catalog, name] = [nameIn(request.params, 'catalog'), nameIn(request.params, 'name')];
    const catalogNamespace = namespaceIn(request.params);
    const icon =
      catalogNamespace === ''
        ? (await packagesOf(session)).icons.get(iconKey({ catalogNamespace, catalog, name }))
        : await session.counted(() => readIcon(session, catalogNamespace, name));
    void reply.header('content-security-policy', iconPolicy).header('cache-control', 'private, max-age=600');
    // Not an error: the page shows a letter.
    if (icon === undefined) return await reply.code(204).send();
    return await reply.type(icon.mediaType).send(icon.bytes);
  });
}
