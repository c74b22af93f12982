import { formatBoundedYaml } from '../../../src/base/index.ts';
import type { Session } from '../sessions.ts';
import { catalogReference } from './catalog-reference.ts';
import type { Words } from './command.ts';
import { type CommandDefinition, changes, json, reads } from './definition.ts';
import type { Input } from './input.ts';
import { updateCommands } from './update-commands.ts';

const bundleFolder = 'bundle';
const installationKinds = ['BundleDeployment', 'Subscription', 'ClusterExtension', 'PlatformOperator'] as const;

/** A BundleDeployment, or the one of a ClusterExtension. That of a PlatformOperator has its name. */
function targetOf(input: Input): string {
  const isExtension = input.has('kind') && input.oneOf('kind', installationKinds) === 'ClusterExtension';
  return `${isExtension ? 'clusterextension' : 'bd'}/${input.name('name')}`;
}

/** With another image, or with the deployment as it would be, in a file. */
function diffWords(input: Input): Words {
  const target = targetOf(input);
  if (input.has('image')) {
    const args = ['diff', target, '--image', input.image('image')];
    return { args: [...args, ...json], shown: args };
  }
  if (!input.has('deployment')) return { args: ['diff', target, ...json], shown: ['diff', target] };
  const content = Buffer.from(formatBoundedYaml(input.object('deployment')));
  const files = new Map([['deployment.yaml', content]]);
  const args = ['diff', target, '-f', 'deployment.yaml'];
  return { args: [...args, ...json], files, shown: args };
}

/** The bundle of a request: the files of a folder, an archive, or an image. */
function bundleOf(input: Input): { readonly name: string; readonly files: ReadonlyMap<string, Uint8Array> } {
  if (input.has('image')) return { name: input.image('image'), files: new Map() };
  const files = input.files('files', bundleFolder);
  const [only, ...more] = files.keys();
  const isArchive = more.length === 0 && only !== undefined && /\.(tgz|tar|tar\.gz)$/.test(only);
  return { name: isArchive ? only : bundleFolder, files };
}

function bundleWords(command: readonly string[], input: Input, options: readonly string[]): Words {
  const { name, files } = bundleOf(input);
  return { args: [...command, name, ...options], files, shown: [...command, name] };
}

function optional(input: Input, field: string, option: string): readonly string[] {
  return input.has(field) ? [option, input.name(field)] : [];
}

async function graphWords(input: Input, session: Session): Promise<Words> {
  const reference = await catalogReference(session, input);
  const installed = input.has('installed') ? ['--installed', input.version('installed')] : [];
  const target = input.has('to') ? ['--to', input.version('to')] : [];
  const args = ['catalog', 'graph', input.name('package'), '--catalog', reference, ...installed, ...target];
  const options = [...optional(input, 'channel', '--channel'), '--policy', 'v0'];
  return { args: [...args, ...options, ...json], shown: [...args, ...options] };
}

async function resolveWords(input: Input, session: Session): Promise<Words> {
  const packages = input.each('packages', 50, (item) => item.request('item'));
  const installed = input.each('installed', 500, (item) => `${item.name('name')}=${item.version('version')}`);
  const references = await Promise.all(input.each('catalogs', 20, (item) => catalogReference(session, item)));
  const catalogs = [...new Set(references)].flatMap((reference) => ['--catalog', reference]);
  const channels = input.each('channels', 50, (item) => ['--channel', `${item.name('name')}=${item.name('channel')}`]);
  const args = [
    'resolve',
    ...packages,
    ...channels.flat(),
    ...catalogs,
    ...installed.flatMap((text) => ['--installed', text]),
  ];
  return { args: [...args, ...json], shown: args };
}

function installWords(input: Input): Words {
  const watched = input.each('watchNamespaces', 100, (item) => ['--watch-namespace', item.name('item')]).flat();
  const catalog = `${input.name('catalogNamespace')}/${input.name('catalog')}`;
  const args = [
    'operator',
    'install',
    input.name('package'),
    '-n',
    input.name('namespace'),
    '--catalog',
    catalog,
    ...optional(input, 'channel', '--channel'),
    ...(input.has('version') ? ['--version', input.version('version')] : []),
    '--approval',
    input.oneOf('approval', ['Automatic', 'Manual']),
    ...(input.isTrue('allNamespaces') ? ['--all-namespaces'] : watched),
  ];
  const rest = ['--yes', '--timeout', '90s'];
  if (!input.has('config')) return { args: [...args, ...rest], shown: args };
  const content = Buffer.from(formatBoundedYaml(input.object('config')));
  const withConfig = [...args, '--config', 'config.yaml'];
  return { args: [...withConfig, ...rest], files: new Map([['config.yaml', content]]), shown: withConfig };
}

function runWords(input: Input): Words {
  const { name, files } = bundleOf(input);
  const args = ['run', name, input.name('name'), ...optional(input, 'namespace', '--namespace'), '--no-wait'];
  return { args, files };
}

function removeWords(input: Input): Words {
  if (input.oneOf('kind', ['BundleDeployment', 'Subscription']) === 'BundleDeployment') {
    return { args: ['delete', input.name('name'), '--no-wait'] };
  }
  const args = ['operator', 'uninstall', input.name('name'), '-n', input.name('namespace')];
  return { args: [...args, '--yes'], shown: args };
}

/** Of everything, or of one installation with what its removal does. */
function dependenciesWords(input: Input): Words {
  if (!input.has('name')) return { args: ['dependencies', ...json], shown: ['dependencies'] };
  const kind = input.oneOf('kind', installationKinds).toLowerCase();
  const place = input.has('namespace') ? [input.name('namespace')] : [];
  const target = [kind, ...place, input.name('name')].join('/');
  return { args: ['dependencies', target, ...json], shown: ['dependencies', target] };
}

/** All commands that pages may run, by name. Each is the command of the program of that name. */
export const commandTable: Readonly<Record<string, CommandDefinition>> = {
  ...updateCommands,
  tree: reads((input) => ({ args: ['tree', targetOf(input), ...json] })),
  dependencies: reads(dependenciesWords),
  history: reads((input) => ({ args: ['history', targetOf(input), ...json] })),
  diff: { isChange: false, isFetching: true, words: diffWords },
  permissions: reads((input) => ({ args: ['permissions', targetOf(input), ...json] })),
  graph: reads(graphWords),
  resolve: reads(resolveWords),
  install: changes(installWords),
  approve: changes((input) => {
    const args = ['operator', 'approve', input.name('plan'), '-n', input.name('namespace')];
    return { args: [...args, '--yes'], shown: args };
  }),
  rollback: changes((input) => ({
    args: ['rollback', targetOf(input), '--to', String(input.positive('revision')), '--no-wait'],
  })),
  remove: changes(removeWords),
  run: { isChange: true, isFetching: true, words: runWords },
  validate: {
    isChange: false,
    isFetching: true,
    words: (input) => bundleWords(['bundle', 'validate'], input, ['-o', input.oneOf('form', ['json', 'sarif'])]),
  },
  render: {
    isChange: false,
    isFetching: true,
    words: (input) =>
      bundleWords(['bundle', 'render'], input, [
        ...input.each('watchNamespaces', 20, (item) => ['--watch-namespace', item.name('item')]).flat(),
        ...json,
      ]),
  },
  inspect: {
    isChange: false,
    isFetching: true,
    words: (input) => bundleWords(['bundle', 'inspect'], input, json),
  },
  needs: {
    isChange: false,
    isFetching: true,
    words: (input) => bundleWords(['permissions'], input, json),
  },
};
