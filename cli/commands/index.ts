import { buildOptions, buildTargetOptions, registryOptions, validateOptions } from '../bundle/options.ts';
import { renderOptions } from '../bundle/render-options.ts';
import { catalogCommands } from '../catalog/commands.ts';
import {
  bootstrapOptions,
  clusterOptions,
  deleteOptions,
  diffOptions,
  doctorOptions,
  installOptions,
  kubeconfigOption,
  longOutputOption,
  outputOption,
  rollbackOptions,
  runOptions,
  uninstallOptions,
} from '../command/client-options.ts';
import type { Command } from '../command/command.ts';
import { documentOption } from '../command/print-document.ts';
import { upOptions } from '../config.ts';
import { permissionsOptions } from '../deployments/permissions/options.ts';
import { controllersOptions, webhookOptions } from '../process-config.ts';

export type { Command } from '../command/command.ts';

const loginText =
  'Logins are those of container tools: --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';
const bundleText = `Takes a folder, a tar of it, an OCI image layout (a folder or a tar), - for a tar on standard input, or the reference of an image or artifact. ${loginText}`;

/** In the order of `longshore --help`. */
export const commands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Start a Kubernetes API, the webhook and the provisioners on this machine.',
    options: upOptions,
    examples: ['up', 'up --data-dir ~/.longshore --port 6443'],
    run: async (values) => (await import('./up.ts')).up(values),
  },
  {
    name: 'demo',
    summary: 'Play the main job once, with kubectl, on a cluster that comes and goes.',
    options: [],
    examples: ['demo'],
    run: async () => (await import('./demo.ts')).demo(),
  },
  {
    name: 'run',
    summary: 'Install a bundle: a folder, a tar, an image, a git repository or the URL of a tar.',
    description:
      'Detects the format, validates the bundle, applies a BundleDeployment and waits until the content is installed and healthy. A folder, a tar, an OCI image layout or a tar on standard input (-) is uploaded; the cluster fetches an image, a repository or a URL. Run again to change a source, a class or settings: what is not given again goes back to its default.\nExit status: 0 installed, 1 not installed (the reason is that of the condition), 2 wrong arguments.',
    positionals: ['NAME', 'DIR|FILE|REF|URL|-'],
    options: [...runOptions, ...clusterOptions, ...registryOptions],
    examples: [
      'run combo ./combo',
      'run combo <registry>/combo:v1 --namespace combo',
      'run combo https://<host>/combo.git --tag v1.0.0',
      'run widget ./widget --watch-namespace shop --timeout 600',
    ],
    run: async (values, positionals) => (await import('../deployments/commands/run.ts')).run(values, positionals),
  },
  {
    name: 'list',
    summary: 'List BundleDeployments with their versions and states.',
    options: [kubeconfigOption, documentOption],
    examples: ['list', 'list -o yaml'],
    run: async (values) => (await import('../deployments/commands/list.ts')).list(values),
  },
  {
    name: 'history',
    summary: 'Show the revisions of a BundleDeployment that were installed, at most the last ten.',
    positionals: ['NAME'],
    options: [kubeconfigOption, documentOption],
    examples: ['history combo', 'history combo -o json'],
    run: async (values, positionals) =>
      (await import('../deployments/commands/history.ts')).history(values, positionals),
  },
  {
    name: 'rollback',
    summary: 'Go back to an earlier revision of a BundleDeployment, its settings included.',
    description:
      'Sets the spec to that of the revision, with its source pinned by digest or commit, and waits until it is installed: another revision, with the next number. While the Bundle of the revision exists, as after a failed upgrade, it is used again; an upload can only be used as long.\nExit status: 0 rolled back, 1 there is no such revision, or it was not installed in time, 2 wrong arguments.',
    positionals: ['NAME'],
    options: [kubeconfigOption, ...rollbackOptions],
    examples: ['rollback combo', 'rollback combo --to 3'],
    run: async (values, positionals) =>
      (await import('../deployments/commands/rollback.ts')).rollback(values, positionals),
  },
  {
    name: 'delete',
    summary: 'Delete a BundleDeployment and wait until everything that it installed is removed.',
    description: 'Exit status: 0 deleted, 1 not there or not deleted in time, 2 wrong arguments.',
    positionals: ['NAME'],
    options: [kubeconfigOption, ...deleteOptions],
    examples: ['delete combo', 'delete combo --wait=false'],
    run: async (values, positionals) =>
      (await import('../deployments/commands/delete.ts')).deleteDeployment(values, positionals),
  },
  {
    name: 'content',
    summary: 'List the files of an unpacked Bundle.',
    positionals: ['BUNDLE'],
    options: [...clusterOptions, outputOption],
    examples: ['content combo-5f6k2', 'content combo-5f6k2 -o json'],
    run: async (values, positionals) =>
      (await import('../deployments/commands/content.ts')).content(values, positionals),
  },
  {
    name: 'tree',
    summary: 'Show what a BundleDeployment or Bundle has installed, and how healthy it is.',
    positionals: ['bd/NAME|bundle/NAME'],
    options: [kubeconfigOption, outputOption],
    examples: ['tree bd/combo', 'tree bundle/combo-5f6k2 -o json'],
    run: async (values, positionals) => (await import('../deployments/commands/tree.ts')).tree(values, positionals),
  },
  {
    name: 'diff',
    summary: 'Show what a pivot of a BundleDeployment would change, by a dry run on the server.',
    description:
      'Without --bundle, --image and -f it compares with the newest Bundle: that shows drift, or what a paused or blocked pivot would do. Values of Secrets are masked.\nExit status: 0 no change, 1 changes, 2 something stands against it, or an error.',
    positionals: ['bd/NAME'],
    options: [...clusterOptions, ...diffOptions, ...registryOptions, outputOption],
    examples: [
      'diff bd/combo',
      'diff bd/combo --bundle ./combo',
      'diff bd/combo --image <registry>/combo:v2',
      'diff bd/combo -f combo.yaml -o json',
    ],
    failureStatus: 2,
    run: async (values, positionals) => (await import('../deployments/commands/diff.ts')).diff(values, positionals),
  },
  {
    name: 'permissions',
    summary: 'Print the rights that it takes to install a bundle, as roles that can be applied.',
    description: `Of a BundleDeployment on its cluster: of what its template asks for, and of the end of what is installed now; what its service account lacks is told besides. Of a bundle (a folder, an OCI image layout, a tar or a reference) without any cluster. ${loginText}`,
    positionals: ['bd/NAME|DIR|FILE|REF'],
    options: [...permissionsOptions, ...clusterOptions, ...registryOptions],
    examples: [
      'permissions bd/combo',
      'permissions bd/combo -o table',
      'permissions ./combo --service-account shop/installer',
      'permissions <registry>/combo:v1',
    ],
    run: async (values, positionals) =>
      (await import('../deployments/commands/permissions.ts')).permissions(values, positionals),
  },
  {
    name: 'bundle build',
    summary: 'Build a container image or OCI artifact from the files of a folder.',
    description:
      'Prints its digest. The same files give the same digest on every machine: their times and owners do not count.',
    positionals: ['DIR'],
    options: [...buildOptions, ...buildTargetOptions, ...registryOptions, longOutputOption],
    examples: [
      'bundle build ./combo',
      'bundle build ./combo -o combo.tar',
      'bundle build ./combo --push <registry>/combo:v1',
    ],
    run: async (values, positionals) => (await import('../bundle/commands/build.ts')).bundleBuild(values, positionals),
  },
  {
    name: 'bundle push',
    summary: 'Push a folder, or an OCI image layout, to a registry.',
    description: `Prints the reference with its digest. ${loginText}`,
    positionals: ['DIR|LAYOUT', 'REF'],
    options: [...buildOptions, ...registryOptions, outputOption],
    examples: ['bundle push ./combo <registry>/combo:v1', 'bundle push combo.tar <registry>/combo:v1'],
    run: async (values, positionals) => (await import('../bundle/commands/push.ts')).bundlePush(values, positionals),
  },
  {
    name: 'bundle pull',
    summary: 'Write the files of an image or artifact to a folder that is new or empty.',
    description: `Prints its digest. ${loginText}`,
    positionals: ['REF', 'DIR'],
    options: [...registryOptions, outputOption],
    examples: ['bundle pull <registry>/combo:v1 ./combo'],
    run: async (values, positionals) => (await import('../bundle/commands/pull.ts')).bundlePull(values, positionals),
  },
  {
    name: 'bundle inspect',
    summary: 'Tell what a bundle holds, and what unpacking would refuse; exit status 1 when there is such a thing.',
    description: `${bundleText}\nExit status: 0 nothing would be refused, 1 something would, 2 the bundle could not be read.`,
    positionals: ['DIR|FILE|REF|-'],
    options: [...registryOptions, outputOption],
    examples: ['bundle inspect ./combo', 'bundle inspect <registry>/combo:v1 -o json'],
    failureStatus: 2,
    run: async (values, positionals) =>
      (await import('../bundle/commands/inspect.ts')).bundleInspect(values, positionals),
  },
  {
    name: 'bundle render',
    summary: 'Print the objects that a registry+v1 bundle becomes.',
    description: `${bundleText}\nExit status: 0 rendered, 2 the bundle could not be read, or not be rendered so.`,
    positionals: ['DIR|FILE|REF|-'],
    options: [...renderOptions, ...registryOptions],
    examples: [
      'bundle render ./widget --install-namespace widgets',
      'bundle render ./widget --watch-namespace shop --cert-provider openshift-service-ca -o json',
    ],
    failureStatus: 2,
    run: async (values, positionals) =>
      (await import('../bundle/commands/render.ts')).bundleRender(values, positionals),
  },
  {
    name: 'bundle explain',
    summary: 'Say what installing a registry+v1 bundle does to a cluster: permissions, APIs, webhooks, images.',
    description: `${bundleText}\nExit status: 0 explained, 2 the bundle could not be read.`,
    positionals: ['DIR|FILE|REF|-'],
    options: [...registryOptions, outputOption],
    examples: ['bundle explain ./widget', 'bundle explain <registry>/widget-bundle:v1 -o json'],
    failureStatus: 2,
    run: async (values, positionals) =>
      (await import('../bundle/commands/explain.ts')).bundleExplain(values, positionals),
  },
  {
    name: 'bundle validate',
    summary: 'Judge registry+v1 bundles: what is wrong, in which line, and what to do about it.',
    description: `${bundleText}\nExit status: 0 no errors, 1 errors were found, 2 a bundle could not be read.`,
    positionals: ['[DIR|FILE|REF|-]...'],
    options: [...validateOptions, ...registryOptions],
    examples: [
      'bundle validate ./tide-gauge',
      'bundle validate --ignore good-practices ./tide-gauge <registry>/tide-gauge:v1',
      'bundle validate --select operatorhub --k8s-version 1.30 -o sarif ./tide-gauge',
      'bundle validate --list',
    ],
    failureStatus: 2,
    run: async (values, positionals) =>
      (await import('../bundle/commands/validate.ts')).bundleValidate(values, positionals),
  },
  ...catalogCommands,
  {
    name: 'install',
    summary: 'Install Longshore on a cluster, or bring what is there up to this version.',
    description:
      'Applies the manifests of deploy/ by server-side apply, waits until everything runs and admission works, and says what is missing when it does not come.',
    options: [kubeconfigOption, ...installOptions],
    examples: ['install --image <registry>/longshore:0.1.0', 'install --overlay cert-manager --dry-run'],
    run: async (values) => (await import('../install/commands/install.ts')).install(values),
  },
  {
    name: 'uninstall',
    summary: 'Remove Longshore from a cluster; not while there are BundleDeployments, unless told.',
    options: [kubeconfigOption, ...uninstallOptions],
    examples: ['uninstall', 'uninstall --with-content'],
    run: async (values) => (await import('../install/commands/uninstall.ts')).uninstall(values),
  },
  {
    name: 'controllers',
    summary: 'Run the provisioners and the content server of a cluster, as a pod of it does.',
    description: 'The CustomResourceDefinitions and the system namespace must be there.',
    options: controllersOptions,
    examples: [
      'controllers',
      'controllers --kubeconfig admin.conf --tls-dir ./tls --provisioner-storage-dir ./bundles',
    ],
    run: async (values) => (await import('./controllers.ts')).controllers(values),
  },
  {
    name: 'webhook',
    summary: 'Run the admission webhook of a cluster, as a pod of it does.',
    description:
      'It writes its webhook configurations itself, with the authority of its certificate, and again when that is replaced.',
    options: webhookOptions,
    examples: [
      'webhook',
      'webhook --kubeconfig admin.conf --tls-dir ./tls --bind-address 127.0.0.1:9443 --external-address https://127.0.0.1:9443',
    ],
    run: async (values) => (await import('./webhook.ts')).webhook(values),
  },
  {
    name: 'doctor',
    summary: 'Examine a cluster from outside: what does not work, what will not work soon, and what to do.',
    description:
      'Looks at the definitions, the webhooks (by a dry run), certificates, clocks, processes, rights, and at Bundles and BundleDeployments that are stuck. Changes nothing.\nExit status: 0 all is well, 1 something should be looked at, 2 something does not work.',
    options: [kubeconfigOption, ...doctorOptions, outputOption],
    examples: ['doctor', 'doctor --kubeconfig admin.conf -o json'],
    failureStatus: 2,
    run: async (values) => (await import('../doctor/commands/doctor.ts')).doctor(values),
  },
  {
    name: 'version',
    summary: 'Print the version and the revision that it was built from.',
    options: [outputOption],
    examples: ['version', 'version -o json'],
    run: async (values) => (await import('../command/version.ts')).version(values),
  },
  {
    name: 'completion',
    summary: 'Print the script that makes a shell complete commands, options, files and names.',
    description: 'For bash and zsh: source <(longshore completion bash). For fish: longshore completion fish | source.',
    positionals: ['SHELL'],
    options: [],
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    run: async (_values, positionals) => (await import('./completion.ts')).completion(positionals),
  },
  {
    name: '__complete',
    summary: 'What may follow the words; for the scripts of completion.',
    options: [],
    examples: ['__complete bundle b'],
    isHidden: true,
    isRaw: true,
    run: async (_values, words) => (await import('./completion.ts')).completeWords(commands, words),
  },
  {
    name: 'alpha bootstrap',
    summary: 'Adopt the objects of the manifests on standard input, and install them as a BundleDeployment.',
    positionals: ['NAME'],
    options: [...clusterOptions, ...bootstrapOptions],
    examples: ['alpha bootstrap combo < manifests.yaml'],
    isHidden: true,
    run: async (values, positionals) =>
      (await import('../deployments/commands/bootstrap.ts')).bootstrap(values, positionals),
  },
];

const byName: ReadonlyMap<string, Command> = new Map(commands.map((command) => [command.name, command]));

/** The command that `args` begin with, and what follows its name; of two names the longer one. */
export function findCommand(
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const command = byName.get(args.slice(0, words).join(' '));
    if (command !== undefined && args.length >= words) return { command, rest: args.slice(words) };
  }
  return undefined;
}
