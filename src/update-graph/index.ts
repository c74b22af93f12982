/** Which updates a cluster may make: graphs of releases as an update service serves them, what they offer a version, whether an update with risks is
 *  recommended, and graphs made from graph data. Pure. Main functions: `availableUpdates`, `recommend`, `buildUpdateGraphs`.
 *  @imports src/constraints, src/schema, src/drawing, src/base */
export { type AvailableRelease, type AvailableUpdates, availableUpdates, newestFirst } from './available-updates.ts';
export { parseUpdateGraph, type UpdateGraph, type UpdateRisk } from './graph.ts';
export { type GraphDataFile, readGraphData } from './graph-data.ts';
export { drawUpdateGraph } from './picture.ts';
export { type EvaluatedRisk, type Exposure, recommend } from './recommendation.ts';
export { buildUpdateGraphs, type NamedGraph, type ServedRelease } from './served-graph.ts';
export { type UpdatePath, updatePath } from './update-path.ts';
export { updateService } from './update-service.ts';
export { type UpdateTarget, updatesByTarget } from './updates-by-target.ts';
