import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { ignoreNotFound, specOf, statusOf, typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject, ObjectMeta } from '../core/index.ts';
import { claimChildren } from './claiming.ts';
import { childrenOf, controllerReference, countOf, shortHash, templateOf } from './simulated.ts';

/** What distinguishes the revisions of one kind. */
export interface RevisionForm {
  /** On the revision: the hash at the end of its name. */
  readonly hashLabel: string;
  readonly as: string;
}

/** The ControllerRevisions of a workload. */
export interface RevisionHistory {
  /** Lowest first; `update` is among them. */
  readonly revisions: readonly KubeObject[];
  /** The one with the template of the workload. */
  readonly update: KubeObject;
  readonly collisionCount: number;
}

/** How often another name is tried when another owner's object has it. */
const mostCollisions = 8;

/** What `kubectl rollout undo` applies to go back: the template takes the place of another one. */
function dataOf(workload: KubeObject): JsonObject {
  return { spec: { template: { ...templateOf(workload), $patch: 'replace' } } };
}

/** The pod template that a revision keeps. */
export function templateIn(revision: KubeObject): JsonObject {
  const { spec } = isJsonObject(revision['data']) ? revision['data'] : {};
  const { template } = isJsonObject(spec) ? spec : {};
  const { $patch: _patch, ...rest } = isJsonObject(template) ? template : {};
  return rest;
}

function numberOf(revision: KubeObject): number {
  return countOf(revision['revision'] as JsonValue | undefined, 0);
}

function newRevision(
  workload: KubeObject,
  { hashLabel }: RevisionForm,
  about: { readonly number: number; readonly probe: number },
): KubeObject {
  const data = dataOf(workload);
  const hash = shortHash(about.probe === 0 ? templateOf(workload) : [templateOf(workload), about.probe]);
  const template = templateOf(workload).metadata;
  const { labels } = (isJsonObject(template) ? template : {}) as Pick<ObjectMeta, 'labels'>;
  const { name = '', namespace = '', annotations } = workload.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(workload)],
    },
    data,
    revision: about.number,
  } as KubeObject;
}

async function createRevision(
  cluster: Cluster,
  workload: KubeObject,
  about: { readonly form: RevisionForm; readonly number: number },
): Promise<{ readonly revision: KubeObject; readonly collisionCount: number }> {
  const type = typeOf(cluster, 'controllerrevisions', 'apps');
  const { namespace = '' } = workload.metadata;
  let probe = countOf(statusOf(workload).collisionCount, 0);
  let desired = newRevision(workload, about.form, { number: about.number, probe });
  for (let tries = 0; tries < mostCollisions; tries++) {
    const { name = '' } = desired.metadata;
    if (cluster.get(type, { namespace, name }) === undefined) break;
    probe += 1;
    desired = newRevision(workload, about.form, { number: about.number, probe });
  }
  return { revision: await cluster.create(type, desired, { as: about.form.as }), collisionCount: probe };
}

/** The history of a workload: it has a revision for its template, which is the highest. One that had the template before becomes the
 *  highest again. */
export async function recordRevision(
  cluster: Cluster,
  workload: KubeObject,
  form: RevisionForm,
): Promise<RevisionHistory> {
  const type = typeOf(cluster, 'controllerrevisions', 'apps');
  await claimChildren({ cluster, type, owner: workload, as: form.as });
  const known = (await childrenOf(cluster, type, workload)).toSorted((a, b) => numberOf(a) - numberOf(b));
  const equal = known.findLast((revision) => isJsonEqual(templateIn(revision), templateOf(workload)));
  const last = known.at(-1);
  const number = (last === undefined ? 0 : numberOf(last)) + 1;
  const collisionCount = countOf(statusOf(workload).collisionCount, 0);
  if (equal === undefined) {
    const made = await createRevision(cluster, workload, { form, number });
    return { revisions: [...known, made.revision], update: made.revision, collisionCount: made.collisionCount };
  }
  if (equal === last) return { revisions: known, update: equal, collisionCount };
  const { namespace = '', name = '' } = equal.metadata;
  const update = await cluster.patch(type, { namespace, name }, { revision: number }, { as: form.as });
  return { revisions: [...known.filter((one) => one !== equal), update], update, collisionCount };
}

/** Deletes the lowest revisions beyond `revisionHistoryLimit`; those in `live` (names) stay and do not count. */
export async function truncateHistory(
  cluster: Cluster,
  workload: KubeObject,
  about: { readonly history: RevisionHistory; readonly live: ReadonlySet<string>; readonly as: string },
): Promise<void> {
  const type = typeOf(cluster, 'controllerrevisions', 'apps');
  const limit = countOf(specOf(workload).revisionHistoryLimit, 10);
  const old = about.history.revisions.filter(({ metadata }) => !about.live.has(metadata.name ?? ''));
  for (const { metadata } of old.slice(0, Math.max(0, old.length - limit))) {
    const { namespace = '', name = '' } = metadata;
    await ignoreNotFound(cluster.delete(type, { namespace, name }, { as: about.as }));
  }
}
