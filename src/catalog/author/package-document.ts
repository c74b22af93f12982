import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { carriedCsv } from './migrate.ts';
import { csvMetadataType, propertiesOf } from './properties.ts';

function iconOf(csv: JsonObject | undefined): JsonObject {
  const icon = objectsAt(objectAt(csv, 'spec'), 'icon')[0];
  const base64data = textAt(icon, 'base64data');
  if (base64data === '') return {};
  return { icon: { base64data: base64data.replace(/\s/g, ''), mediatype: textAt(icon, 'mediatype') } };
}

/** The `olm.package` of a package, with description and icon of the bundle's ClusterServiceVersion. */
export function packageOf(name: string, defaultChannel: string, bundle: JsonObject): JsonObject {
  const csv = carriedCsv(bundle);
  const migrated = propertiesOf(bundle).find(({ type }) => type === csvMetadataType)?.value;
  const described = objectAt(csv, 'spec') ?? (isJsonObject(migrated) ? migrated : undefined);
  const description = textAt(described, 'description');
  return {
    schema: 'olm.package',
    name,
    defaultChannel,
    ...(description === '' ? {} : { description }),
    ...iconOf(csv),
  };
}
