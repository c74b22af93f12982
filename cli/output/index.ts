/** What commands print for people: progress, tables, and the width and colors of a terminal.
 *  @imports src/base
 *  @packages diff */
export { ageOf } from './age.ts';
export { confirm } from './confirm.ts';
export { counted } from './counted.ts';
export { createProgress, formatBytes, type Progress } from './progress.ts';
export { formatTable } from './table.ts';
export { createTerminal, type Terminal } from './terminal.ts';
export { colouredDiff, unifiedDiff } from './unified-diff.ts';
