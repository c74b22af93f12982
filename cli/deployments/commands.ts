/** Commands about what is installed on a cluster: BundleDeployments and Bundles. Each loads what it needs when it runs.
 *  @imports cli/bundle, cli/bundle-files, cli/oci, cli/client, cli/input, cli/output, cli/command, apiserver,
 *    provisioners, src/sources, src/formats, src/apply, src/content, src/rbac, src/kube, src/api, src/base
 *  @packages diff */
import {
  type Command,
  clusterOptions,
  documentOption,
  kubeconfigOption,
  loginText,
  outputOption,
  registryOptions,
} from '../command/index.ts';
import { bootstrapOptions, deleteOptions, diffOptions, rollbackOptions, runOptions } from './options.ts';
import { permissionsOptions } from './permissions/options.ts';

/** In the order of `longshore --help`. */
export const deploymentCommands: readonly Command[] = [
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
    run: async (values, positionals) => (await import('./commands/run.ts')).run(values, positionals),
  },
  {
    name: 'list',
    summary: 'List BundleDeployments with their versions and states.',
    options: [kubeconfigOption, documentOption],
    examples: ['list', 'list -o yaml'],
    run: async (values) => (await import('./commands/list.ts')).list(values),
  },
  {
    name: 'history',
    summary: 'Show the revisions of a BundleDeployment that were installed, at most the last ten.',
    positionals: ['NAME'],
    options: [kubeconfigOption, documentOption],
    examples: ['history combo', 'history combo -o json'],
    run: async (values, positionals) => (await import('./commands/history.ts')).history(values, positionals),
  },
  {
    name: 'rollback',
    summary: 'Go back to an earlier revision of a BundleDeployment, its settings included.',
    description:
      'Sets the spec to that of the revision, with its source pinned by digest or commit, and waits until it is installed: another revision, with the next number. While the Bundle of the revision exists, as after a failed upgrade, it is used again; an upload can only be used as long.\nExit status: 0 rolled back, 1 there is no such revision, or it was not installed in time, 2 wrong arguments.',
    positionals: ['NAME'],
    options: [kubeconfigOption, ...rollbackOptions],
    examples: ['rollback combo', 'rollback combo --to 3'],
    run: async (values, positionals) => (await import('./commands/rollback.ts')).rollback(values, positionals),
  },
  {
    name: 'delete',
    summary: 'Delete a BundleDeployment and wait until everything that it installed is removed.',
    description: 'Exit status: 0 deleted, 1 not there or not deleted in time, 2 wrong arguments.',
    positionals: ['NAME'],
    options: [kubeconfigOption, ...deleteOptions],
    examples: ['delete combo', 'delete combo --wait=false'],
    run: async (values, positionals) => (await import('./commands/delete.ts')).deleteDeployment(values, positionals),
  },
  {
    name: 'content',
    summary: 'List the files of an unpacked Bundle.',
    positionals: ['BUNDLE'],
    options: [...clusterOptions, outputOption],
    examples: ['content combo-5f6k2', 'content combo-5f6k2 -o json'],
    run: async (values, positionals) => (await import('./commands/content.ts')).content(values, positionals),
  },
  {
    name: 'tree',
    summary: 'Show what a BundleDeployment or Bundle has installed, and how healthy it is.',
    positionals: ['bd/NAME|bundle/NAME'],
    options: [kubeconfigOption, outputOption],
    examples: ['tree bd/combo', 'tree bundle/combo-5f6k2 -o json'],
    run: async (values, positionals) => (await import('./commands/tree.ts')).tree(values, positionals),
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
    run: async (values, positionals) => (await import('./commands/diff.ts')).diff(values, positionals),
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
    run: async (values, positionals) => (await import('./commands/permissions.ts')).permissions(values, positionals),
  },
  {
    name: 'alpha bootstrap',
    summary: 'Adopt the objects of the manifests on standard input, and install them as a BundleDeployment.',
    positionals: ['NAME'],
    options: [...clusterOptions, ...bootstrapOptions],
    examples: ['alpha bootstrap combo < manifests.yaml'],
    isHidden: true,
    run: async (values, positionals) => (await import('./commands/bootstrap.ts')).bootstrap(values, positionals),
  },
];
