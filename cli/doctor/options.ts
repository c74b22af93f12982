/** What `longshore doctor` takes beside the kubeconfig. */
export const doctorOptions = {
  'system-namespace': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    description: 'Namespace of the provisioners and the webhook.',
  },
  'stuck-after': {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '5m',
    description: 'Report operations that take longer as stuck.',
  },
} as const;
