import type { KubeObject } from '../../../src/kube/index.ts';
import { type OptionValues, parseOptions } from '../../command/index.ts';
import { RecentLines } from '../../console/index.ts';
import { startExampleServers } from '../../examples/index.ts';
import { createTerminal } from '../../output/index.ts';
import { endSoon, openProcessLog, untilStopped } from '../../process/index.ts';
import { readConfig, upOptions } from '../../settings/index.ts';
import { openUpConsole, startPlatform } from '../../up/index.ts';
import type { demoOptions } from '../options.ts';

type Values = OptionValues<typeof demoOptions>;

const provisionerClassName = 'core-rukpak-io-plain';

/** A catalog with two operators, and a bundle whose next version can be installed, and whose last one cannot. */
function exampleObjects(registry: string): readonly KubeObject[] {
  const source = { type: 'image', image: { ref: `${registry}/combo:v0.0.2` } };
  return [
    {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'examples', namespace: 'olm' },
      spec: { sourceType: 'grpc', displayName: 'Examples', image: `${registry}/catalog:v2` },
    },
    {
      apiVersion: 'core.rukpak.io/v1alpha1',
      kind: 'BundleDeployment',
      metadata: { name: 'combo' },
      spec: { provisionerClassName, template: { spec: { provisionerClassName, source } } },
    },
  ];
}

/** What there is to try, a line each. */
const hints: readonly string[] = [
  'Overview, "Try the example": install Tide Gauge 0.1.0 with updates that wait for approval, then approve its update.',
  'Overview, "Change the example bundle": see the difference to combo v0.0.3 first. Then break it with v0.0.4, and the page reports why.',
];

/** `longshore demo --console`: a cluster to click through, until it is stopped. */
export async function consoleDemo({ open }: Values): Promise<number> {
  const terminal = createTerminal(process.stdout);
  const stopped = untilStopped();
  await using stack = new AsyncDisposableStack();
  stack.defer(endSoon);
  const { registry } = stack.use(await startExampleServers());
  const args = ['--log-level', 'error', ...(open ? ['--open'] : [])];
  const config = readConfig(parseOptions(upOptions, args, {}).values);
  const recentLines = new RecentLines();
  const log = await openProcessLog(config.logLevel, recentLines);
  const platform = stack.use(await startPlatform(config, { log, onStep: (line) => terminal.line(line) }));
  for (const object of exampleObjects(registry.host)) {
    await platform.kube.apply(object, { fieldManager: 'longshore-demo', force: true });
  }
  for (const hint of hints) terminal.line(hint);
  const consoleServer = await openUpConsole(config, platform, { log, terminal, recentLines });
  if (consoleServer !== undefined) stack.use(consoleServer);
  terminal.line('Ctrl-C stops it.');
  await stopped;
  return 0;
}
