import { jsonReply, type Reply, textReply, unknownPath } from './exchange.ts';
import { parseAccept, unroutable } from './negotiation.ts';

const gitVersion = 'v1.33.4';

const version = {
  major: '1',
  minor: '33',
  emulationMajor: '1',
  emulationMinor: '33',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '32',
  gitVersion,
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.24',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** Checks of the real server in its order, so that clients that wait for one by name find it. All hold from the first request on. */
const hooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((name) => `poststarthook/${name}`);
const lastChecks = [
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];
const liveChecks = ['ping', 'log', 'etcd', ...hooks, ...lastChecks];
const checksOf: Readonly<Record<string, readonly string[]>> = {
  healthz: liveChecks,
  livez: liveChecks,
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...hooks, ...lastChecks, 'shutdown'],
};

/** Every health path. */
export const healthPaths: readonly string[] = Object.entries(checksOf).flatMap(([endpoint, checks]) => [
  `/${endpoint}`,
  ...checks.map((check) => `/${endpoint}/${check}`),
]);

/** The Kubernetes version that the server speaks. */
export const kubernetesVersion: string = gitVersion;

/** Whether anonymous clients may read the path, regardless of roles. */
export function isPublicPath(path: string): boolean {
  return path === '/healthz' || path === '/livez' || path === '/readyz';
}

function healthReply(endpoint: string, check: string | undefined, query: URLSearchParams): Reply {
  const checks = checksOf[endpoint] ?? [];
  if (check !== undefined && check !== '') {
    if (!checks.includes(check)) return unknownPath();
    return { code: 200, contentType: 'text/plain; charset=utf-8', body: 'ok' };
  }
  if (!query.has('verbose')) return textReply(200, 'ok');
  const excluded = query.getAll('exclude');
  const lines = checks.map((name) => (excluded.includes(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`));
  const unknown = excluded.filter((name) => name !== '' && !checks.includes(name)).map((name) => JSON.stringify(name));
  const warning = `warn: some health checks cannot be excluded: no matches for ${unknown.join(', ')}`;
  const all = [...lines, ...(unknown.length > 0 ? [warning] : []), `${endpoint} check passed`];
  return textReply(200, `${all.join('\n')}\n`);
}

/** Answers `/version` and the health endpoints; undefined for other paths. */
export function handlePublicPath(path: string, query: URLSearchParams, accept?: string): Reply | undefined {
  if (/^\/version\/?$/.test(path)) {
    const isTaken = parseAccept(accept ?? '*/*').some(({ type }) => type === '*/*' || type === 'application/json');
    if (!isTaken) throw unroutable(['application/json']);
    return jsonReply(200, version, true);
  }
  const match = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(path);
  return match === null ? undefined : healthReply(match[1] ?? '', match[2], query);
}
