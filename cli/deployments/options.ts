import type { OptionSpec } from '../command/index.ts';

/** Taken so that scripts for the original go on working; the Secret says where the server is. */
const uploadServiceOption: OptionSpec = {
  name: 'upload-service-name',
  kind: 'text',
  placeholder: 'NAME',
  default: 'core',
  description: 'Ignored: uploads use the address in the Secret above.',
};

/** What `longshore alpha bootstrap` takes beside the cluster. */
export const bootstrapOptions: readonly OptionSpec[] = [uploadServiceOption];

const timeoutOption: OptionSpec = {
  name: 'timeout',
  kind: 'number',
  placeholder: 'SECONDS',
  default: 300,
  description: 'How long to wait.',
};

/** What `longshore run` makes, and of what. */
export const runOptions: readonly OptionSpec[] = [
  {
    name: 'namespace',
    short: 'n',
    kind: 'text',
    placeholder: 'NS',
    description: 'Namespace to install into (spec.config.installNamespace). Default: what the bundle suggests.',
  },
  {
    name: 'watch-namespace',
    kind: 'list',
    placeholder: 'NS',
    description: 'Namespace that the operator watches; may be repeated. Default: all, where the bundle supports that.',
  },
  {
    name: 'service-account',
    kind: 'text',
    placeholder: 'NAMESPACE/NAME',
    description: 'Service account that installs the content (spec.config.serviceAccount).',
  },
  {
    name: 'config',
    kind: 'text',
    placeholder: 'FILE',
    description: 'YAML file with the fields of spec.config; the options above override it.',
  },
  { name: 'branch', kind: 'text', placeholder: 'NAME', description: 'Branch of a git repository. Default: its HEAD.' },
  { name: 'tag', kind: 'text', placeholder: 'NAME', description: 'Tag of a git repository.' },
  { name: 'commit', kind: 'text', placeholder: 'HASH', description: 'Commit of a git repository, its full hash.' },
  {
    name: 'directory',
    kind: 'text',
    placeholder: 'PATH',
    description: 'Directory of the bundle in the git repository.',
  },
  {
    name: 'secret',
    kind: 'text',
    placeholder: 'NAME',
    description: 'Secret of the system namespace with the credentials for the image, repository or URL.',
  },
  {
    name: 'bundle-provisioner-class',
    kind: 'text',
    placeholder: 'CLASS',
    description: 'Provisioner class of the Bundle. Default: the class of the detected format.',
  },
  {
    name: 'bundle-deployment-provisioner-class',
    kind: 'text',
    placeholder: 'CLASS',
    default: 'core-rukpak-io-plain',
    description: 'Provisioner class of the BundleDeployment.',
  },
  {
    name: 'validate',
    kind: 'flag',
    description: 'Validate the bundle before it is uploaded or applied (default: true; false as rukpakctl).',
  },
  {
    name: 'wait',
    kind: 'flag',
    description: 'Wait until the content is installed and healthy (default: true; false as rukpakctl).',
  },
  timeoutOption,
  uploadServiceOption,
];

/** What `longshore delete` takes beside the cluster. */
export const deleteOptions: readonly OptionSpec[] = [
  { name: 'wait', kind: 'flag', default: true, description: 'Return without waiting for the deletion.' },
  timeoutOption,
];

/** What `longshore rollback` takes beside the cluster. */
export const rollbackOptions: readonly OptionSpec[] = [
  {
    name: 'to',
    kind: 'number',
    placeholder: 'REVISION',
    description: 'Revision to roll back to. Default: the previous one.',
  },
  { name: 'wait', kind: 'flag', default: true, description: 'Return without waiting for the installation.' },
  timeoutOption,
];

/** What `longshore diff` compares with. */
export const diffOptions: readonly OptionSpec[] = [
  {
    name: 'bundle',
    kind: 'text',
    placeholder: 'DIR|LAYOUT',
    description: 'Compare with the files of a folder or an OCI image layout.',
  },
  { name: 'image', kind: 'text', placeholder: 'REF', description: 'Compare with an image or artifact.' },
  {
    name: 'filename',
    short: 'f',
    kind: 'text',
    placeholder: 'FILE',
    description: 'Compare with the template of the BundleDeployment in FILE.',
  },
];
