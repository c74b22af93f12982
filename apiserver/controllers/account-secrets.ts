import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { type Controller, ignoreNotFound, listInTurns, typeOf } from './controller.ts';
import { PendingChanges } from './pending-changes.ts';

const as = 'system:serviceaccount:kube-system:tokens-controller';
const secretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** Makes the token of a Secret. */
export type IssueSecretToken = (
  account: { readonly namespace: string; readonly name: string; readonly uid: string },
  secret: string,
) => string;

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function isOurs(secret: KubeObject): boolean {
  return secret['type'] === secretType;
}

function accountOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[nameAnnotation] ?? '';
}

/** What the Secrets are filled with. */
export interface SecretFilling {
  readonly authorityPem: string;
  readonly issue: IssueSecretToken;
}

function dataOf(secret: KubeObject): JsonObject {
  return isJsonObject(secret['data']) ? secret['data'] : {};
}

/** The Secret with all that belongs into it; a token that it has stays. */
function filled(secret: KubeObject, account: KubeObject, { authorityPem, issue }: SecretFilling): KubeObject {
  const { namespace = '', name = '', annotations } = secret.metadata;
  const { uid = '', name: accountName = '' } = account.metadata;
  const data = dataOf(secret);
  const token = data['token'] ?? base64(issue({ namespace, name: accountName, uid }, name));
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations: { ...annotations, [uidAnnotation]: uid } },
    data: { ...data, 'ca.crt': base64(authorityPem), namespace: base64(namespace), token },
  };
}

class AccountSecrets implements Controller {
  readonly name = 'account-secrets';
  readonly #cluster: Cluster;
  readonly #filling: SecretFilling;
  readonly #accounts = new PendingChanges<string>();

  constructor(cluster: Cluster, filling: SecretFilling) {
    this.#cluster = cluster;
    this.#filling = filling;
  }

  keysOf({ resource, object }: ClusterEvent): Iterable<string> {
    const { namespace = '', name = '' } = object.metadata;
    if (resource.storageKey === 'secrets') return isOurs(object) ? [`${namespace}/${name}`] : [];
    return resource.storageKey === 'serviceaccounts' ? [this.#accounts.add(namespace, name)] : [];
  }

  async concernedIn(namespace: string): Promise<string[]> {
    const names = this.#accounts.take(namespace);
    const where = (secret: KubeObject): boolean => isOurs(secret) && names?.includes(accountOf(secret)) !== false;
    const secrets = await listInTurns(this.#cluster, typeOf(this.#cluster, 'secrets'), { namespace, where });
    return secrets.map(({ metadata }) => `${namespace}/${metadata.name}`);
  }

  async work(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const type = typeOf(this.#cluster, 'secrets');
    const secret = this.#cluster.get(type, { namespace, name });
    if (secret === undefined || !isOurs(secret) || secret.metadata.deletionTimestamp !== undefined) return;
    const account = this.#accountFor(secret, namespace);
    if (account === undefined) {
      await ignoreNotFound(this.#cluster.delete(type, { namespace, name }, { as }));
      return;
    }
    const desired = filled(secret, account, this.#filling);
    const isDone = isJsonEqual(desired as unknown as JsonValue, secret as unknown as JsonValue);
    if (!isDone) await ignoreNotFound(this.#cluster.update(type, desired, { as }));
  }

  /** Undefined when the account does not exist any more, or another one has its name. */
  #accountFor(secret: KubeObject, namespace: string): KubeObject | undefined {
    const key = { namespace, name: accountOf(secret) };
    const account = this.#cluster.get(typeOf(this.#cluster, 'serviceaccounts'), key);
    const uid = secret.metadata.annotations?.[uidAnnotation] ?? account?.metadata.uid;
    return account?.metadata.uid === uid ? account : undefined;
  }
}

/** Secrets that ask for a token of a service account get one, and go with the account. */
export function accountSecrets(cluster: Cluster, filling: SecretFilling): Controller {
  return new AccountSecrets(cluster, filling);
}
