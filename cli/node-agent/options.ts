import { kubeconfigOption, processLogOption } from '../command/index.ts';

const ownOptions = {
  node: {
    kind: 'text',
    placeholder: 'NAME',
    environmentVariable: 'NODE_NAME',
    description: 'Name of the Node.',
  },
  root: { kind: 'text', placeholder: 'FOLDER', default: '/', description: 'Where the file system of the node is.' },
  'reboot-command': {
    kind: 'text',
    placeholder: 'COMMAND',
    description: 'Program and arguments that restart the node, separated by blanks.',
  },
  commands: {
    kind: 'flag',
    default: true,
    description: 'Only write files: run no systemctl, update-grub or reboot command.',
  },
} as const;

/** Options of `node-agent`. */
export const nodeAgentOptions: typeof kubeconfigOption & typeof processLogOption & typeof ownOptions = {
  ...kubeconfigOption,
  ...processLogOption,
  ...ownOptions,
};
