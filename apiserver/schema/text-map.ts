import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';

/** Whether a schema is that of a map of texts, such as labels or data. These may be many thousands: nothing of them needs a look of its own. */
export function holdsTexts({ definition, properties, additionalProperties }: Schema): boolean {
  if (definition !== undefined || properties !== undefined || typeof additionalProperties !== 'object') return false;
  return additionalProperties.type === 'string' && additionalProperties.definition === undefined;
}

/** Whether a value is such a map by its schema, and in fact: without nulls. */
export function isTextMap(value: JsonValue, schema: Schema): boolean {
  if (!holdsTexts(schema)) return false;
  return isJsonObject(value) && Object.values(value).every((member) => typeof member === 'string');
}
