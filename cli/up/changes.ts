import { type Clock, isJsonObject, type JsonObject, type Logger, printableLine } from '../../src/base/index.ts';
import { createCache, type KubeClient, type KubeObject } from '../../src/kube/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';

/** What is printed of one object. */
interface Situation {
  readonly name: string;
  /** A state that lasts, such as `Unpacked`; empty before there is one. */
  readonly state: string;
  /** Detail of the state: the bundle that is fetched, the reason of a failure. */
  readonly detail: string;
  readonly isPassing: boolean;
}

export interface ChangeListener {
  /** A state was reached. */
  readonly line: (text: string) => void;
  /** Something is on its way. */
  readonly progress: (text: string) => void;
}

function conditionOf(object: KubeObject, type: string): JsonObject {
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return conditions.filter(isJsonObject).find((condition) => condition['type'] === type) ?? {};
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function bundleSituation(object: KubeObject): Situation {
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const state = text(status['phase']);
  const isPassing = state === 'Pending' || state === 'Unpacking';
  const isQuiet = state === 'Unpacked';
  const detail = isQuiet ? '' : text(conditionOf(object, 'Unpacked')['message']);
  return { name: `bundle/${object.metadata.name}`, state, detail, isPassing };
}

function deploymentSituation(object: KubeObject): Situation {
  const { status, reason, message } = conditionOf(object, 'Installed');
  const name = `bundledeployment/${object.metadata.name}`;
  return {
    name,
    state: text(reason),
    detail: status === 'False' ? text(message) : '',
    isPassing: status === 'Unknown',
  };
}

const kinds: readonly { readonly kind: string; readonly situationOf: (object: KubeObject) => Situation }[] = [
  { kind: 'Bundle', situationOf: bundleSituation },
  { kind: 'BundleDeployment', situationOf: deploymentSituation },
];

function report(listener: ChangeListener, before: Situation | undefined, after: Situation | undefined): void {
  if (after === undefined) {
    if (before !== undefined) listener.line(`${before.name}: deleted`);
    return;
  }
  if (after.state === '' || (before?.state === after.state && before.detail === after.detail)) return;
  // Messages quote what bundles and servers have in them.
  const line = printableLine(`${after.name}: ${after.state}${after.detail === '' ? '' : `: ${after.detail}`}`);
  if (after.isPassing) listener.progress(line);
  else listener.line(line);
}

/** Reports changes of Bundles and BundleDeployments until `signal` fires. */
export function followChanges(
  context: { readonly kube: KubeClient; readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
  listener: ChangeListener,
): void {
  for (const { kind, situationOf } of kinds) {
    const cache = createCache<Situation>({ ...context, target: { apiVersion, kind }, project: situationOf });
    cache.subscribe(({ before, after }) => report(listener, before, after));
  }
}
