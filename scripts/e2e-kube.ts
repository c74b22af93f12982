/** `npm run e2e:kube`: the e2e suite of the platform on real control planes (etcd, kube-apiserver, kube-controller-manager), one a test file.
 *  The same tests pass on the embedded server with `npm run test:e2e`. Arguments go to vitest. */
import { spawnSync } from 'node:child_process';
import { findControlPlane, oracleVersion } from '../test/control-plane/index.ts';

const stories = [
  'bundle-schema',
  'plain-bundle',
  'http-bundle',
  'config-map-bundle',
  'e2e/content',
  'client-commands',
  'plain-deployment',
  'hostile',
  'kill',
];

const binaries = await findControlPlane({ mayBuild: true, report: console.log });
if ('missing' in binaries) {
  console.log(`e2e:kube is skipped, for there is no real kube-apiserver: ${binaries.missing}`);
} else if (binaries.kubeControllerManager === undefined) {
  console.log(`e2e:kube is skipped: ${binaries.origin} has no kube-controller-manager, which the stories need`);
} else {
  console.log(`real control plane ${oracleVersion}: ${binaries.origin}`);
  const rest = process.argv.slice(2);
  const args = ['run', '--project', 'e2e', ...(rest.length === 0 ? stories : rest)];
  const environment = { ...process.env, LONGSHORE_TEST_CLUSTER: 'kube' };
  process.exitCode = spawnSync('vitest', args, { stdio: 'inherit', env: environment }).status ?? 1;
}
