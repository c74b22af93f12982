import { type KubeClient, serviceAccountUser } from '../kube/index.ts';
import type { Owner } from './ownership.ts';

/** `kube` as the one whom `owner` has its objects read and written by. */
export function clientFor(kube: KubeClient, { account }: Owner): KubeClient {
  return account === undefined ? kube : kube.actingAs(serviceAccountUser(account));
}
