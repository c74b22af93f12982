/** Renders charts by the program helm, in a child process without a network, within limits. Main function: `createChartRenderer`.
 *  Implements `ChartRenderer` of src/formats; knows no cluster.
 *  @imports src/formats, src/base */
export { type ChartRendererOptions, createChartRenderer } from './chart-renderer.ts';
