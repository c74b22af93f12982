import { olmAnnotations } from '../api/index.ts';
import { isJsonObject, type JsonValue, listAt, parseJson, TerminalError, textAt } from '../base/index.ts';

/** A property of a bundle. */
export interface ListedProperty {
  readonly type: string;
  readonly value: JsonValue;
}

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

/** The properties of its bundle that the annotation of a ClusterServiceVersion lists; undefined without the annotation, none where it cannot be read. */
export function listedProperties({ metadata }: Annotated): readonly ListedProperty[] | undefined {
  const text = metadata.annotations?.[olmAnnotations.properties];
  if (text === undefined) return undefined;
  try {
    const value = parseJson(olmAnnotations.properties, text);
    if (!isJsonObject(value)) return [];
    return listAt(value, 'properties').flatMap((item): ListedProperty[] =>
      isJsonObject(item) && textAt(item, 'type') !== ''
        ? [{ type: textAt(item, 'type'), value: item['value'] ?? null }]
        : [],
    );
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return [];
  }
}

/** The package that the properties name. */
export function listedPackage(properties: readonly ListedProperty[]): string | undefined {
  const found = properties.find(({ type }) => type === 'olm.package')?.value ?? null;
  const name = isJsonObject(found) ? textAt(found, 'packageName') : '';
  return name === '' ? undefined : name;
}
