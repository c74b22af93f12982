import { objectAt, redactUrl, textAt } from '../../base/index.ts';
import { deny, hashedAuth, noInputs, requireMember, type SourceDefinition, warnOfMoving } from './definition.ts';
import { secretHosts } from './secret-hosts.ts';

export const httpDefinition: SourceDefinition<'http'> = {
  type: 'http',
  address: ({ http }) => http?.url,
  inputs: { ...noInputs, secretName: ({ http }) => http?.auth?.secret?.name },
  pin: (source, resolved) => {
    const url = textAt(objectAt(resolved, 'http'), 'url');
    return url === '' ? source : { ...source, http: { ...objectAt(source, 'http'), url } };
  },
  describe: ({ http }) => (http === undefined ? undefined : { source: redactUrl(http.url) }),
  hashed: ({ http }) => (http === undefined ? undefined : { url: http.url, auth: hashedAuth(http.auth) }),
  rules: {
    'source-member': requireMember('http', deny),
    'moving-reference': ({ http }) => (/#chart=/.test(http?.url ?? '') ? warnOfMoving('http.url') : []),
    'secret-hosts': ({ http }) => secretHosts(http?.url, http?.auth),
  },
};
