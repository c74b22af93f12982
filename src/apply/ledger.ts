import { hash } from 'node:crypto';
import type { KubeObject } from '../kube/index.ts';
import { groupOf, type ObjectRef, refKey, refOf } from '../kube/index.ts';
import type { KindRef } from './kind-list.ts';
import { type InstalledChange, type InstalledObject, installedObject, keyOf } from './kind-watches.ts';
import type { Owner } from './ownership.ts';

interface Installation {
  /** Of the owner: another one of its name has nothing of it. */
  readonly ownerUid: string;
  readonly revision: string;
  readonly objects: ReadonlyMap<string, InstalledObject>;
  readonly drifted: Set<string>;
}

/** What the last write of an object sent, and what it left. */
interface Written {
  readonly manifest: string;
  readonly object: InstalledObject;
}

interface Claim {
  readonly key: string;
  /** The same as `written` has, where there is that. */
  ref: ObjectRef;
  readonly owner: Owner;
  /** Undefined while a write is under way, and after one without an answer. */
  written?: Written | undefined;
  /** It existed before, and was taken over by an installation that has not come to its end. */
  isAdopted?: boolean;
  /** This process has asked for its creation; the uid is that of the answer, absent where that was lost. */
  creation?: { readonly uid?: string };
}

/** Short, as there is one of each installed object. */
function manifestOf(object: KubeObject): string {
  return hash('sha256', JSON.stringify(object), 'base64');
}

function isOlder(a: string, b: string): boolean {
  return Number(a) < Number(b);
}

/** What this process has applied: for whom, in which state, and what has drifted since. Empty after a start. */
export class Ledger {
  readonly #installations = new Map<string, Installation>();
  readonly #claims = new Map<string, Claim>();
  /** Uid of an owner → keys of its claims. */
  readonly #keysByOwner = new Map<string, Set<string>>();
  readonly #seen: (ref: ObjectRef) => InstalledObject | undefined;

  /** `seen` is what a watch shows of an object. */
  constructor(seen: (ref: ObjectRef) => InstalledObject | undefined = () => undefined) {
    this.#seen = seen;
  }

  /** The deployment that has `key`, or is about to take it. */
  claimedBy(key: string): Owner | undefined {
    return this.#claims.get(key)?.owner;
  }

  /** Before `objects` are written for the owner. */
  claim(objects: readonly KubeObject[], owner: Owner): void {
    for (const object of objects) this.#claim(refOf(object), owner);
  }

  #installationOf({ name, uid }: Owner): Installation | undefined {
    const installation = this.#installations.get(name);
    return installation?.ownerUid === uid ? installation : undefined;
  }

  #claim(ref: ObjectRef, owner: Owner): void {
    const key = refKey(ref);
    const before = this.#claims.get(key);
    const mine = before?.owner.uid === owner.uid ? before : undefined;
    this.#unclaim(key);
    this.#claims.set(key, { ...mine, key, ref, owner });
    this.#keysByOwner.set(owner.uid, (this.#keysByOwner.get(owner.uid) ?? new Set()).add(key));
  }

  #unclaim(key: string): void {
    const uid = this.#claims.get(key)?.owner.uid ?? '';
    this.#claims.delete(key);
    const keys = this.#keysByOwner.get(uid);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByOwner.delete(uid);
  }

  /** The owner's claims, by key. */
  #claimsOf({ uid }: Owner): readonly (readonly [string, Claim])[] {
    return [...(this.#keysByOwner.get(uid) ?? [])].flatMap((key) => {
      const claim = this.#claims.get(key);
      return claim === undefined ? [] : [[key, claim] as const];
    });
  }

  /** Everything that this process may have written for the owner and has not taken away again, however the writing ended. */
  claimsOf(owner: Owner): readonly ObjectRef[] {
    return this.#claimsOf(owner).map(([, { ref }]) => ref);
  }

  /** Before an object of another owner is written for the first time. */
  willAdopt(object: KubeObject): void {
    const claim = this.#claims.get(keyOf(object));
    if (claim === undefined) return;
    claim.isAdopted = true;
    delete claim.creation;
  }

  /** Before an object is written that must not exist yet. */
  willCreate(object: KubeObject): void {
    const claim = this.#claims.get(keyOf(object));
    if (claim !== undefined) claim.creation ??= {};
  }

  /** After an object was created. */
  created(object: KubeObject, { metadata: { uid } }: KubeObject): void {
    const claim = this.#claims.get(keyOf(object));
    if (claim === undefined) return;
    delete claim.isAdopted;
    if (uid !== undefined) claim.creation = { uid };
  }

  /** Whether this process has created the very object for the owner, or may have: the answer was lost. */
  hasCreated(owner: Owner, { ref, uid }: InstalledObject): boolean {
    const claim = this.#claims.get(refKey(ref));
    if (claim?.owner.uid !== owner.uid || claim.creation === undefined) return false;
    return (claim.creation.uid ?? uid) === uid;
  }

  /** Keys of what was taken over for the owner by installations that have not come to their end. */
  adoptedBy(owner: Owner): ReadonlySet<string> {
    return new Set(this.#claimsOf(owner).flatMap(([key, { isAdopted }]) => (isAdopted === true ? [key] : [])));
  }

  release(owner: Owner, keepKeys: ReadonlySet<string> = new Set()): void {
    for (const [key] of this.#claimsOf(owner)) if (!keepKeys.has(key)) this.#unclaim(key);
  }

  /** Before an object is written: whatever becomes of that, what is known of it may not hold any more. */
  willWrite(object: KubeObject): void {
    const claim = this.#claims.get(keyOf(object));
    if (claim !== undefined) claim.written = undefined;
  }

  /** The server's answer to the write of `object` for the owner. */
  wrote(owner: Owner, object: KubeObject, answer: KubeObject): void {
    const claim = this.#claims.get(keyOf(object));
    if (claim?.owner.uid !== owner.uid) return;
    claim.written = { manifest: manifestOf(object), object: installedObject(answer, this.#seen(claim.ref)) };
    claim.ref = claim.written.object.ref;
  }

  /** What the last write of the object left. */
  written(object: KubeObject): InstalledObject | undefined {
    return this.#claims.get(keyOf(object))?.written?.object;
  }

  /** The object that the last write for the owner left, when that write sent the same and `seen`, which the watch shows, is still
   *  that very version: to write it again would change nothing. */
  standing(owner: Owner, object: KubeObject, seen: InstalledObject | undefined): InstalledObject | undefined {
    const claim = this.#claims.get(keyOf(object));
    const written = claim?.owner.uid === owner.uid ? claim.written : undefined;
    if (written === undefined || seen === undefined || seen.isDeleting) return undefined;
    const { uid, resourceVersion } = written.object;
    if (seen.uid !== uid || seen.resourceVersion !== resourceVersion) return undefined;
    return written.manifest === manifestOf(object) ? written.object : undefined;
  }

  /** What is installed is the owner's from then on, whether it existed before or not. */
  #endAdoption(keys: readonly string[]): void {
    for (const key of keys) delete this.#claims.get(key)?.isAdopted;
  }

  /** Everything of `revision` is in place: as `applied` shows it, and what was left as it stands. */
  record(
    owner: Owner,
    revision: string,
    {
      applied,
      standing = [],
    }: { readonly applied: readonly KubeObject[]; readonly standing?: readonly InstalledObject[] },
  ): void {
    const objects = new Map(standing.map((object) => [this.#keyOf(object.ref), object]));
    for (const object of applied) {
      const remembered = installedObject(object, this.written(object));
      objects.set(this.#keyOf(remembered.ref), remembered);
    }
    this.#endAdoption([...objects.keys()]);
    this.#installations.set(owner.name, { ownerUid: owner.uid, revision, objects, drifted: new Set() });
  }

  /** Everything of `revision` is in place, as an earlier process has installed it. */
  recall(owner: Owner, revision: string, objects: readonly InstalledObject[]): void {
    for (const { ref } of objects) this.#claim(ref, owner);
    const installed = new Map(objects.map((object) => [this.#keyOf(object.ref), object]));
    this.#installations.set(owner.name, { ownerUid: owner.uid, revision, objects: installed, drifted: new Set() });
  }

  /** Objects of the installation that are still to be applied. */
  miss(owner: Owner, keys: readonly string[]): void {
    for (const key of keys) this.#installationOf(owner)?.drifted.add(key);
  }

  /** Objects of an installation that were applied again. */
  update(owner: Owner, applied: readonly KubeObject[]): void {
    const before = this.#installationOf(owner);
    if (before === undefined) return;
    const objects = new Map(before.objects);
    const drifted = new Set(before.drifted);
    this.#endAdoption(applied.map(keyOf));
    for (const object of applied) {
      const key = this.#keyOf(refOf(object));
      objects.set(key, installedObject(object, this.written(object)));
      drifted.delete(key);
    }
    this.#installations.set(owner.name, { ...before, objects, drifted });
  }

  forget(owner: Owner): void {
    this.#installations.delete(owner.name);
  }

  /** Objects that were deleted or let go. */
  drop(owner: Owner, keys: readonly string[]): void {
    for (const key of keys) {
      const claim = this.#claims.get(key);
      if (claim?.owner.uid === owner.uid) claim.written = undefined;
    }
    const before = this.#installationOf(owner);
    if (before === undefined) return;
    const objects = new Map(before.objects);
    for (const key of keys) objects.delete(key);
    this.#installations.set(owner.name, { ...before, objects });
  }

  /** Whether anything is known to be installed for the owner. */
  knows(owner: Owner): boolean {
    return this.#installationOf(owner) !== undefined;
  }

  /** What is in place for the owner, though some of it may have drifted; undefined when that is not known. */
  revisionOf(owner: Owner): string | undefined {
    return this.#installationOf(owner)?.revision;
  }

  objectsOf(owner: Owner): readonly InstalledObject[] {
    return [...(this.#installationOf(owner)?.objects.values() ?? [])];
  }

  /** The uid that the object has as it is installed for the owner, or as the last write has left it; undefined where that is not known. */
  installedUid(owner: Owner, object: KubeObject): string | undefined {
    const key = keyOf(object);
    const claim = this.#claims.get(key);
    const written = claim?.owner.uid === owner.uid ? claim.written?.object.uid : undefined;
    return this.#installationOf(owner)?.objects.get(key)?.uid ?? written;
  }

  /** What was applied of one kind, in whichever version, for all owners. */
  objectsOfKind({ apiVersion, kind }: KindRef): readonly InstalledObject[] {
    const isOfKind = ({ ref }: InstalledObject): boolean =>
      ref.kind === kind && groupOf(ref.apiVersion) === groupOf(apiVersion);
    return [...this.#installations.values()].flatMap(({ objects }) => [...objects.values()].filter(isOfKind));
  }

  /** Keys of what has drifted; undefined when `revision` is not known to be in place. */
  drifted(owner: Owner, revision: string): ReadonlySet<string> | undefined {
    const installation = this.#installationOf(owner);
    return installation?.revision === revision ? installation.drifted : undefined;
  }

  /** Takes in what a watch saw; true when it is a drift from what was applied. */
  observe({ before, after }: InstalledChange): boolean {
    const subject = after ?? before;
    if (subject === undefined) return false;
    const key = refKey(subject.ref);
    const installation = this.#installations.get(before?.owner ?? subject.owner);
    const applied = installation?.objects.get(key);
    if (installation === undefined || applied === undefined) return false;
    if (!hasDrifted(applied, { before, after }) || this.#isOwnWrite(key, after)) return false;
    installation.drifted.add(key);
    return true;
  }

  /** Whether the object is as our last write has left it, which is recorded when all writes are done. */
  #isOwnWrite(key: string, after: InstalledObject | undefined): boolean {
    const written = this.#claims.get(key)?.written?.object;
    return after !== undefined && after.uid === written?.uid && after.resourceVersion === written.resourceVersion;
  }

  /** The key of the object: the text that its claim has. */
  #keyOf(ref: ObjectRef): string {
    const key = refKey(ref);
    return this.#claims.get(key)?.key ?? key;
  }
}

function hasDrifted(applied: InstalledObject, { before, after }: InstalledChange): boolean {
  if (after === undefined) return before?.uid === applied.uid;
  if (isOlder(after.resourceVersion, applied.resourceVersion)) return false;
  // An object that is to be retained has no owner reference.
  return after.isRetained !== applied.isRetained || after.fingerprint !== applied.fingerprint;
}
