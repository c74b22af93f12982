import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

// Workers, and the programs that tests start, share compiled modules: a start costs a third less. Not below /tmp, where another user may have made the folder.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

const besideCode =
  '{src,provisioners,webhook,apiserver,manager,console/server,console/app,cli,scripts,test/architecture,test/catalog-registry,test/cluster-extensions,test/cluster-version,test/helm,test/machines,test/olm,test/rows,test/support}/**/*.test.ts';
const comparisons = [
  'test/olm/conformance.test.ts',
  'test/cluster-extensions/conformance.test.ts',
  'test/cluster-version/conformance.test.ts',
  'test/machines/conformance.test.ts',
  'test/machines/pools/pools-conformance.test.ts',
];
/** Those beside the code that start a server or a cluster. */
const integration = globSync(besideCode, { cwd: import.meta.dirname, exclude: comparisons }).filter((file) =>
  /\bstart[A-Z]\w*\(|\bopen\w*Cluster\(|\.listen\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

const shared = {
  // Longer than `eventually()` of test/support waits, so that its message is the one that is seen.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
  // Modules hold no state of their own, so that the test files of a worker share them: that halves the processor time of the unit tests.
  isolate: false,
  // Tests make much that is soon garbage: room for more of it before it is looked through saves a twentieth of the processor time.
  execArgv: ['--max-semi-space-size=64'],
  tags: [
    {
      name: 'long',
      description: 'A long form of what a quicker test shows, or a load: run by npm run test:long, not by npm test.',
    },
  ],
  setupFiles: [
    ...(process.env['LONGSHORE_TRACE_WAITS'] === undefined ? [] : ['test/support/trace-waits.ts']),
    ...(process.env['LONGSHORE_TEST_TIMES'] === undefined ? [] : ['test/support/processor-time.ts']),
  ],
};

const config: ViteUserConfig = defineConfig({
  test: {
    // Stories wait for more than half of their time: five workers keep two cores busy. vitest would leave a core to itself.
    maxWorkers: Math.ceil(availableParallelism() * 2.5),
    // Node.js loads our TypeScript itself, as it does in a checkout: nothing is transformed first, and no module is replaced by a mock.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [besideCode],
          exclude: [...configDefaults.exclude, ...integration, ...comparisons],
        },
      },
      { test: { ...shared, name: 'integration', include: integration } },
      { test: { ...shared, name: 'conformance', include: ['test/conformance/*.test.ts', ...comparisons] } },
      {
        test: {
          ...shared,
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      { test: { ...shared, name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 240_000 } },
      { test: { ...shared, name: 'faults', include: ['test/faults/**/*.test.ts'], testTimeout: 240_000 } },
    ],
  },
});

export default config;
