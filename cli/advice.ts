import { group } from '../src/api/index.ts';
import { TerminalError } from '../src/base/index.ts';
import { isKubeError, NoKindMatch } from '../src/kube/index.ts';

const maxCauses = 5;

function statusOf(thrown: unknown): number | undefined {
  let current = thrown;
  for (let depth = 0; depth < maxCauses; depth++) {
    if (isKubeError(current)) return current.failure.status;
    if (!(current instanceof Error)) return undefined;
    current = current.cause;
  }
  return undefined;
}

const advices: ReadonlyMap<number, string> = new Map([
  [0, 'check that the cluster runs, and that the kubeconfig (--kubeconfig, KUBECONFIG) is that of the cluster'],
  [
    401,
    'check that the credentials of the kubeconfig (--kubeconfig, KUBECONFIG) are for this cluster, and have not expired',
  ],
  [403, 'use an account with that permission, or ask an administrator for it'],
]);

const notInstalled = 'check that Longshore is installed on this cluster in this version: "longshore install"';
const systemNamespaceMissing = /^namespaces "[^"]+" not found$/;

const byReason: ReadonlyMap<string, string> = new Map([
  [
    'NotInstalled',
    'the cluster keeps trying: "longshore tree NAME" shows the state of every object, "longshore delete NAME" removes everything',
  ],
  [
    'NotUpgraded',
    'the cluster keeps trying: "longshore tree NAME" shows the state of every object, "longshore rollback NAME" returns to the previous version, "longshore delete NAME" removes everything',
  ],
  [
    'ExtensionNotInstalled',
    'the cluster keeps trying: correct what the message names; "longshore tree clusterextension/NAME" shows the state of every object',
  ],
  ['NotDeleted', 'the cluster keeps trying: "kubectl describe bd NAME" shows what blocks the deletion'],
]);

/** What a person at a terminal can do about an answer of the API server, or none, and about an installation; undefined for anything else. */
export function adviceFor(thrown: unknown): string | undefined {
  if (thrown instanceof TerminalError && byReason.has(thrown.reason)) return byReason.get(thrown.reason);
  if (thrown instanceof NoKindMatch && thrown.apiVersion.startsWith(`${group}/`)) return notInstalled;
  if (isKubeError(thrown) && systemNamespaceMissing.test(thrown.message)) return notInstalled;
  return advices.get(statusOf(thrown) ?? -1);
}
