import { dirname, join } from 'node:path';
import { bundleModules } from '../scripts/apiserver-package.ts';
import { compileFiles } from './compiled.ts';

/** The package `@longshore/apiserver`, in one file, as `npm run build` makes it. */
export interface PackagedApiServer extends AsyncDisposable {
  /** Arguments with which `api-server-child.ts` runs it instead of the sources. */
  readonly args: readonly string[];
}

/** Builds the package into a temporary folder. */
export async function packageApiServer(): Promise<PackagedApiServer> {
  await using stack = new AsyncDisposableStack();
  const compiled = stack.use(await compileFiles(['apiserver/index.ts']));
  const dist = dirname(dirname(compiled.pathOf('apiserver/index.ts')));
  await bundleModules(dist, join(dist, 'package'));
  const owned = stack.move();
  return {
    args: ['--module', join(dist, 'package/dist/apiserver/index.js')],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
