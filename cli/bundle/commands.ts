/** Commands about files of bundles and their images, without a cluster. Each loads what it needs when it runs. */
import {
  type Command,
  chartOptions,
  defineCommand,
  helmOption,
  imageFormOption,
  imageTargetOptions,
  loginText,
  longOutputOption,
  outputOption,
  registryOptions,
} from '../command/index.ts';
import { buildOptions, validateOptions } from './options.ts';
import { namespaceOptions, renderOptions } from './render-options.ts';

const bundleText = `Takes a folder, a tar of it, an OCI image layout (a folder or a tar), - for a tar on standard input, or the reference of an image or artifact. ${loginText}`;

/** In the order of `longshore --help`. */
export const bundleCommands: readonly Command[] = [
  defineCommand({
    name: 'bundle build',
    summary: 'Build a container image or OCI artifact from the files of a folder.',
    description:
      'Prints the digest. The same files give the same digest on every machine: times and owners are ignored.',
    positionals: ['DIR'],
    options: { ...imageFormOption, ...buildOptions, ...imageTargetOptions, ...registryOptions, ...longOutputOption },
    examples: [
      'bundle build ./combo',
      'bundle build ./combo -o combo.tar',
      'bundle build ./combo --push <registry>/combo:v1',
    ],
    run: async (values, positionals) => (await import('./commands/build.ts')).bundleBuild(values, positionals),
  }),
  defineCommand({
    name: 'bundle push',
    summary: 'Push a folder or an OCI image layout to a registry.',
    description: `Prints the reference with its digest. ${loginText}`,
    positionals: ['DIR|LAYOUT', 'REF'],
    options: { ...imageFormOption, ...buildOptions, ...registryOptions, ...outputOption },
    examples: ['bundle push ./combo <registry>/combo:v1', 'bundle push combo.tar <registry>/combo:v1'],
    run: async (values, positionals) => (await import('./commands/push.ts')).bundlePush(values, positionals),
  }),
  defineCommand({
    name: 'bundle pull',
    summary: 'Write the files of an image or artifact to a new or empty folder.',
    description: `Prints the digest. ${loginText}`,
    positionals: ['REF', 'DIR'],
    options: { ...registryOptions, ...outputOption },
    examples: ['bundle pull <registry>/combo:v1 ./combo'],
    run: async (values, positionals) => (await import('./commands/pull.ts')).bundlePull(values, positionals),
  }),
  defineCommand({
    name: 'bundle inspect',
    summary: 'Show the contents of a bundle and the problems that unpacking would report.',
    description: `${bundleText}\nExit status: 0 no problems, 1 problems, 2 the bundle could not be read.`,
    positionals: ['DIR|FILE|REF|-'],
    options: { ...registryOptions, ...outputOption },
    examples: ['bundle inspect ./combo', 'bundle inspect <registry>/combo:v1 -o json'],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/inspect.ts')).bundleInspect(values, positionals),
  }),
  defineCommand({
    name: 'bundle render',
    summary: 'Render a registry+v1 bundle, or a chart, as Kubernetes objects.',
    description: `${bundleText}\nExit status: 0 success, 2 the bundle could not be read or rendered.`,
    positionals: ['DIR|FILE|REF|-'],
    options: { ...namespaceOptions, ...renderOptions, ...chartOptions, ...helmOption, ...registryOptions },
    examples: [
      'bundle render ./widget --install-namespace widgets',
      'bundle render ./widget --watch-namespace shop --cert-provider openshift-service-ca -o json',
      'bundle render ./ahoy --release hello --values production.yaml',
    ],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/render.ts')).bundleRender(values, positionals),
  }),
  defineCommand({
    name: 'bundle explain',
    summary: 'Describe what a registry+v1 bundle or a chart installs: permissions, APIs, webhooks, images.',
    description: `${bundleText}\nExit status: 0 success, 2 the bundle could not be read.`,
    positionals: ['DIR|FILE|REF|-'],
    options: { ...chartOptions, ...helmOption, ...registryOptions, ...outputOption },
    examples: ['bundle explain ./widget', 'bundle explain <registry>/widget-bundle:v1 -o json'],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/explain.ts')).bundleExplain(values, positionals),
  }),
  defineCommand({
    name: 'bundle validate',
    summary: 'Validate registry+v1 bundles and charts: print each problem with its line and fix.',
    description: `${bundleText}\nExit status: 0 no errors, 1 errors, 2 a bundle could not be read.`,
    positionals: ['[DIR|FILE|REF|-]...'],
    options: { ...validateOptions, ...chartOptions, ...helmOption, ...registryOptions },
    examples: [
      'bundle validate ./tide-gauge',
      'bundle validate --ignore good-practices ./tide-gauge <registry>/tide-gauge:v1',
      'bundle validate --select operatorhub --k8s-version 1.30 -o sarif ./tide-gauge',
      'bundle validate --list',
    ],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/validate.ts')).bundleValidate(values, positionals),
  }),
];
