import { hash } from 'node:crypto';
import { bundleDeploymentResource, group as ownGroup } from '../api/index.ts';
import { sha256Digest } from '../base/index.ts';
import { groupOf, type KubeObject, type ObjectMeta, type ObjectRef, refKey } from '../kube/index.ts';
import type { KindRef } from './kind-list.ts';

/** A kind in whichever version it is served. */
export interface GroupKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
}

/** Where everything is that was, or is about to be, installed for one deployment: its objects are the ones of these kinds that
 *  have its labels. Grows with kinds and namespaces, not with objects. */
export interface Inventory {
  readonly kinds: readonly GroupKind[];
  /** Of namespaced objects. */
  readonly namespaces: readonly string[];
  /** What existed before and was taken over, by an upgrade that has not come to its end: as `adoptionKey` has it. */
  readonly adopting?: readonly string[] | undefined;
}

/** Metadata that makes an object the parent of an ApplySet. `null` removes. */
export interface InventoryMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** Nothing anywhere. */
export const emptyInventory: Inventory = { kinds: [], namespaces: [] };

/** On each member of an ApplySet: the set's id. */
export const partOfLabel = 'applyset.kubernetes.io/part-of';
const idLabel = 'applyset.kubernetes.io/id';
const toolingAnnotation = 'applyset.kubernetes.io/tooling';
const kindsAnnotation = 'applyset.kubernetes.io/contains-group-kinds';
const namespacesAnnotation = 'applyset.kubernetes.io/additional-namespaces';
/** All annotations of an object have 256 KiB together. A longer list is left out: other tools read it, and nothing rests on it. */
const maxListCharacters = 96 * 1024;
/** What held the kinds before, as `group/version/Kind`. */
const formerAnnotation = 'core.rukpak.io/installed-kinds';

/** The id of the ApplySet whose parent is the BundleDeployment `name`.
 *  @see KEP-3659, "ApplySet Identification": the hash of `<name>.<namespace>.<kind>.<group>` */
export function applySetId({ name }: { readonly name: string }): string {
  const hex = sha256Digest(`${name}..${bundleDeploymentResource.kind}.${ownGroup}`).slice('sha256:'.length);
  return `applyset-${Buffer.from(hex, 'hex').toString('base64url')}-v1`;
}

function sorted(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort();
}

/** `Kind.group`, or `Kind` of the core group. */
export function formatGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** The reverse of `formatGroupKind`. */
export function parseGroupKind(text: string): GroupKind {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', kind: text } : { group: text.slice(dot + 1), kind: text.slice(0, dot) };
}

function formerKind(text: string): readonly GroupKind[] {
  const slash = text.lastIndexOf('/');
  return slash < 1 ? [] : [{ group: groupOf(text.slice(0, slash)), kind: text.slice(slash + 1) }];
}

function listed(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').filter((entry) => entry !== '');
}

/** One inventory with everything of all; sorted, each entry once. */
export function mergeInventories(inventories: readonly Inventory[]): Inventory {
  const kinds = sorted(inventories.flatMap((inventory) => inventory.kinds.map(formatGroupKind)));
  const namespaces = sorted(inventories.flatMap((inventory) => inventory.namespaces));
  const adopting = sorted(inventories.flatMap((inventory) => inventory.adopting ?? []));
  return { kinds: kinds.map(parseGroupKind), namespaces, ...(adopting.length === 0 ? {} : { adopting }) };
}

/** Names an object among what is taken over. Short, as a status has all of them. */
export function adoptionKey(ref: ObjectRef): string {
  return hash('sha256', refKey(ref), 'base64url').slice(0, 16);
}

/** Where these objects are. */
export function inventoryOf(places: readonly (KindRef & Pick<ObjectRef, 'namespace'>)[]): Inventory {
  const kinds = sorted(places.map(({ apiVersion, kind }) => formatGroupKind({ group: groupOf(apiVersion), kind })));
  const namespaces = sorted(places.flatMap(({ namespace }) => namespace ?? []));
  return { kinds: kinds.map(parseGroupKind), namespaces };
}

/** Whether the object is at one of these places. Anyone who may write an object can set labels; the places of a deployment's objects are recorded. */
export function isWithin({ kinds, namespaces }: Inventory, { apiVersion, kind, namespace }: ObjectRef): boolean {
  const group = groupOf(apiVersion);
  if (!kinds.some((one) => one.kind === kind && one.group === group)) return false;
  return namespace === undefined || namespaces.includes(namespace);
}

/** With a namespace where nothing may be yet. */
export function withNamespace(inventory: Inventory, name: string | undefined): Inventory {
  return name === undefined ? inventory : mergeInventories([inventory, { kinds: [], namespaces: [name] }]);
}

/** What `inventoryMetadata` wrote; undefined when nothing was ever written. Entries that make no sense are left out. */
export function readInventory({ labels, annotations }: ObjectMeta): Inventory | undefined {
  const former = annotations?.[formerAnnotation];
  if (labels?.[idLabel] === undefined && former === undefined) return undefined;
  const kinds = [...listed(annotations?.[kindsAnnotation]).map(parseGroupKind), ...listed(former).flatMap(formerKind)];
  const known = {
    kinds: kinds.filter(({ kind }) => kind !== ''),
    namespaces: listed(annotations?.[namespacesAnnotation]),
  };
  return mergeInventories([known]);
}

function listOf(texts: readonly string[]): string | null {
  const list = texts.join(',');
  return list.length > maxListCharacters ? null : list;
}

/** `inventory` as labels and annotations of the BundleDeployment `name`; `tool` is `name/version`. */
export function inventoryMetadata(name: string, inventory: Inventory, tool: string): InventoryMetadata {
  const { kinds, namespaces } = mergeInventories([inventory]);
  return {
    labels: { [idLabel]: applySetId({ name }) },
    annotations: {
      [toolingAnnotation]: tool,
      [kindsAnnotation]: listOf(sorted(kinds.map(formatGroupKind))),
      [namespacesAnnotation]: namespaces.length === 0 ? null : listOf(namespaces),
      [formerAnnotation]: null,
    },
  };
}

/** Whether a bundle's object claims to be a member of an ApplySet already. */
export function isMember({ metadata }: KubeObject): boolean {
  return metadata.labels?.[partOfLabel] !== undefined;
}
