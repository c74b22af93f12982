/** The values of the Helm chart beside image, overlay and shards: their descriptions, and where their actions go in the text of an object. Without them
 *  the chart makes exactly what the overlays make. */
import type { KubeObject } from '../src/kube/index.ts';

interface ValueSpec {
  readonly comment: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly default: '{}' | '[]' | '""';
}

/** Labels and annotations that the manifests set: given a second time they would break selectors, or be lost. */
const ownKeys =
  '^(app|app\\.kubernetes\\.io/(part-of|component)|(core\\.rukpak|cert-manager|helm|kubectl\\.kubernetes|pod-security\\.kubernetes|service\\.beta\\.openshift)\\.(io|sh)/.*)$';
const strings = { type: 'object', additionalProperties: { type: 'string' } };
const ownStrings = { ...strings, propertyNames: { not: { pattern: ownKeys } } };
const objects = { type: 'array', items: { type: 'object' } };

/** Of every object. */
const commonValues: Readonly<Record<string, ValueSpec>> = {
  commonLabels: { comment: 'Labels of every object.', schema: ownStrings, default: '{}' },
  commonAnnotations: { comment: 'Annotations of every object.', schema: ownStrings, default: '{}' },
  imagePullPolicy: {
    comment: 'Always, IfNotPresent or Never; empty: what Kubernetes chooses for the image.',
    schema: { enum: ['', 'Always', 'IfNotPresent', 'Never'] },
    default: '""',
  },
  imagePullSecrets: {
    comment: 'Secrets in rukpak-system that the image is pulled with: [{name: ...}].',
    schema: { type: 'array', items: { type: 'object', required: ['name'] } },
    default: '[]',
  },
};

/** Of the pods of one Deployment. */
const podValues: Readonly<Record<string, ValueSpec>> = {
  resources: { comment: 'Replaces the requests and limits.', schema: { type: 'object' }, default: '{}' },
  nodeSelector: { comment: 'Where pods may run.', schema: strings, default: '{}' },
  tolerations: { comment: 'Taints that they tolerate.', schema: objects, default: '[]' },
  affinity: { comment: 'Affinity of nodes and pods.', schema: { type: 'object' }, default: '{}' },
  priorityClassName: {
    comment: 'Replaces longshore-critical.',
    schema: { type: 'string' },
    default: '""',
  },
  topologySpreadConstraints: {
    comment: 'Replaces the spread over hosts and zones.',
    schema: objects,
    default: '[]',
  },
  extraArgs: {
    comment: 'Options of the process: docs/configuration.md.',
    schema: { type: 'array', items: { type: 'string' } },
    default: '[]',
  },
  extraEnv: {
    comment: 'Environment, as in a container: [{name: HTTPS_PROXY, value: ...}].',
    schema: objects,
    default: '[]',
  },
  extraVolumes: {
    comment: 'Volumes, as in a pod, for example a ConfigMap with authorities.',
    schema: objects,
    default: '[]',
  },
  extraVolumeMounts: { comment: 'Where these are mounted, as in a container.', schema: objects, default: '[]' },
  podLabels: { comment: 'Labels of the pods.', schema: ownStrings, default: '{}' },
  podAnnotations: { comment: 'Annotations of the pods.', schema: ownStrings, default: '{}' },
};

/** The Deployments `core` and `rukpak-webhooks`. */
const sections = { controllers: 'The controllers (core).', webhook: 'The admission webhook (rukpak-webhooks).' };

/** Their part of values.yaml, lines. */
export function extraValueLines(): string[] {
  const lineOf = (name: string, spec: ValueSpec, indent: string): string[] => [
    `${indent}# ${spec.comment}`,
    `${indent}${name}: ${spec.default}`,
  ];
  return [
    ...Object.entries(commonValues).flatMap(([name, spec]) => lineOf(name, spec, '')),
    ...Object.entries(sections).flatMap(([section, comment]) => [
      `# ${comment}`,
      `${section}:`,
      ...Object.entries(podValues).flatMap(([name, spec]) => lineOf(name, spec, '  ')),
    ]),
  ];
}

function schemasOf(values: Readonly<Record<string, ValueSpec>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, { schema }]) => [name, schema]));
}

/** Their part of values.schema.json. */
export function extraValueSchemas(): Record<string, unknown> {
  const section = { type: 'object', additionalProperties: false, properties: schemasOf(podValues) };
  return { ...schemasOf(commonValues), ...Object.fromEntries(Object.keys(sections).map((name) => [name, section])) };
}

/** The lines of a value where it is set, else `otherwise`. */
function withValue(value: string, indent: number, parts: { head?: string; otherwise?: readonly string[] }): string[] {
  return [
    `{{- with $.Values.${value} }}`,
    ...(parts.head === undefined ? [] : [parts.head]),
    `{{ toYaml . | indent ${indent} }}`,
    ...(parts.otherwise === undefined ? [] : ['{{- else }}', ...parts.otherwise]),
    '{{- end }}',
  ];
}

/** The lines with what `change` makes of the block that the line `key` opens: the lines behind it that are deeper, or are items at its depth.
 *  @throws Error if that line is missing */
function changeBlock(
  lines: readonly string[],
  key: string,
  change: (head: string, body: readonly string[]) => readonly string[],
): string[] {
  const at = lines.indexOf(key);
  if (at < 0) throw new Error(`the manifests have no line "${key}"`);
  const depth = key.search(/\S/);
  const isBody = (line: string): boolean => line.startsWith('{{') || line.search(/\S/) > depth;
  const length = lines.slice(at + 1).findIndex((line) => !isBody(line));
  const end = length < 0 ? lines.length : at + 1 + length;
  return [...lines.slice(0, at), ...change(key, lines.slice(at + 1, end)), ...lines.slice(end)];
}

/** The metadata that the line `key` opens, with the labels or annotations of a value. */
function addToMetadata(
  lines: readonly string[],
  key: string,
  { field, value }: { readonly field: 'labels' | 'annotations'; readonly value: string },
): string[] {
  const indent = key.search(/\S/) + 2;
  const line = `${' '.repeat(indent)}${field}:`;
  return changeBlock(lines, key, (open, body) =>
    body.includes(line)
      ? [open, ...changeBlock(body, line, (head, rest) => [head, ...rest, ...withValue(value, indent + 2, {})])]
      : [open, ...withValue(value, indent + 2, { head: line }), ...body],
  );
}

function withMetadata(lines: readonly string[]): string[] {
  const labelled = addToMetadata(lines, 'metadata:', { field: 'labels', value: 'commonLabels' });
  return addToMetadata(labelled, 'metadata:', { field: 'annotations', value: 'commonAnnotations' });
}

/** Machines are managed where their provider is named, by the first shard. */
const machineArguments = [
  '{{- with $.Values.machines.actuator }}',
  '            - --machines',
  '            - {{ printf "--actuator=%s" . | quote }}',
  '{{- end }}',
];

function withContainer(lines: readonly string[], section: string, hasMachines: boolean): string[] {
  if (lines.includes('          env:')) throw new Error('the manifests have an environment: add extraEnv to it');
  const args = changeBlock(lines, '        - args:', (open, body) => {
    // Items of the list, actions within it included; what stands behind is the next key.
    const end = body.findIndex((line) => !/^ {12}- |^\{\{/.test(line));
    const items = end < 0 ? body : body.slice(0, end);
    const env = withValue(`${section}.extraEnv`, 12, { head: '          env:' });
    const policy = withValue('imagePullPolicy', 0, {}).map((line) =>
      line.startsWith('{{ toYaml') ? '          imagePullPolicy: {{ . }}' : line,
    );
    return [
      open,
      ...items,
      ...(hasMachines ? machineArguments : []),
      ...withValue(`${section}.extraArgs`, 12, {}),
      ...env,
      ...policy,
      ...body.slice(items.length),
    ];
  });
  const mounts = changeBlock(args, '          volumeMounts:', (open, body) => [
    open,
    ...withValue(`${section}.extraVolumeMounts`, 12, {}),
    ...body,
  ]);
  return changeBlock(mounts, '          resources:', (open, body) => [
    open,
    ...withValue(`${section}.resources`, 12, { otherwise: body }),
  ]);
}

function withPod(lines: readonly string[], section: string): string[] {
  let changed = addToMetadata(lines, '    metadata:', { field: 'labels', value: `${section}.podLabels` });
  changed = addToMetadata(changed, '    metadata:', { field: 'annotations', value: `${section}.podAnnotations` });
  changed = changeBlock(changed, '    spec:', (open, body) => [
    open,
    ...withValue('imagePullSecrets', 8, { head: '      imagePullSecrets:' }),
    ...['nodeSelector', 'tolerations', 'affinity'].flatMap((key) =>
      withValue(`${section}.${key}`, 8, { head: `      ${key}:` }),
    ),
    ...body,
  ]);
  changed = changeBlock(changed, '      topologySpreadConstraints:', (open, body) => [
    open,
    ...withValue(`${section}.topologySpreadConstraints`, 8, { otherwise: body }),
  ]);
  changed = changeBlock(changed, '      volumes:', (open, body) => [
    open,
    ...withValue(`${section}.extraVolumes`, 8, {}),
    ...body,
  ]);
  const priority = /^( {6}priorityClassName: )(.*)$/;
  return changed.map((line) => line.replace(priority, `$1{{ $.Values.${section}.priorityClassName | default "$2" }}`));
}

/** The text of an object with the actions for the values. */
export function withExtraValues(object: KubeObject, text: string): string {
  const lines = withMetadata(text.trimEnd().split('\n'));
  if (object.kind !== 'Deployment') return `${lines.join('\n')}\n`;
  const section = object.metadata.name === 'rukpak-webhooks' ? 'webhook' : 'controllers';
  const container = withContainer(lines, section, object.metadata.name === 'core');
  return `${withPod(container, section).join('\n')}\n`;
}
