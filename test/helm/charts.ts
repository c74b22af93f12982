/** A public repository of charts, at one commit, and charts of it that need nothing that it does not contain. */
export interface ChartRepository {
  /** On github.com. */
  readonly repository: string;
  readonly commit: string;
  /** Folders of charts; '' for the root. */
  readonly charts: readonly string[];
  /** Folders of library charts that the charts depend on, by the name of the dependency. */
  readonly vendored?: Readonly<Record<string, string>>;
}

const exporters = [
  'blackbox',
  'cloudwatch',
  'consul',
  'couchdb',
  'druid',
  'elasticsearch',
  'fastly',
  'ipmi',
  'json',
  'memcached',
  'modbus',
  'mongodb',
  'mysql',
  'nats',
  'nginx',
  'node',
  'pgbouncer',
  'pingdom',
  'postgres',
  'rabbitmq',
  'redis',
  'smartctl',
  'snmp',
  'sql',
  'stackdriver',
  'statsd',
  'systemd',
  'windows',
];

/** What `npm run conformance:helm` fetches, into a cache. */
export const chartRepositories: readonly ChartRepository[] = [
  {
    repository: 'prometheus-community/helm-charts',
    commit: 'cf408a290aec489277a94450bb3511432477a53a',
    charts: [
      ...exporters.map((name) => `charts/prometheus-${name}-exporter`),
      'charts/alertmanager',
      'charts/jiralert',
      'charts/kube-state-metrics',
      'charts/prom-label-proxy',
      'charts/prometheus-adapter',
      'charts/prometheus-operator-admission-webhook',
      'charts/prometheus-operator-crds/charts/crds',
      'charts/prometheus-pushgateway',
    ],
  },
  {
    repository: 'argoproj/argo-helm',
    commit: 'af0a9310bacbaa4636018dfe22c801a6d33a5c43',
    charts: ['argo-events', 'argo-rollouts', 'argo-workflows', 'argocd-apps', 'argocd-image-updater'].map(
      (name) => `charts/${name}`,
    ),
  },
  { repository: 'hashicorp/vault-helm', commit: 'aa1c92e4adddbce9660e536dfe5222a88eda6d52', charts: [''] },
  {
    repository: 'traefik/traefik-helm-chart',
    commit: 'a8a66d0098703627b2cf352c66b1725c196a734a',
    charts: ['traefik'],
  },
  {
    repository: 'elastic/helm-charts',
    commit: '2fd64d0af65f14df7aa01da591919460dabac4b3',
    charts: ['apm-server', 'elasticsearch', 'filebeat', 'kibana', 'logstash'],
  },
  {
    repository: 'stefanprodan/podinfo',
    commit: 'eec06d1ea459af4cb4e10e806f8be7c7bd58b361',
    charts: ['charts/podinfo'],
  },
  {
    repository: 'DataDog/helm-charts',
    commit: '79f7c74fd2525288125d943f48b810431dbc8857',
    charts: ['charts/datadog-crds', 'charts/datadog-csi-driver', 'charts/observability-pipelines-worker'],
  },
  {
    repository: 'open-telemetry/opentelemetry-helm-charts',
    commit: 'dd5665c06f376c00a5e2147aa84b70c3d105ecfb',
    charts: [
      'charts/opentelemetry-ebpf-instrumentation',
      'charts/opentelemetry-operator',
      'charts/opentelemetry-target-allocator',
    ],
  },
  {
    repository: 'grafana/helm-charts',
    commit: '7a0ab968961a165318ab95ff678908c3b9bc3240',
    charts: ['agent-operator', 'fluent-bit', 'loki-canary', 'loki-distributed', 'pdc-agent', 'promtail'].map(
      (name) => `charts/${name}`,
    ),
  },
  {
    repository: 'bitnami/charts',
    commit: '5165628ae06697f8f68a670bef7739d93c4b7f44',
    charts: ['etcd', 'mariadb', 'memcached', 'mongodb', 'mysql', 'nginx', 'postgresql', 'rabbitmq', 'redis'].map(
      (name) => `bitnami/${name}`,
    ),
    vendored: { common: 'bitnami/common' },
  },
  {
    repository: 'helm/charts',
    commit: '390ee6614b4bb0da96b397f9b382e3ddca9f59a4',
    charts: [
      'chartmuseum',
      'consul',
      'coredns',
      'docker-registry',
      'hazelcast',
      'influxdb',
      'jenkins',
      'mailhog',
      'metabase',
      'metrics-server',
      'minio',
      'nats',
      'oauth2-proxy',
      'openldap',
      'redis-ha',
      'reloader',
      'sealed-secrets',
      'sonatype-nexus',
    ].map((name) => `stable/${name}`),
  },
];
