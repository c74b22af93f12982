import { defineConfig, type UserConfig } from 'vite';

/** Static files below `app/`; everything that the page loads has the digest of its content in its name. */
const config: UserConfig = defineConfig({
  root: `${import.meta.dirname}/app`,
  base: '/',
  // No list of sources of the page, and nothing that is evaluated: the policy of the page refuses that.
  build: { target: 'es2022', sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});

export default config;
