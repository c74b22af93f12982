/** The permissions required to install, change and remove objects, and whether the account of a deployment has them. Door: `assertPermissions`.
 *  Enforces nothing itself: the API server rejects what is overlooked here. */
export { assertPermissions, PermissionsMissing } from './assert.ts';
export { describeMissing } from './describe.ts';
export { findMissing, type MissingPermission } from './held.ts';
export { type Installation, needsOfInstallation, needsOfRemoval } from './installation.ts';
export type { Need } from './need.ts';
export { type Surroundings, surroundingsOf } from './surroundings.ts';
