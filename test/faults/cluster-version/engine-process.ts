import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programPath } from '../../e2e/program.ts';

/** `longshore controllers --release`. */
export interface EngineProcess extends AsyncDisposable {
  /** `kill -9`, at once. */
  kill(): void;
  readonly ended: Promise<void>;
  /** What it has printed on standard error, the last of it. */
  readonly complaints: () => string;
}

/** Where an engine runs. A later process finds there what an earlier one has left. */
export interface EnginePlace {
  readonly kubeconfigPath: string;
  readonly folder: string;
  /** Has a certificate for its servers. */
  readonly tlsDir: string;
  /** The release that a cluster without one is installed with. */
  readonly release: string;
  /** Folders of releases by their image. */
  readonly images: Readonly<Record<string, string>>;
}

/** Starts one. Nothing connects to its servers: they have any port. */
export function spawnEngine({ kubeconfigPath, folder, tlsDir, release, images }: EnginePlace): EngineProcess {
  const options = [
    ['--kubeconfig', kubeconfigPath],
    ['--provisioner-storage-dir', join(folder, 'storage')],
    ['--tls-dir', tlsDir],
    ['--http-bind-address', '127.0.0.1:0'],
    ['--http-external-address', 'https://127.0.0.1'],
    ['--health-probe-bind-address', '127.0.0.1:0'],
    ['--no-cluster-catalogs', '--allow-unsigned-releases'],
    ['--release', release],
    ...Object.entries(images).map(([image, path]) => ['--release-image', `${image}=${path}`]),
    ['--log-level', 'error'],
  ];
  const args = [programPath, 'controllers', ...options.flat()];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close').then(() => undefined);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-8_000);
  });
  const kill = (): void => void child.kill('SIGKILL');
  return {
    kill,
    ended,
    complaints: () => text,
    [Symbol.asyncDispose]: async () => {
      kill();
      await ended;
    },
  };
}
