import type { Probe } from '../probe.ts';
import { dumpEnveloped, dumpFrames, enveloped, type Field, message } from '../protobuf-fields.ts';
import { type Area, area } from '../suite.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

const named = (name: string): Field => [1, [[1, name]]];

/** Sends protobuf; the answer is JSON. */
async function post(api: Probe, path: string, rawBody: Buffer): Promise<void> {
  await api.ask('POST', path, { rawBody, contentType: protobuf });
}

/** Asks for protobuf and records the fields of what comes. */
async function read(api: Probe, path: string, accept: string = protobuf): Promise<void> {
  const answer = await api.ask('GET', path, { accept, keep: () => undefined, recordHeaders: ['content-type'] });
  const isProtobuf = String(answer.headers['content-type']).startsWith(protobuf);
  api.record('fields', isProtobuf ? dumpEnveloped(answer.raw) : answer.body);
}

const container: Field = [
  2,
  [
    [1, 'c'],
    [2, 'registry.example.com/image'],
    [
      7,
      [
        [1, 'A'],
        [2, 'b'],
      ] as readonly Field[],
    ],
    [
      8,
      [
        [
          1,
          [
            [1, 'cpu'],
            [2, [[1, '100m']]],
          ] as readonly Field[],
        ],
      ] as readonly Field[],
    ],
  ],
];

/** Requests and answers of built-in kinds in protobuf. */
export const cases: Area = area('Protobuf', (it) => {
  it('W015 creates a ConfigMap', async (api) => {
    const entry: Field = [
      2,
      [
        [1, 'key'],
        [2, 'value'],
      ] as readonly Field[],
    ];
    const bytes: Field = [
      3,
      [
        [1, 'binary'],
        [2, new Uint8Array([0, 255, 7])],
      ] as readonly Field[],
    ];
    await post(
      api,
      `/api/v1/namespaces/${api.namespace}/configmaps`,
      enveloped('v1', 'ConfigMap', named('c'), entry, bytes),
    );
  });

  it('W015 creates a Namespace', async (api) => {
    const name = api.unique('made');
    api.cleanUp(`/api/v1/namespaces/${name}`);
    await post(api, '/api/v1/namespaces?dryRun=All', enveloped('v1', 'Namespace', named(name)));
  });

  it('W015 creates a Secret', async (api) => {
    const data: Field = [
      2,
      [
        [1, 'k'],
        [2, new Uint8Array([1, 2, 3])],
      ] as readonly Field[],
    ];
    const text: Field = [
      4,
      [
        [1, 'plain'],
        [2, 'text'],
      ] as readonly Field[],
    ];
    await post(
      api,
      `/api/v1/namespaces/${api.namespace}/secrets`,
      enveloped('v1', 'Secret', named('s'), data, [3, 'Opaque'], text),
    );
  });

  it('W015 creates a Deployment', async (api) => {
    const labels: Field = [
      1,
      [
        [1, 'a'],
        [2, 'b'],
      ] as readonly Field[],
    ];
    const template: Field = [
      3,
      [
        [
          1,
          [
            [
              11,
              [
                [1, 'a'],
                [2, 'b'],
              ],
            ],
          ] as unknown as readonly Field[],
        ],
        [2, [container]],
      ],
    ];
    const spec: Field = [2, [[1, 0], [2, [labels]], template]];
    await api.ask('POST', `/apis/apps/v1/namespaces/${api.namespace}/deployments?dryRun=All`, {
      rawBody: enveloped('apps/v1', 'Deployment', named('d'), spec),
      contentType: protobuf,
      keep: (body) => {
        const { template } = (body as { spec: { template: { metadata: { labels: unknown }; spec: unknown } } }).spec;
        return { labels: template.metadata.labels, spec: template.spec };
      },
    });
  });

  it('takes the kind from the path where the envelope names none', async (api) => {
    const body = Buffer.concat([Buffer.from('k8s\0'), message([2, message(named('c'))])]);
    await post(api, `/api/v1/namespaces/${api.namespace}/configmaps`, body);
  });

  it('skips fields that it does not know', async (api) => {
    const body = enveloped('v1', 'ConfigMap', named('c'), [900, 'x'], [901, 5]);
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps?fieldValidation=Strict`, {
      rawBody: body,
      contentType: protobuf,
    });
  });

  const broken: readonly { readonly name: string; readonly body: Buffer }[] = [
    { name: 'that does not begin as one', body: Buffer.from('abc') },
    { name: 'that is empty', body: Buffer.alloc(0) },
    { name: 'that ends after its mark', body: Buffer.from('k8s\0') },
    {
      name: 'that ends within its envelope',
      body: Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0a, 0x10, 0x0a, 0x02, 0x76, 0x31])]),
    },
    { name: 'that ends within a field', body: enveloped('v1', 'ConfigMap', [1, new Uint8Array([0x0a, 0xff, 0x01])]) },
    { name: 'with a number for metadata', body: enveloped('v1', 'ConfigMap', [1, 5]) },
    { name: 'with a number for a name', body: enveloped('v1', 'ConfigMap', [1, [[1, 5]]]) },
    { name: 'of a version that is not there', body: enveloped('v9', 'ConfigMap', named('c')) },
    { name: 'of a kind that is not there', body: enveloped('v1', 'Nonsense', named('c')) },
  ];
  for (const { name, body } of broken) {
    it(`refuses a body ${name}`, async (api) => {
      await post(api, `/api/v1/namespaces/${api.namespace}/configmaps`, body);
    });
  }

  it('W012 answers a GET, and its refusal', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await api.setUp('POST', path, { body: { metadata: { name: 'c' }, data: { a: 'b' }, immutable: false } });
    await read(api, `${path}/c`);
    await read(api, `${path}/c`, `${protobuf},application/json`);
    await read(api, `${path}/c`, `application/json;q=0.5,${protobuf}`);
    await read(api, `${path}/absent`);
  });

  it('answers a create, an update and a deletion', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    const options = { accept: protobuf, keep: () => undefined, recordHeaders: ['content-type'] };
    const created = await api.ask('POST', path, { ...options, body: { metadata: { name: 'c' } } });
    api.record('created', dumpEnveloped(created.raw));
    const updated = await api.ask('PUT', `${path}/c`, {
      ...options,
      body: { metadata: { name: 'c' }, data: { a: 'b' } },
    });
    api.record('updated', dumpEnveloped(updated.raw));
    const deleted = await api.ask('DELETE', `${path}/c`, options);
    api.record('type of the answer', (dumpEnveloped(deleted.raw) as { type: string }).type);
  });

  it('answers a list', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/secrets`;
    await api.setUp('POST', path, { body: { metadata: { name: 'one' }, data: { k: 'AAE=' } } });
    const answer = await api.ask('GET', path, {
      accept: protobuf,
      keep: () => undefined,
      recordHeaders: ['content-type'],
    });
    const { type, object } = dumpEnveloped(answer.raw) as { type: unknown; object: { 2: { 2: unknown } } };
    api.record('list', { type, data: object[2][2] });
  });

  it('answers a watch with frames', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/secrets`;
    const { body } = await api.setUp('GET', path);
    const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
    await api.setUp('POST', path, { body: { metadata: { name: 'one' }, data: { k: 'AAE=' } } });
    await api.setUp('DELETE', `${path}/one`);
    const answer = await api.ask('GET', `${path}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`, {
      accept: `${protobuf};stream=watch`,
      keep: () => undefined,
      recordHeaders: ['content-type'],
    });
    api.record('frames', dumpFrames(answer.raw));
  });

  it('answers metadata alone', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await api.setUp('POST', path, { body: { metadata: { name: 'c' }, data: { a: 'b' } } });
    const part = 'g=meta.k8s.io;v=v1';
    await read(api, `${path}/c`, `${protobuf};as=PartialObjectMetadata;${part}`);
    const list = await api.ask('GET', `${path}?fieldSelector=metadata.name=c`, {
      accept: `${protobuf};as=PartialObjectMetadataList;${part}`,
      keep: () => undefined,
      recordHeaders: ['content-type'],
    });
    const { type } = dumpEnveloped(list.raw) as { type: unknown };
    api.record('type of the list', type);
  });

  it('has no Table', async (api) => {
    const accept = `${protobuf};as=Table;g=meta.k8s.io;v=v1`;
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/secrets`, { accept });
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/secrets`, {
      accept: `${accept},application/json;as=Table;g=meta.k8s.io;v=v1`,
      keep: (body) => (body as { kind: string }).kind,
    });
  });

  it('reads options of a deletion', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await api.setUp('POST', path, { body: { metadata: { name: 'c' } } });
    const wrong = enveloped('v1', 'DeleteOptions', [2, [[1, 'not-this-one']]]);
    await api.ask('DELETE', `${path}/c`, { rawBody: wrong, contentType: protobuf });
    const right = enveloped('meta.k8s.io/v1', 'DeleteOptions', [4, 'Background']);
    await api.ask('DELETE', `${path}/c`, { rawBody: right, contentType: protobuf });
  });

  it('reads an access review and a token request', async (api) => {
    const attributes: Field = [
      1,
      [
        [1, api.namespace],
        [2, 'list'],
        [4, 'v1'],
        [5, 'pods'],
      ] as readonly Field[],
    ];
    await api.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      rawBody: enveloped('authorization.k8s.io/v1', 'SelfSubjectAccessReview', [2, [attributes]]),
      contentType: protobuf,
      keep: (body) => ({ ...(body as object), metadata: undefined }),
    });
    const accounts = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
    await api.setUp('POST', accounts, { body: { metadata: { name: 'sa' } } });
    await api.ask('POST', `${accounts}/sa/token`, {
      rawBody: enveloped('authentication.k8s.io/v1', 'TokenRequest', [2, [[4, 1200]]]),
      contentType: protobuf,
      keep: (body) => (body as { spec: { expirationSeconds: number } }).spec.expirationSeconds,
    });
  });

  it('reads a binding and an eviction, and answers with a Status', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/pods`;
    const spec = {
      containers: [{ name: 'c', image: 'i' }],
      terminationGracePeriodSeconds: 0,
      schedulerName: 'nobody',
    };
    await api.setUp('POST', path, {
      body: { metadata: { name: 'p' }, spec: { ...spec, automountServiceAccountToken: false } },
    });
    const options = {
      contentType: protobuf,
      accept: protobuf,
      keep: (): undefined => undefined,
      recordHeaders: ['content-type'],
    };
    const target: Field = [
      2,
      [
        [1, 'Node'],
        [3, 'none'],
      ] as readonly Field[],
    ];
    const binding = enveloped('v1', 'Binding', named('p'), target);
    const bound = await api.ask('POST', `${path}/p/binding?dryRun=All`, { ...options, rawBody: binding });
    api.record('bound', dumpEnveloped(bound.raw));
    const eviction = enveloped('policy/v1', 'Eviction', [
      1,
      [
        [1, 'p'],
        [3, api.namespace],
      ],
    ]);
    const evicted = await api.ask('POST', `${path}/p/eviction?dryRun=All`, { ...options, rawBody: eviction });
    api.record('evicted', dumpEnveloped(evicted.raw));
  });

  it('answers a token request', async (api) => {
    const accounts = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
    await api.setUp('POST', accounts, { body: { metadata: { name: 'sa' } } });
    const answer = await api.ask('POST', `${accounts}/sa/token`, {
      rawBody: enveloped('authentication.k8s.io/v1', 'TokenRequest', [2, [[4, 1200]]]),
      contentType: protobuf,
      accept: protobuf,
      keep: () => undefined,
      recordHeaders: ['content-type'],
    });
    const { type } = dumpEnveloped(answer.raw) as { type: unknown };
    api.record('type', type);
  });

  it('reads and answers a scale', async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/replicasets`;
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const body = { metadata: { name: 'r' }, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
    await api.setUp('POST', path, { body });
    const answer = await api.ask('PUT', `${path}/r/scale?dryRun=All`, {
      rawBody: enveloped(
        'autoscaling/v1',
        'Scale',
        [
          1,
          [
            [1, 'r'],
            [3, api.namespace],
          ],
        ],
        [2, [[1, 3]]],
      ),
      contentType: protobuf,
      accept: protobuf,
      keep: () => undefined,
    });
    api.record('scale', dumpEnveloped(answer.raw));
  });
});
