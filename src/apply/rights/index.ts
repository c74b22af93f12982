/** What it takes to install, change and remove objects, and whether the account of a deployment may do it. Door: `assertRights`.
 *  Decides nothing itself: the API server refuses whatever was overlooked here. */
export { assertRights, needsOfInstallation, needsOfRemoval, RightsMissing } from './assert.ts';
