/** Pictures as shapes, written as SVG. Main types: `Scene`, `Shape`. Knows nothing of what is drawn.
 *  @imports nothing */
export type { Point, Scene, Shape } from './scene.ts';
export { sceneSvg } from './svg.ts';
export { textWidth } from './text-width.ts';
