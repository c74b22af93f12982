import { mapLimit, type TracedWork, traced } from '../base/index.ts';
import { describeRef, isConflict, isKubeError, isNotFound, type KubeObject, refOf } from '../kube/index.ts';
import { type CheckContext, checkAll } from './check.ts';
import { belongsTo, fieldManager } from './ownership.ts';
import { type Problem, problemOf, throwProblems } from './problems.ts';

/** What became of objects that were written one by one. */
export interface Written {
  /** As the server has them now; without those that have a problem. */
  readonly objects: readonly KubeObject[];
  readonly problems: readonly Problem[];
}

const parallelWrites = 8;
/** No object has this version: an apply that asks for it makes an object, and never changes one. */
const noVersion = '1';

interface One {
  readonly object?: KubeObject;
  readonly problems: readonly Problem[];
}

const creationTries = 3;

/** Whose an object is that no watch has shown. It may be the owner's: the answer to our writing it was lost. `same` is the very object that is installed,
 *  whose labels were removed; what another client has created in its place has its name alone. */
async function unseenOwner(
  { kube, owner, signal }: CheckContext,
  object: KubeObject,
  installedUid: string | undefined,
): Promise<'own' | 'same' | 'other' | 'absent'> {
  try {
    const { metadata } = await kube.get(refOf(object), { signal });
    if (metadata.uid === installedUid) return 'same';
    return belongsTo(metadata, owner.name) ? 'own' : 'other';
  } catch (thrown) {
    if (isNotFound(thrown)) return 'absent';
    throw thrown;
  }
}

async function applyOver(check: CheckContext, object: KubeObject, resourceVersion?: string): Promise<KubeObject> {
  const { kube, ledger, owner, signal, unanswered } = check;
  const metadata = resourceVersion === undefined ? object.metadata : { ...object.metadata, resourceVersion };
  ledger.willWrite(object);
  const apply = (onRepeat: () => void): ReturnType<typeof kube.apply> =>
    kube.apply({ ...object, metadata }, { fieldManager, force: true, signal, onRepeat });
  const answer = await unanswered.watch(owner, refOf(object), apply);
  ledger.wrote(owner, object, answer.object);
  return answer.object;
}

/** Undefined when the object exists, as far as the answer goes. */
async function create(check: CheckContext, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    check.ledger.willCreate(object);
    const created = await applyOver(check, object, noVersion);
    check.ledger.created(object, created);
    return created;
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    return undefined;
  }
}

async function applyNew(check: CheckContext, object: KubeObject): Promise<One> {
  const installedUid = check.ledger.installedUid(check.owner, object);
  const ownerAfter = async (made: KubeObject | undefined) =>
    made === undefined ? await unseenOwner(check, object, installedUid) : 'own';
  let created = await create(check, object);
  let live = await ownerAfter(created);
  // What was deleted meanwhile is created, not taken over: a rollback would retain it.
  for (let left = creationTries; live === 'absent' && left > 1; left -= 1) {
    created = await create(check, object);
    live = await ownerAfter(created);
  }
  if (created !== undefined) return { object: created, problems: [] };
  if (live === 'same') return { object: await applyOver(check, object), problems: [] };
  const isOurs = live === 'own';
  if (!isOurs) check.ledger.willAdopt(object);
  const problems = await checkAll(check, [object]);
  if (problems.length > 0) return { problems };
  if (!isOurs) await check.onTakeover?.(object);
  return { object: await applyOver(check, object), problems };
}

async function writeOne(check: CheckContext, object: KubeObject): Promise<One> {
  const { signal, watches, owner } = check;
  try {
    if (watches.get(refOf(object))?.owner !== owner.name) return await applyNew(check, object);
    return { object: await applyOver(check, object), problems: [] };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { problems: [problemOf(describeRef(refOf(object)), thrown)] };
  }
}

function workOf(objects: readonly KubeObject[]): TracedWork {
  return { name: 'write objects', attributes: { 'longshore.objects': objects.length } };
}

/** Writes objects that were not checked by dry run. One that exists and is not known to be the owner's is checked before it is
 *  taken over. All are tried, whatever becomes of the others. */
export async function writeUnchecked(check: CheckContext, objects: readonly KubeObject[]): Promise<Written> {
  const all = await traced(workOf(objects), () =>
    mapLimit(objects, parallelWrites, (object) => writeOne(check, object)),
  );
  return {
    objects: all.flatMap(({ object }) => object ?? []),
    problems: all.flatMap(({ problems }) => problems),
  };
}

/** Writes objects that were checked. One that has come since, and is not known to be the owner's, is checked as well.
 *  @throws InstallBlocked, InstallRefused at the first that fails */
export async function writeChecked(
  check: CheckContext,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const write = async (object: KubeObject): Promise<readonly KubeObject[]> => {
    const { object: written, problems } = await writeOne(check, object);
    throwProblems(problems);
    return written === undefined ? [] : [written];
  };
  return (await traced(workOf(objects), () => mapLimit(objects, parallelWrites, write))).flat();
}

/** Whether the server, rather than what was sent, is the cause: it did not answer, or answered that it could not. */
export function isTrouble({ cause }: Problem): boolean {
  if (!isKubeError(cause)) return false;
  const { status } = cause.failure;
  return status === 0 || status === 401 || status === 408 || status === 410 || status === 429 || status >= 500;
}
