import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const shared = {
  // Longer than `eventually()` of test/support waits, so that its message is the one that is seen.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
  // Modules hold no state of their own, so that the test files of a worker share them: that halves the processor time of the unit tests.
  isolate: false,
  setupFiles: process.env['LONGSHORE_TRACE_WAITS'] === undefined ? [] : ['test/support/trace-waits.ts'],
};

const config: ViteUserConfig = defineConfig({
  test: {
    // vitest leaves a core to itself by default: on two cores all files would run one after the other, most of them waiting.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{src,provisioners,webhook,apiserver,manager,cli,test/architecture,test/rows,test/support}/**/*.test.ts'],
        },
      },
      { test: { ...shared, name: 'conformance', include: ['test/conformance/*.test.ts'] } },
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
