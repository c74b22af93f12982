import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleVersionAnnotation,
  extensionChoiceAnnotation,
  packageNameAnnotation,
} from '../../api/index.ts';
import { isJsonObject, parseJson, sha256Digest, TerminalError, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ExtensionChoice, InstalledChoice } from '../../operators/index.ts';
import { readChoice } from '../platform-operator/choice.ts';

const maxAnnotationCharacters = 65_536;
/** Names of BundleDeployments may not be longer. */
const maxNameCharacters = 45;
const hashCharacters = 8;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The choice that a Bundle was made for; undefined: it was made by another controller. */
export function installedIn({ metadata: { annotations = {} } }: KubeObject): InstalledChoice | undefined {
  const texts = [packageNameAnnotation, bundleNameAnnotation, bundleVersionAnnotation, bundleReferenceAnnotation].map(
    (key) => annotations[key] ?? '',
  );
  const [packageName = '', bundle = '', version = '', image = ''] = texts;
  return texts.includes('') ? undefined : { package: packageName, bundle, version, image };
}

/** The choice that a BundleDeployment was made for; undefined if it cannot be read. */
export function choiceIn({ metadata }: KubeObject): ExtensionChoice | undefined {
  const text = metadata.annotations?.[extensionChoiceAnnotation];
  if (text === undefined || text.length > maxAnnotationCharacters) return undefined;
  try {
    const value = parseJson(extensionChoiceAnnotation, text);
    const choice = isJsonObject(value) ? readChoice(value) : undefined;
    return choice && { ...choice, chosenAt: textAt(value as never, 'chosenAt') };
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** Name of a BundleDeployment: the given one, shortened and with a hash where a BundleDeployment cannot have it. */
export function deploymentNameOf(name: string): string {
  if (name.length <= maxNameCharacters && label.test(name)) return name;
  const hash = sha256Digest(name).slice('sha256:'.length).slice(0, hashCharacters);
  const start = name.replaceAll('.', '-').slice(0, maxNameCharacters - hashCharacters - 1);
  return `${start.replace(/-+$/, '')}-${hash}`;
}
