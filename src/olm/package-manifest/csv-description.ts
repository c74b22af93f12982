import { type JsonObject, type JsonValue, listAt, listOfTexts, objectAt, objectsAt, textAt } from '../../base/index.ts';

/** Without members that are absent or empty. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const isEmpty = (value: JsonValue | undefined): boolean =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

function texts(object: JsonObject | undefined, ...keys: readonly string[]): JsonObject {
  return present(Object.fromEntries(keys.map((key) => [key, textAt(object, key)])));
}

function described(spec: JsonObject | undefined, member: string, keys: readonly string[]): JsonObject {
  const given = objectAt(spec, member);
  const list = (which: string): JsonObject[] => objectsAt(given, which).map((one) => texts(one, ...keys));
  return present({ owned: list('owned'), required: list('required') });
}

/** Images of the operator's containers and those that it lists, each once, sorted. */
function imagesOf(spec: JsonObject | undefined): readonly string[] {
  const deployments = objectsAt(objectAt(spec, 'install', 'spec'), 'deployments');
  const containers = deployments.flatMap((deployment) => {
    const pod = objectAt(deployment, 'spec', 'template', 'spec');
    return [...objectsAt(pod, 'initContainers'), ...objectsAt(pod, 'containers')];
  });
  const images = [...containers, ...objectsAt(spec, 'relatedImages')].map((one) => textAt(one, 'image'));
  return [...new Set(images)].filter((image) => image !== '').toSorted();
}

/** `currentCSVDesc` of a channel, without icons, which are served by themselves.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export function csvDescription(csv: JsonObject): JsonObject {
  const spec = objectAt(csv, 'spec');
  const annotations = objectAt(csv, 'metadata', 'annotations') ?? {};
  const definitions = ['name', 'version', 'kind', 'displayName', 'description'];
  return {
    ...present({
      displayName: textAt(spec, 'displayName'),
      version: textAt(spec, 'version'),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      keywords: listOfTexts(spec, 'keywords'),
      links: objectsAt(spec, 'links').map((link) => texts(link, 'name', 'url')),
      maintainers: objectsAt(spec, 'maintainers').map((one) => texts(one, 'name', 'email')),
      maturity: textAt(spec, 'maturity'),
      description: textAt(spec, 'description'),
      installModes: listAt(spec, 'installModes'),
      nativeApis: listAt(spec, 'nativeAPIs'),
      minKubeVersion: textAt(spec, 'minKubeVersion'),
      relatedImages: [...imagesOf(spec)],
    }),
    provider: texts(objectAt(spec, 'provider'), 'name', 'url'),
    customresourcedefinitions: described(spec, 'customresourcedefinitions', definitions),
    apiservicedefinitions: described(spec, 'apiservicedefinitions', ['group', ...definitions]),
  };
}

/** The first icon of a ClusterServiceVersion. */
export interface Icon {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Undefined where there is none. */
export function iconOf(csv: JsonObject): Icon | undefined {
  const [icon] = objectsAt(objectAt(csv, 'spec'), 'icon');
  if (icon === undefined) return undefined;
  return { mediaType: textAt(icon, 'mediatype'), bytes: Buffer.from(textAt(icon, 'base64data'), 'base64') };
}
