/** Which program renders charts. */
export const helmOption = {
  helm: {
    kind: 'text',
    placeholder: 'PATH',
    default: 'helm',
    environmentVariable: 'LONGSHORE_HELM',
    description: 'Program that renders charts: a path to Helm 3 or 4, or a name that is looked for in PATH.',
  },
} as const;

/** What `longshore bundle render` renders a chart with. */
export const chartOptions = {
  values: {
    short: 'f',
    kind: 'list',
    placeholder: 'FILE',
    description: 'Values of a chart, YAML; may be repeated, later files take precedence.',
  },
  release: {
    kind: 'text',
    placeholder: 'NAME',
    description: 'Release name of a chart. Default: the name of the chart.',
  },
  'kube-version': {
    kind: 'text',
    placeholder: 'VERSION',
    default: 'v1.33.0',
    description: 'Version of Kubernetes that a chart is rendered for.',
  },
  'api-version': {
    kind: 'list',
    placeholder: 'GROUP/VERSION[/KIND]',
    description: 'API that the cluster of a chart has, besides those of Kubernetes; may be repeated.',
  },
} as const;
