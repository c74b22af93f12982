/** `release …`: releases of a cluster, built, read and compared, without a cluster.
 *  @imports cli/release-files, cli/bundle-files, cli/oci, cli/input, cli/output, cli/process, cli/command, src/release, src/release/signatures, src/openpgp,
 *    src/image-policy, src/update-graph, src/sources, src/content, src/api, src/base */
import {
  type Command,
  defineCommand,
  imageFormOption,
  imageTargetOptions,
  loginText,
  outputOption,
  registryOptions,
} from '../command/index.ts';
import { graphDrawOptions, graphServeOptions, offeredOptions, updatesOptions } from './graph-options.ts';
import { mirrorOptions } from './mirror-options.ts';
import {
  componentOptions,
  diffOptions,
  extractOptions,
  inclusionOptions,
  releaseFolderOption,
  releaseMetadataOptions,
  taskOptions,
} from './options.ts';
import { signOptions } from './sign-options.ts';
import { verifyOptions } from './verify-options.ts';

const releaseText = `Takes a folder with the directories manifests and release-manifests, a tar of it, an OCI image layout, or the reference of a release image or artifact. ${loginText}`;

/** In the order of `longshore --help`. */
export const releaseCommands: readonly Command[] = [
  defineCommand({
    name: 'release build',
    summary: 'Build a release from the manifests of its components.',
    description: `DIR has a folder for each component, named after it. Images are referred to by digest, and placeholders such as 0.0.1-snapshot become versions. Prints the digest. ${loginText}`,
    positionals: ['[DIR]...'],
    options: {
      ...componentOptions,
      ...releaseMetadataOptions,
      ...imageFormOption,
      ...releaseFolderOption,
      ...imageTargetOptions,
      ...registryOptions,
      ...outputOption,
    },
    examples: [
      'release build ./components --version 1.2.0 --images images.yaml --to ./release',
      'release build --version 1.2.0 --component dns-operator=<registry>/dns-operator:v1 --push <registry>/release:1.2.0',
    ],
    run: async (values, positionals) => (await import('./commands/build.ts')).releaseBuild(values, positionals),
  }),
  defineCommand({
    name: 'release extract',
    summary: 'Write the manifests of a release to a folder, or print one of its files.',
    description: releaseText,
    positionals: ['RELEASE'],
    options: { ...extractOptions, ...inclusionOptions, ...registryOptions },
    examples: [
      'release extract <registry>/release:1.2.0 --to ./manifests',
      'release extract ./release --file image-references',
    ],
    run: async (values, positionals) => (await import('./commands/extract.ts')).releaseExtract(values, positionals),
  }),
  defineCommand({
    name: 'release info',
    summary: 'Show the components and images of a release, or what differs between two.',
    description: releaseText,
    positionals: ['RELEASE', '[OTHER]'],
    options: { ...registryOptions, ...outputOption },
    examples: ['release info ./release', 'release info <registry>/release:1.2.0 <registry>/release:1.2.1 -o json'],
    run: async (values, positionals) => (await import('./commands/info.ts')).releaseInfo(values, positionals),
  }),
  defineCommand({
    name: 'release diff',
    summary: 'Compare two releases, object by object.',
    description: `Images that differ are listed, and objects as unified diffs, without those in which only the version or the digest of an image differs. ${releaseText}`,
    positionals: ['OLD', 'NEW'],
    options: { ...diffOptions, ...inclusionOptions, ...registryOptions, ...outputOption },
    examples: [
      'release diff <registry>/release:1.2.0 <registry>/release:1.2.1',
      'release diff ./old ./new --exit-code',
    ],
    run: async (values, positionals) => (await import('./commands/diff.ts')).releaseDiff(values, positionals),
  }),
  defineCommand({
    name: 'release sign',
    summary: 'Sign a release with an OpenPGP key.',
    description: `The digest is signed, so that the release can be copied anywhere. A digest that RELEASE names is not asked for. ${releaseText}`,
    positionals: ['RELEASE'],
    options: { ...signOptions, ...registryOptions, ...outputOption },
    examples: [
      'release sign <registry>/release:1.2.1 --key private.asc --to ./signatures',
      'release sign ./release.tar --key private.asc --passphrase-file passphrase --signatures-to ./config-maps',
    ],
    run: async (values, positionals) => (await import('./commands/sign.ts')).releaseSign(values, positionals),
  }),
  defineCommand({
    name: 'release verify',
    summary: 'Verify the signatures of a release.',
    description: `Every file of keys must have signed the digest of the release. Signatures are searched in ConfigMaps first, then in all stores at once. ${releaseText}`,
    positionals: ['RELEASE'],
    options: { ...verifyOptions, ...registryOptions, ...outputOption },
    examples: [
      'release verify <registry>/release:1.2.1 --from-payload <registry>/release:1.2.0',
      'release verify ./release.tar --key release.asc --store https://<host>/signatures',
    ],
    run: async (values, positionals) => (await import('./commands/verify.ts')).releaseVerify(values, positionals),
  }),
  defineCommand({
    name: 'release mirror',
    summary: 'Copy a release and all its images to a registry or a folder.',
    description: `RELEASE is the reference of a release, or a folder that was written by this command. Digests stay the same. What is there already is not copied again, so that an interrupted copy continues. ${loginText}`,
    positionals: ['RELEASE'],
    options: { ...mirrorOptions, ...registryOptions, ...outputOption },
    examples: [
      'release mirror <registry>/release:1.2.1 --to ./mirror',
      'release mirror ./mirror --to <internal-registry>/releases',
    ],
    run: async (values, positionals) => (await import('./commands/mirror.ts')).releaseMirror(values, positionals),
  }),
  defineCommand({
    name: 'release tasks',
    summary: 'Show in which order the manifests of a release are applied.',
    description: `Parts of one stage are applied at once; a stage starts when the one before it has finished. ${releaseText}`,
    positionals: ['RELEASE'],
    options: { ...taskOptions, ...inclusionOptions, ...registryOptions },
    examples: ['release tasks ./release', 'release tasks ./release --mode initializing -o svg'],
    run: async (values, positionals) => (await import('./commands/tasks.ts')).releaseTasks(values, positionals),
  }),
  defineCommand({
    name: 'release graph serve',
    summary: 'Serve the updates between releases to clusters, as an update service.',
    description:
      'GRAPH-DATA is a folder or an image with the versions of each channel in channels/NAME.yaml, and known risks in blocked-edges/*.yaml. Releases declare from which versions they update. Runs until it is stopped.',
    positionals: ['GRAPH-DATA'],
    options: { ...offeredOptions, ...graphServeOptions, ...registryOptions },
    examples: [
      'release graph serve ./graph-data --release <registry>/release:1.2.0 --release <registry>/release:1.2.1',
    ],
    isServer: true,
    run: async (values, positionals) =>
      (await import('./commands/graph-serve.ts')).releaseGraphServe(values, positionals),
  }),
  defineCommand({
    name: 'release graph draw',
    summary: 'Show the updates between releases, as a table or a picture.',
    description:
      'GRAPH is the address of an update service, a file with its response, or graph data as for release graph serve, with the releases that it offers.',
    positionals: ['GRAPH'],
    options: { ...offeredOptions, ...graphDrawOptions, ...registryOptions },
    examples: [
      'release graph draw http://localhost:8081/api/upgrades_info/graph --channel stable-1.2',
      'release graph draw ./graph.json -o svg',
    ],
    run: async (values, positionals) =>
      (await import('./commands/graph-draw.ts')).releaseGraphDraw(values, positionals),
  }),
  defineCommand({
    name: 'release updates',
    summary: 'List the updates that an update service offers a version.',
    positionals: ['VERSION'],
    options: { ...updatesOptions, 'registry-ca': registryOptions['registry-ca'], ...outputOption },
    examples: ['release updates 1.2.0 --channel stable-1.2 --graph http://localhost:8081/api/upgrades_info/graph'],
    run: async (values, positionals) => (await import('./commands/updates.ts')).releaseUpdates(values, positionals),
  }),
];
