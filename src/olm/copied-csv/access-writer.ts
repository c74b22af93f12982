import { type JsonObject, objectAt, textAt } from '../../base/index.ts';
import { isForbidden, type KubeClient, type KubeObject, serviceAccountUser } from '../../kube/index.ts';
import type { Placement } from '../../operators/index.ts';
import { ensureRbac, type RbacWriter } from '../rbac-objects.ts';
import type { CopyContext } from './context.ts';

/** Roles and bindings that are not written. */
export interface Unwritten {
  /** Another owner has one of that name. */
  readonly foreign: readonly string[];
  /** The service account of the group may not write it, or give these permissions. */
  readonly refused: readonly string[];
}

/** The account may get a permission that it lacks. */
export const refusedMs = 60_000;

/** `Role boat` */
export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name ?? ''}`;
}

/** The role that a binding refers to, as `nameOf` has it. */
export function roleOf(binding: KubeObject): string {
  const reference = objectAt(binding as JsonObject, 'roleRef');
  return `${textAt(reference, 'kind')} ${textAt(reference, 'name')}`;
}

/** With whose permissions roles and bindings are written. */
export interface Giver {
  readonly kube: KubeClient;
  /** It is a service account, which may be refused to write them. */
  readonly isAccount: boolean;
  /** A service account that does not exist has no permissions, though its bindings may. */
  readonly isMissing?: boolean;
}

/** Who gives an operator its permissions beyond its own namespace. Where its group names a service account, it gets there what that account may give:
 *  users who choose what is installed in the namespace are limited to the account.
 *  @see docs/spec/olm-v0.md#scoped-service-account */
export function giverOf({ kube, caches }: Pick<CopyContext, 'kube' | 'caches'>, placement: Placement): Giver {
  const { metadata, spec } = ('group' in placement ? placement.group : undefined) ?? {};
  const name = spec?.serviceAccountName ?? '';
  if (name === '') return { kube, isAccount: false };
  const namespace = metadata?.namespace ?? '';
  const account = caches.accounts.get(name, namespace);
  const isMissing = account === undefined || account.metadata.deletionTimestamp !== undefined;
  return { kube: kube.actingAs(serviceAccountUser({ namespace, name })), isAccount: true, isMissing };
}

/** Creates or corrects roles or bindings, one after another. */
export async function ensureEach(
  desired: readonly KubeObject[],
  { kube, isAccount, isMissing = false }: Giver,
  writerFor: (object: KubeObject) => Omit<RbacWriter, 'kube'>,
): Promise<Unwritten> {
  if (isMissing) return { foreign: [], refused: desired.map(nameOf) };
  const [foreign, refused]: [string[], string[]] = [[], []];
  for (const object of desired) {
    try {
      if ((await ensureRbac({ ...writerFor(object), kube }, object)) === 'foreign') foreign.push(nameOf(object));
    } catch (thrown) {
      if (!isAccount || !isForbidden(thrown)) throw thrown;
      refused.push(nameOf(object));
    }
  }
  return { foreign, refused };
}

/** What is not written, of both. */
export function joined(a: Unwritten, b: Unwritten): Unwritten {
  return { foreign: [...a.foreign, ...b.foreign], refused: [...a.refused, ...b.refused] };
}

/** Why the operator lacks permissions; empty if it does not. `where` is a place, `in namespace "x"`. */
export function describeUnwritten({ foreign, refused }: Unwritten, where: string): string {
  const lacks = `so that the operator lacks permissions ${where}`;
  const texts = [
    foreign.length === 0
      ? ''
      : `${foreign.join(', ')} ${where} has another owner and is left as it is, ${lacks}: delete or rename it`,
    refused.length === 0
      ? ''
      : `the service account of the OperatorGroup may not write ${refused.join(', ')} ${where}, ${lacks}: it must exist, and be allowed to create and patch these, and what they allow`,
  ];
  return texts.filter((text) => text !== '').join('; ');
}
