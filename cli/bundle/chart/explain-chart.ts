import {
  type ChartMetadata,
  type ExplainedObjects,
  explainObjects,
  type Rendered,
  type RenderedHook,
  type RenderedObject,
} from '../../../src/formats/index.ts';

/** What installing a chart does to a cluster, with its default values or others. */
export interface ExplainedChart extends ExplainedObjects {
  readonly chart: ChartMetadata;
  readonly hooks: readonly { readonly events: readonly string[]; readonly weight: number; readonly object: string }[];
  /** It renders to something else each time. */
  readonly isUnsteady: boolean;
}

function hookOf({ events, weight, object }: RenderedHook): ExplainedChart['hooks'][number] {
  const { kind, metadata } = object as unknown as RenderedObject;
  return { events, weight, object: `${kind} ${metadata.name ?? ''}` };
}

/** Explains what a chart was rendered to. */
export function explainChart(chart: ChartMetadata, rendered: Rendered, namespace: string): ExplainedChart {
  const { objects, hooks = [], isUnsteady = false } = rendered;
  const explained = explainObjects(objects as unknown as readonly RenderedObject[], namespace);
  return { chart, hooks: hooks.map(hookOf), isUnsteady, ...explained };
}
