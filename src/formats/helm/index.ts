/** helm+v3: charts of Helm. Finds and validates a chart; an engine that is passed in renders it. Main value: `helmV3`. */
export { findChart } from './chart-folder.ts';
export { type ChartDependency, type ChartMetadata, readChartMetadata } from './chart-metadata.ts';
export { type ChartConfig, readChartConfig, type ValuesReference } from './config.ts';
export { helmV3 } from './helm-v3.ts';
export { retainRandomValues } from './retained-values.ts';
