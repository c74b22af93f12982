import type { OptionSpec } from '../command/index.ts';

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
