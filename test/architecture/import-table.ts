/** What each folder may import of ours: the table of ARCHITECTURE.md, row by row. `*` is everything. */
export const importTable: Readonly<Record<string, readonly string[] | '*'>> = {
  'src/base': [],
  'src/schema': ['src/base'],
  'src/api': ['src/base'],
  'src/metrics': ['src/base'],
  'src/kube': ['src/api', 'src/base', 'src/metrics'],
  'src/controller': ['src/kube', 'src/api', 'src/base', 'src/metrics'],
  'src/content': ['src/api', 'src/base', 'src/metrics'],
  'src/resolver': ['src/base'],
  'src/sources': ['src/content', 'src/kube', 'src/api', 'src/base', 'src/metrics'],
  'src/formats': ['src/content', 'src/api', 'src/base', 'src/metrics'],
  'src/apply': ['src/kube', 'src/api', 'src/base', 'src/metrics'],
  provisioners: [
    'src/sources',
    'src/content',
    'src/formats',
    'src/apply',
    'src/controller',
    'src/kube',
    'src/api',
    'src/base',
    'src/metrics',
  ],
  webhook: ['src/kube', 'src/api', 'src/base', 'src/metrics'],
  apiserver: ['src/schema', 'src/base'],
  cli: '*',
};

/** Packages that one folder alone may import, so that they can be replaced there. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  pino: ['src/base'],
  'js-yaml': ['src/base'],
  '@peculiar/x509': ['src/base'],
  'reflect-metadata': ['src/base'],
  'prom-client': ['src/metrics'],
  '@kubernetes/client-node': ['src/kube'],
  tar: ['src/content'],
  send: ['src/content'],
  'isomorphic-git': ['src/sources'],
  fastify: ['webhook'],
  re2js: ['src/schema', 'apiserver'],
  '@bufbuild/protobuf': ['apiserver'],
};
