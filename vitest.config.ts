import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Workers, and the programs that tests start, share compiled modules: a start costs a third less. Not below /tmp, where another user may have made the folder.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['{src,provisioners,webhook,apiserver,manager,console/server,console/app,cli,scripts,test}/**/*.test.ts'],
    // Longer than a story takes on a busy machine, and than `eventually()` of test/support waits, so that its message is the one that is seen.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Modules hold no state of their own, so that the test files of a worker share them: that halves the processor time of the unit tests. All tests are
    // one project of vitest's: a worker of another one would load the modules again.
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
    // Stories wait for more than half of their time: five workers keep two cores busy. vitest would leave a core to itself.
    maxWorkers: Math.ceil(availableParallelism() * 2.5),
    // Node.js loads our TypeScript itself, as it does in a checkout: nothing is transformed first, and no module is replaced by a mock.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});

export default config;
