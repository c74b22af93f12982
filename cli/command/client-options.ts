import { overlays } from '../install/overlays.ts';
import type { OptionSpec } from './options.ts';

/** Which cluster a command speaks to. */
export const kubeconfigOption: OptionSpec = {
  name: 'kubeconfig',
  kind: 'text',
  placeholder: 'FILE',
  variable: 'KUBECONFIG',
  sentence: 'The cluster to speak to (default: ~/.kube/config).',
};

/** Which cluster a command speaks to, and where it finds the content server of it. */
export const clusterOptions: readonly OptionSpec[] = [
  kubeconfigOption,
  {
    name: 'system-namespace',
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    sentence: 'Namespace of the provisioners.',
  },
  {
    name: 'ca-secret-name',
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-ca',
    sentence: 'Secret of the system namespace with the address (url) and the authority (ca.crt) of the content server.',
  },
  {
    name: 'content-address',
    kind: 'text',
    placeholder: 'URL',
    sentence:
      'Where the content server is reached from here, such as https://localhost:8443 with "kubectl port-forward -n rukpak-system service/core 8443:443" (default: the url of that Secret).',
  },
];

/** Taken so that scripts for the original go on working; the Secret says where the server is. */
const uploadServiceOption: OptionSpec = {
  name: 'upload-service-name',
  kind: 'text',
  placeholder: 'NAME',
  default: 'core',
  sentence: 'Accepted, and not needed: the Secret above says where uploads go.',
};

/** What `longshore alpha bootstrap` takes beside the cluster. */
export const bootstrapOptions: readonly OptionSpec[] = [uploadServiceOption];

const timeoutOption: OptionSpec = {
  name: 'timeout',
  kind: 'number',
  placeholder: 'SECONDS',
  default: 300,
  sentence: 'How long to wait.',
};

/** What `longshore run` makes, and of what. */
export const runOptions: readonly OptionSpec[] = [
  {
    name: 'namespace',
    short: 'n',
    kind: 'text',
    placeholder: 'NS',
    sentence: 'Namespace to install into (spec.config.installNamespace). Default: what the bundle suggests.',
  },
  {
    name: 'watch-namespace',
    kind: 'list',
    placeholder: 'NS',
    sentence: 'Namespace that the operator watches; may be repeated. Default: all, where the bundle supports that.',
  },
  {
    name: 'service-account',
    kind: 'text',
    placeholder: 'NAMESPACE/NAME',
    sentence: 'Service account that installs the content (spec.config.serviceAccount).',
  },
  {
    name: 'config',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'YAML file with the fields of spec.config; the options above override it.',
  },
  { name: 'branch', kind: 'text', placeholder: 'NAME', sentence: 'Branch of a git repository. Default: its HEAD.' },
  { name: 'tag', kind: 'text', placeholder: 'NAME', sentence: 'Tag of a git repository.' },
  { name: 'commit', kind: 'text', placeholder: 'HASH', sentence: 'Commit of a git repository, its full hash.' },
  {
    name: 'directory',
    kind: 'text',
    placeholder: 'PATH',
    sentence: 'Directory of a git repository that has the bundle.',
  },
  {
    name: 'secret',
    kind: 'text',
    placeholder: 'NAME',
    sentence: 'Secret of the system namespace that the cluster fetches an image, a repository or a URL with.',
  },
  {
    name: 'bundle-provisioner-class',
    kind: 'text',
    placeholder: 'CLASS',
    sentence: 'Provisioner class of the Bundle. Default: that of the format that the files have.',
  },
  {
    name: 'bundle-deployment-provisioner-class',
    kind: 'text',
    placeholder: 'CLASS',
    default: 'core-rukpak-io-plain',
    sentence: 'Provisioner class of the BundleDeployment.',
  },
  {
    name: 'validate',
    kind: 'flag',
    sentence: 'Validate the bundle before it is uploaded or applied (default: true; false as rukpakctl).',
  },
  {
    name: 'wait',
    kind: 'flag',
    sentence: 'Wait until the content is installed and healthy (default: true; false as rukpakctl).',
  },
  timeoutOption,
  uploadServiceOption,
];

/** What `longshore delete` takes beside the cluster. */
export const deleteOptions: readonly OptionSpec[] = [
  { name: 'wait', kind: 'flag', default: true, sentence: 'Return at once, before everything is removed.' },
  timeoutOption,
];

/** What `longshore rollback` takes beside the cluster. */
export const rollbackOptions: readonly OptionSpec[] = [
  {
    name: 'to',
    kind: 'number',
    placeholder: 'REVISION',
    sentence: 'Revision to go back to. Default: the one that was installed before.',
  },
  { name: 'wait', kind: 'flag', default: true, sentence: 'Return at once, before the revision is installed.' },
  timeoutOption,
];

/** What `longshore install` takes beside the cluster. */
export const installOptions: readonly OptionSpec[] = [
  {
    name: 'overlay',
    kind: 'text',
    placeholder: overlays.join('|'),
    choices: overlays,
    sentence:
      'Where certificates come from; with least the controllers may install nothing until rights are bound to them (default: the one that is installed, else self-signed).',
  },
  {
    name: 'image',
    kind: 'text',
    placeholder: 'REF',
    sentence:
      'The image that the nodes pull (default: the one that is installed, else longshore:VERSION, for nodes that have it already).',
  },
  {
    name: 'shards',
    kind: 'number',
    placeholder: 'N',
    sentence:
      'How many leaders share the work of the controllers, up to 8, with two pods each (default: as many as are installed, else 1).',
  },
  {
    name: 'dry-run',
    kind: 'flag',
    default: false,
    sentence: 'Have the server check everything, and write nothing.',
  },
  {
    name: 'timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    sentence: 'How long to wait until everything runs; 0 does not wait.',
  },
];

/** What `longshore uninstall` takes beside the cluster. */
export const uninstallOptions: readonly OptionSpec[] = [
  {
    name: 'with-content',
    kind: 'flag',
    default: false,
    sentence: 'Remove BundleDeployments, with everything that they have installed, and Bundles first.',
  },
  {
    name: 'dry-run',
    kind: 'flag',
    default: false,
    sentence: 'Print what would be deleted, and delete nothing.',
  },
  {
    name: 'yes',
    short: 'y',
    kind: 'flag',
    default: false,
    sentence: 'Do not ask for confirmation; required where standard input is no terminal.',
  },
  {
    name: 'timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    sentence: 'How long to wait for each step of the deletion.',
  },
];

/** What `longshore diff` compares with. */
export const diffOptions: readonly OptionSpec[] = [
  {
    name: 'bundle',
    kind: 'text',
    placeholder: 'DIR|LAYOUT',
    sentence: 'Compare with the files of a folder or an OCI image layout.',
  },
  { name: 'image', kind: 'text', placeholder: 'REF', sentence: 'Compare with an image or artifact.' },
  {
    name: 'filename',
    short: 'f',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'Compare with the template of the BundleDeployment in FILE.',
  },
];

/** What `longshore doctor` takes beside the kubeconfig. */
export const doctorOptions: readonly OptionSpec[] = [
  {
    name: 'system-namespace',
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    sentence: 'Namespace of the provisioners and the webhook.',
  },
  {
    name: 'stuck-after',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    sentence: 'What is not done after so long is stuck.',
  },
];

/** Text for people, JSON for programs. */
export const outputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'text|json',
  default: 'text',
  choices: ['text', 'json'],
  sentence: 'Form of what is printed.',
};

/** The same, where `-o` is a file. */
export const longOutputOption: OptionSpec = (({ short: _short, ...option }) => option)(outputOption);
