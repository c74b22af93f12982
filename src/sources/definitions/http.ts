import { objectAt, redactUrl, textAt } from '../../base/index.ts';
import { deny, noInputs, requireMember, type SourceDefinition } from './definition.ts';
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
  rules: {
    'source-member': requireMember('http', deny),
    'secret-hosts': ({ http }) => secretHosts(http?.url, http?.auth),
  },
};
