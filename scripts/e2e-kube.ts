/** `npm run e2e:kube`: the e2e suite of the platform on real control planes (etcd, kube-apiserver, kube-controller-manager), one a test file.
 *  The same tests pass on the embedded server with `npm run test:e2e`. Arguments go to vitest. The last line is `N passed, N failed`. */
import { globSync } from 'node:fs';
import { oracleVersion } from '../test/control-plane/index.ts';
import { findStoryPlane } from './story-plane.ts';
import { runVitest, summaryOf } from './vitest-run.ts';

/** They are about the package, the demo and the documents, which bring the embedded server. */
const embeddedOnly = ['demo', 'docs', 'image', 'package'].map((name) => `test/e2e/${name}.test.ts`);

const plane = await findStoryPlane();
if ('missing' in plane) {
  console.log(`e2e:kube is skipped: ${plane.missing}`);
} else {
  console.log(`real control plane ${oracleVersion}: ${plane.origin}`);
  const rest = process.argv.slice(2);
  const stories = globSync('test/e2e/*.test.ts').filter((file) => !embeddedOnly.includes(file));
  const report = await runVitest(rest.length === 0 ? stories : rest, plane.environment);
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
  console.log(`\n${summaryOf({ passed, failed, skipped })}`);
  process.exitCode = failed === 0 ? 0 : 1;
}
