import { isSourceType, type SourceType } from '../../api/index.ts';
import { configMapsDefinition } from './config-maps.ts';
import { noInputs, type SourceDefinition } from './definition.ts';
import { gitDefinition } from './git.ts';
import { httpDefinition } from './http.ts';
import { imageDefinition } from './image.ts';
import { uploadDefinition } from './upload.ts';

/** One row a type of source. */
const definitions: { readonly [Type in SourceType]: SourceDefinition<Type> } = {
  image: imageDefinition,
  git: gitDefinition,
  configMaps: configMapsDefinition,
  upload: uploadDefinition,
  http: httpDefinition,
};

/** The rule source-type denies it, and it cannot be fetched. */
const unsupported: Omit<SourceDefinition, 'type'> = {
  address: () => undefined,
  inputs: noInputs,
  pin: (source) => source,
  describe: () => undefined,
  rules: { 'source-member': () => [] },
};

/** The definition of a source's type. A type that is not supported needs nothing. */
export function definitionOf({ type }: { readonly type: string }): Omit<SourceDefinition, 'type'> {
  return isSourceType(type) ? definitions[type] : unsupported;
}
