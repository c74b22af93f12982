import { execFile } from 'node:child_process';

/** Prints the address of each module that a program loads, and at its end what Node.js loaded of its own for that. */
const hook = `import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.error('loaded ' + url); return next(url, context); } });
  process.on('exit', () => { for (const name of process.moduleLoadList) if (name.includes('undici')) console.error('loaded ' + name); });`;

/** What a command loads: packages (`js-yaml`), folders of the compiled package that hold `index.js` (`src/base`), and `undici` for Node's second HTTP client. */
export async function modulesLoadedBy(program: string, args: readonly string[]): Promise<readonly string[]> {
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, program, ...args];
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, argv, { env }, (_failure, _stdout, stderr) => resolve(stderr));
  });
  const names = [...printed.matchAll(/^loaded (.*)$/gm)].map(([, url = '']) => {
    const [, folder] = /\/longshore\/dist\/((?:src\/)?[^/]+)\//.exec(url) ?? [];
    const [, ownPackage] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    return folder ?? (ownPackage === 'longshore' ? undefined : ownPackage) ?? /undici/.exec(url)?.[0];
  });
  return [...new Set(names)].filter((name) => name !== undefined).toSorted();
}
