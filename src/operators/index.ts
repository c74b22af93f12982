/** What objects of Operator Lifecycle Manager mean: which APIs an operator provides, which namespaces its group targets, whether its install modes
 *  allow that, which names and labels follow. Pure functions that the controllers of `src/olm` share; main type: `ApiSet`. Reads no cluster.
 *  @imports src/api, src/base */

export { type ApiKey, ApiSet, apiLabelHash, formatApi, ownedApis, parseApis, requiredApis } from './apis.ts';
export type { BundleContent, BundleContents, BundleReference } from './bundle-content.ts';
export {
  abandonedComponentLabels,
  componentKey,
  componentLabel,
  componentLabelsOf,
  operatorName,
  operatorsOf,
} from './component-label.ts';
export { applyDeploymentConfig, type DeploymentConfig } from './deployment-config.ts';
export { bundleAnnotations, choiceAnnotation, type ExtensionChoice, type InstalledChoice } from './extension-choice.ts';
export { unsupportedTargets } from './install-modes.ts';
export { installedAlongside, versionsAlongside } from './installed-alongside.ts';
export { copiedVersions, originalVersions } from './list-targets.ts';
export { type ListedProperty, listedPackage, listedProperties } from './listed-properties.ts';
export { type OperatorDeployment, operatorDeployment, podAnnotations } from './operator-deployment.ts';
export {
  areIntersecting,
  type GroupSurface,
  isGlobalGroup,
  surfaceOf,
  type TenancyResult,
  tenancyOf,
} from './operator-groups.ts';
export { permissionsHash } from './operator-permissions.ts';
export { isCopied, ownerLabels } from './owner-labels.ts';
export { isInactiveMember, type Placement, placementOf } from './placement.ts';
export { inlineBytesFor, orderSteps, type PlanStepsOptions, planSteps, stepOf } from './plan-steps.ts';
export { isKubernetesGroup, isPlatformGroup } from './platform-groups.ts';
export { readStepManifest, type StepManifest, type StepReference } from './step-reference.ts';
export { type UnpackTerms, unpackTermsOf } from './unpack-terms.ts';
