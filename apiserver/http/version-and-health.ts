import { jsonReply, type Reply, textReply, unknownPath } from './exchange.ts';

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

const checks = ['ping', 'log', 'etcd', 'informer-sync', 'poststarthook/start-apiserver-admission-initializer'];

/** The Kubernetes version that the server speaks. */
export const kubernetesVersion: string = gitVersion;

/** Whether anybody may read the path, whatever roles say. */
export function isPublicPath(path: string): boolean {
  return path === '/healthz' || path === '/livez' || path === '/readyz';
}

function healthReply(endpoint: string, check: string | undefined, query: URLSearchParams): Reply {
  if (check !== undefined && check !== '') return checks.includes(check) ? textReply(200, 'ok') : unknownPath();
  if (!query.has('verbose')) return textReply(200, 'ok');
  const excluded = query.getAll('exclude');
  const lines = checks.map((name) => (excluded.includes(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`));
  return textReply(200, `${lines.join('\n')}\n${endpoint} check passed\n`);
}

/** Answers `/version` and the health endpoints; undefined for other paths. */
export function handlePublicPath(path: string, query: URLSearchParams): Reply | undefined {
  if (/^\/version\/?$/.test(path)) return jsonReply(200, version, true);
  const match = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(path);
  return match === null ? undefined : healthReply(match[1] ?? '', match[2], query);
}
