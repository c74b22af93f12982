import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Longer than `eventually()` of test/support waits, so that its message is the one that is seen.
const shared = { testTimeout: 90_000, hookTimeout: 120_000, pool: 'forks' as const };

const config: ViteUserConfig = defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{src,provisioners,webhook,apiserver,cli,test/architecture,test/rows,test/support}/**/*.test.ts'],
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
