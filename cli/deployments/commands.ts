/** Commands about what is installed on a cluster: BundleDeployments and Bundles. Each loads what it needs when it runs.
 *  @imports cli/bundle, cli/bundle-files, cli/oci, cli/client, cli/input, cli/output, cli/command, apiserver,
 *    provisioners, src/catalog, src/resolver, src/sources, src/sources/definitions, src/formats, src/apply, src/content, src/rbac, src/dependencies, src/operators,
 *    src/constraints, src/installations, src/kube, src/api, src/base */
import { namespaceOptions } from '../bundle/index.ts';
import {
  type Command,
  clusterOptions,
  defineCommand,
  documentOption,
  helmOption,
  kubeconfigOption,
  loginText,
  outputOption,
  registryOptions,
} from '../command/index.ts';
import {
  deleteOptions,
  diffOptions,
  migrateOptions,
  rollbackOptions,
  runOptions,
  timeoutOption,
  uploadServiceOption,
} from './options.ts';
import { permissionsOptions } from './permissions/options.ts';

/** In the order of `longshore --help`. */
export const deploymentCommands: readonly Command[] = [
  defineCommand({
    name: 'run',
    summary: 'Install a bundle: a folder, a tar, an image, a git repository or the URL of a tar.',
    description:
      'Detects the format, validates the bundle, applies a BundleDeployment and waits until the content is installed and healthy. A folder, a tar, an OCI image layout or a tar on standard input (-) is uploaded; the cluster fetches an image, a repository or a URL. Run again to change a source, a class or settings: options that are not repeated return to their defaults.\nExit status: 0 success, 1 not installed (the error is that of the condition), 2 invalid command line.',
    positionals: ['NAME', 'DIR|FILE|REF|URL|-'],
    options: {
      ...runOptions,
      ...helmOption,
      ...timeoutOption,
      ...uploadServiceOption,
      ...clusterOptions,
      ...registryOptions,
    },
    examples: [
      'run combo ./combo',
      'run combo <registry>/combo:v1 --namespace combo',
      'run combo https://<host>/combo.git --tag v1.0.0',
      'run widget ./widget --watch-namespace shop --timeout 10m',
    ],
    run: async (values, positionals) => (await import('./commands/run.ts')).run(values, positionals),
  }),
  defineCommand({
    name: 'list',
    summary: 'List BundleDeployments with their versions and states.',
    options: { ...kubeconfigOption, ...documentOption },
    examples: ['list', 'list -o yaml'],
    run: async (values) => (await import('./commands/list.ts')).list(values),
  }),
  defineCommand({
    name: 'history',
    summary: 'Show the last ten installed revisions of a BundleDeployment or ClusterExtension.',
    positionals: ['NAME|clusterextension/NAME'],
    options: { ...kubeconfigOption, ...documentOption },
    examples: ['history combo', 'history combo -o json', 'history clusterextension/tide-gauge'],
    run: async (values, positionals) => (await import('./commands/history.ts')).history(values, positionals),
  }),
  defineCommand({
    name: 'rollback',
    summary: 'Roll back a BundleDeployment to an earlier revision, including its settings.',
    description:
      'Sets the spec to that of the revision, with its source pinned by digest or commit, and waits until it is installed as a new revision. An existing Bundle of the revision is reused, for example after a failed upgrade; an uploaded revision can be restored only while its Bundle exists. A ClusterExtension is pinned to the version of the revision, with upgradeConstraintPolicy SelfCertified; its settings stay.\nExit status: 0 success, 1 no such revision, or not installed in time, 2 invalid command line.',
    positionals: ['NAME|clusterextension/NAME'],
    options: { ...kubeconfigOption, ...rollbackOptions, ...timeoutOption },
    examples: ['rollback combo', 'rollback combo --to 3', 'rollback clusterextension/tide-gauge'],
    run: async (values, positionals) => (await import('./commands/rollback.ts')).rollback(values, positionals),
  }),
  defineCommand({
    name: 'test',
    summary: 'Run the tests of an installed chart.',
    description:
      'Requests the tests of the chart, its hooks of the event test, and waits for them. The condition Tested of the BundleDeployment has their result, with the log of a test that failed.\nExit status: 0 success, 1 a test failed, there are none, or not in time, 2 invalid command line.',
    positionals: ['NAME'],
    options: { ...kubeconfigOption, ...timeoutOption },
    examples: ['test podinfo', 'test podinfo --timeout 10m'],
    run: async (values, positionals) => (await import('./commands/test.ts')).test(values, positionals),
  }),
  defineCommand({
    name: 'delete',
    summary: 'Delete a BundleDeployment or ClusterExtension and wait until everything that it installed is deleted.',
    description:
      'A BundleDeployment of a ClusterExtension would be created again: delete the ClusterExtension.\nExit status: 0 success, 1 not found or not deleted in time, 2 invalid command line.',
    positionals: ['NAME|clusterextension/NAME'],
    options: { ...kubeconfigOption, ...deleteOptions, ...timeoutOption },
    examples: ['delete combo', 'delete combo --wait=false', 'delete clusterextension/tide-gauge'],
    run: async (values, positionals) => (await import('./commands/delete.ts')).deleteDeployment(values, positionals),
  }),
  defineCommand({
    name: 'content',
    summary: 'List the files of an unpacked Bundle.',
    positionals: ['BUNDLE'],
    options: { ...clusterOptions, ...outputOption },
    examples: ['content combo-5f6k2', 'content combo-5f6k2 -o json'],
    run: async (values, positionals) => (await import('./commands/content.ts')).content(values, positionals),
  }),
  defineCommand({
    name: 'tree',
    summary: 'Show the installed objects of a BundleDeployment, Bundle or ClusterExtension with their health.',
    positionals: ['bd/NAME|bundle/NAME|clusterextension/NAME'],
    options: { ...kubeconfigOption, ...outputOption },
    examples: ['tree bd/combo', 'tree bundle/combo-5f6k2 -o json', 'tree clusterextension/tide-gauge'],
    run: async (values, positionals) => (await import('./commands/tree.ts')).tree(values, positionals),
  }),
  defineCommand({
    name: 'dependencies',
    summary: 'Show what installed bundles need, who provides it, and what a removal would break.',
    description:
      'Reads the requirements of BundleDeployments, platform operators, ClusterExtensions and operators of catalogs. With the name of one, what its removal would break, and what becomes of its CustomResourceDefinitions and their objects.\nExit status: 0 success, 1 not installed, or some of it cannot be read.',
    positionals: ['[KIND/[NAMESPACE/]NAME]'],
    options: { ...kubeconfigOption, ...outputOption },
    examples: ['dependencies', 'dependencies bd/harbour', 'dependencies subscription/operators/tide-gauge -o json'],
    run: async (values, positionals) => (await import('./commands/dependencies.ts')).dependencies(values, positionals),
  }),
  defineCommand({
    name: 'diff',
    summary: 'Preview the changes of a pivot of a BundleDeployment or ClusterExtension by a server-side dry run.',
    description:
      'Without --bundle, --image and -f it compares with the newest Bundle, which shows drift or the changes of a paused or blocked pivot. Values of Secrets are masked.\nExit status: 0 no changes, 1 changes, 2 blocked or failed.',
    positionals: ['bd/NAME|clusterextension/NAME'],
    options: { ...clusterOptions, ...diffOptions, ...helmOption, ...registryOptions, ...outputOption },
    examples: [
      'diff bd/combo',
      'diff bd/combo --bundle ./combo',
      'diff bd/combo --image <registry>/combo:v2',
      'diff bd/combo -f combo.yaml -o json',
    ],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/diff.ts')).diff(values, positionals),
  }),
  defineCommand({
    name: 'permissions',
    summary: 'Print the permissions that installing a bundle requires, as roles that can be applied.',
    description: `For a BundleDeployment, reads the cluster: the result covers installing its template and removing the installed version, and lists the permissions that its service account lacks. For a bundle (a folder, an OCI image layout, a tar or a reference), no cluster is needed. ${loginText}`,
    positionals: ['bd/NAME|clusterextension/NAME|DIR|FILE|REF'],
    options: { ...namespaceOptions, ...permissionsOptions, ...helmOption, ...clusterOptions, ...registryOptions },
    examples: [
      'permissions bd/combo',
      'permissions bd/combo -o table',
      'permissions ./combo --service-account shop/installer',
      'permissions <registry>/combo:v1',
    ],
    run: async (values, positionals) => (await import('./commands/permissions.ts')).permissions(values, positionals),
  }),
  defineCommand({
    name: 'alpha bootstrap',
    summary: 'Adopt the objects of the manifests on standard input, and install them as a BundleDeployment.',
    positionals: ['NAME'],
    options: { ...clusterOptions, ...uploadServiceOption },
    examples: ['alpha bootstrap combo < manifests.yaml'],
    isHidden: true,
    run: async (values, positionals) => (await import('./commands/bootstrap.ts')).bootstrap(values, positionals),
  }),
  defineCommand({
    name: 'operator migrate',
    summary: 'Turn an installed operator into a BundleDeployment, PlatformOperator, ClusterExtension or Subscription.',
    description:
      'Shows what changes and whether Pods restart, asks, and creates a BundleDeployment of the same bundle, which adopts the objects of the operator. Then the Subscription and the ClusterServiceVersion are deleted; what they own, custom resources and their definitions stay. With --to PlatformOperator, a PlatformOperator takes the BundleDeployment over and follows a ClusterCatalog. With --to ClusterExtension, a ClusterExtension takes over the BundleDeployment of the package, that of a PlatformOperator included, pinned to the installed version; before anything is changed it is checked that a ClusterCatalog has that bundle with its image. --to BundleDeployment, PlatformOperator or Subscription is the way back; with Subscription, the InstallPlan is made and compared with what is installed before the BundleDeployment is deleted without what it installed. Run it again if it was interrupted.',
    positionals: ['PACKAGE'],
    options: { ...migrateOptions, ...timeoutOption, ...clusterOptions, ...registryOptions },
    examples: [
      'operator migrate <package> --dry-run',
      'operator migrate <package> -n <namespace> --yes',
      'operator migrate <package> --to PlatformOperator --catalog <catalog>',
      'operator migrate <package> --to ClusterExtension --yes',
      'operator migrate <package> --to Subscription --dry-run',
    ],
    run: async (values, positionals) =>
      (await import('./commands/migrate-operator.ts')).migrateOperator(values, positionals),
  }),
];
