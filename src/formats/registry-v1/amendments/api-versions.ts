import { supportedKinds } from '../kinds.ts';
import type { Amendment } from './amendment.ts';

/** Fills in `apiVersion`. */
export const apiVersions: Amendment = {
  name: 'api-versions',
  reason: 'A manifest without apiVersion can never be applied; each kind that the format allows belongs to one group.',
  amend: (objects) =>
    objects.map((object) => {
      const kind = supportedKinds.get(object.kind);
      if (object.apiVersion || kind === undefined) return object;
      const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
      return { ...object, apiVersion };
    }),
};
