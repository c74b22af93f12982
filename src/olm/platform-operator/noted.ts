import { bundlePropertiesAnnotation } from '../../api/index.ts';
import { isJsonObject, parseJson, TerminalError } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';
import type { KubeObject } from '../../kube/index.ts';

function readNoted({ metadata }: KubeObject): readonly Property[] {
  const text = metadata.annotations?.[bundlePropertiesAnnotation];
  if (text === undefined) return [];
  try {
    const list = parseJson(bundlePropertiesAnnotation, text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((item): Property[] => {
      const { type, value = null } = isJsonObject(item) ? item : {};
      return typeof type === 'string' ? [{ type, value }] : [];
    });
  } catch (thrown) {
    if (thrown instanceof TerminalError) return [];
    throw thrown;
  }
}

/** Reads the properties that are noted on a Bundle, of each object once. */
export function notedReader(): (bundle: KubeObject) => readonly Property[] {
  const known = new WeakMap<KubeObject, readonly Property[]>();
  return (bundle) => {
    const properties = known.get(bundle) ?? readNoted(bundle);
    known.set(bundle, properties);
    return properties;
  };
}
