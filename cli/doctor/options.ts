import type { OptionSpec } from '../command/index.ts';

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
