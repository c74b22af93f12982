import { type MachineChoice, withMachines } from '../../cli/install/machines.ts';
import { readManifests } from '../../cli/install/manifests.ts';
import { withOlm } from '../../cli/install/olm.ts';
import { type Overlay, overlays } from '../../cli/install/overlays.ts';
import { withShards } from '../../cli/install/shards.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';

/** The image that tests give the Helm chart. */
export const chartImage = 'registry.example.com/longshore:test';

export interface ChartForm {
  readonly overlay: Overlay;
  readonly shards: number;
  readonly olm: boolean;
}

/** Each overlay, in one shard and in several, the latter with Operator Lifecycle Manager. */
export const chartForms: readonly ChartForm[] = overlays.flatMap((overlay) =>
  [1, 3].map((shards) => ({ overlay, shards, olm: shards > 1 })),
);

/** Objects by `Kind/namespace/name`. */
export function keyed(objects: readonly JsonObject[]): Map<string, JsonObject> {
  const all = objects.filter((object) => object !== null) as unknown as KubeObject[];
  return new Map(
    all.map((object) => [
      `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`,
      object as unknown as JsonObject,
    ]),
  );
}

const keptKinds = [
  'Namespace',
  'CustomResourceDefinition',
  'OperatorGroup',
  'OLMConfig',
  'MachineConfig',
  'MachineConfigPool',
];

/** What the chart must make of an overlay: its objects with the image, of which some outlive the release. */
export async function chartObjects(
  { overlay, shards, olm }: ChartForm,
  machines?: MachineChoice,
): Promise<Map<string, JsonObject>> {
  const sharded = withShards((await readManifests(overlay)) as unknown as KubeObject[], shards);
  const operators = olm ? await withOlm(sharded) : sharded;
  const objects =
    machines === undefined ? operators : await withMachines(operators, { ...machines, arePoliciesServed: true });
  const changed = objects.map((object) => {
    const isKept = keptKinds.includes(object.kind);
    const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
    return isKept ? { ...object, metadata: { ...object.metadata, annotations } } : object;
  });
  const text = JSON.stringify(changed).replaceAll(/"longshore:\d[^"]*"/g, JSON.stringify(chartImage));
  return keyed(JSON.parse(text) as JsonObject[]);
}
