import { objectAt, textAt } from '../../../base/index.ts';
import { type Amendment, eachOfKind, without } from './amendment.ts';

/** What X.509 allows a common name. */
const maxCommonNameBytes = 64;

/** A Certificate of a long host name has no common name; its DNS names have the same content. */
export const commonName: Amendment = {
  name: 'common-name',
  reason: 'The webhook of cert-manager refuses a common name of more than 64 bytes.',
  amend: (objects) =>
    eachOfKind(objects, 'Certificate', (certificate) => {
      const spec = objectAt(certificate, 'spec') ?? {};
      if (Buffer.byteLength(textAt(spec, 'commonName')) <= maxCommonNameBytes) return certificate;
      return { ...certificate, spec: without(spec, 'commonName') };
    }),
};
