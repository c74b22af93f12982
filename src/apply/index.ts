/** Installs the objects of a bundle for its owner: order, dry run, server-side apply, pruning, drift, ordered removal.
 *  Main type: `ApplyEngine`. Never fetches or reads bundles, never writes a status.
 *  @imports src/crd-safety, src/pod-security, src/rbac, src/kube, src/api, src/base */
export { clientFor } from './account.ts';
export type { ApplyEngine, ApplyEngineOptions, ClusterChange, InstallRequest } from './apply-engine.ts';
export { readNeeds } from './deployment-needs.ts';
export { createApplyEngine } from './engine.ts';
export { type Health, healthOf } from './health/index.ts';
export { listInstalled } from './installed.ts';
export {
  emptyInventory,
  formatGroupKind,
  type GroupKind,
  type Inventory,
  type InventoryMetadata,
  inventoryMetadata,
  parseGroupKind,
  readInventory,
} from './inventory.ts';
export { installBatches } from './order.ts';
export { systemOf } from './other-owner.ts';
export { belongsTo, fieldManager, isRetained, labelledOwner, type Owner, takeoverProblem } from './ownership.ts';
export {
  describeMissing,
  findMissing,
  type MissingPermission,
  type Need,
  needsOfInstallation,
  PermissionsMissing,
  type Surroundings,
} from './permissions/index.ts';
export { type ObjectChange, type Preview, type PreviewRequest, previewInstall } from './preview.ts';
export { InstallBlocked, type InstallFailure } from './problems.ts';
export type { RecallRequest } from './recall.ts';
export type { InstallationEnd, InstallationProgress, RollbackRequest, UninstallRequest } from './requests.ts';
export { executedWithinMs } from './unanswered-writes.ts';
