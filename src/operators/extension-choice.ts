import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleVersionAnnotation,
  extensionChoiceAnnotation,
  type PlatformChoice,
  packageNameAnnotation,
} from '../api/index.ts';
import { type JsonObject, sortedKeys } from '../base/index.ts';

/** What the BundleDeployment of a ClusterExtension is to install. */
export interface ExtensionChoice extends PlatformChoice {
  /** When it was chosen: a progress deadline counts from then. */
  readonly chosenAt: string;
}

/** A bundle that is, or was, installed for a ClusterExtension. */
export interface InstalledChoice {
  readonly package: string;
  readonly bundle: string;
  readonly version: string;
  readonly image: string;
}

/** The annotations of the Bundles of a choice: they show what is installed, whatever is chosen later. */
export function bundleAnnotations(choice: InstalledChoice): Record<string, string> {
  return {
    [packageNameAnnotation]: choice.package,
    [bundleNameAnnotation]: choice.bundle,
    [bundleVersionAnnotation]: choice.version,
    [bundleReferenceAnnotation]: choice.image,
  };
}

/** The annotation of the BundleDeployment of a choice. */
export function choiceAnnotation(choice: ExtensionChoice): Record<string, string> {
  // Another order of its members would be written again.
  return { [extensionChoiceAnnotation]: JSON.stringify(sortedKeys({ ...choice } as unknown as JsonObject)) };
}
