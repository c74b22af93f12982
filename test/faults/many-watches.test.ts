import { connect } from 'node:http2';
import { expect, test, vi } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const watches = 200;
const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

test.each([
  ['metadata alone', partial, ''],
  ['tables', 'application/json;as=Table;g=meta.k8s.io;v=v1', ''],
  ['what leaves a selection', 'application/json', '&labelSelector=state!%3Dlater'],
])('an event is encoded once for all watches that show the same of it: %s', async (_name, accept, query) => {
  await using server = await startApiServer();
  using connection = new Connection(server.kubeconfig);
  const session = connect(server.url, { ca: server.caCertificatePem });
  try {
    const authorization = `Bearer ${server.adminToken}`;
    const received = Array.from({ length: watches }, () => {
      const path = `${collection}?watch=true${query}`;
      const stream = session.request({ ':path': path, authorization, accept });
      let text = '';
      stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      return { lines: (): string[] => text.split('\n').filter((line) => line.includes('"marked"')) };
    });
    const write = async (request: string, object: object, type = 'application/json'): Promise<void> => {
      const [method = '', path = ''] = request.split(' ');
      const headers = { 'content-type': type };
      const { status } = await connection.ask({ method, path, headers, body: JSON.stringify(object) });
      expect(status).toBeLessThan(300);
    };
    const metadata = { name: 'marked', annotations: { mark: 'm' } };
    await write(`POST ${collection}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await eventually(() => expect(received.every(({ lines }) => lines().length === 1)).toBe(true));
    const encoded = vi.spyOn(JSON, 'stringify');
    const patch = { metadata: { labels: { state: 'later' } } };
    await write(`PATCH ${collection}/marked`, patch, 'application/merge-patch+json');
    await eventually(() => expect(received.every(({ lines }) => lines().length === 2)).toBe(true));
    expect(encoded.mock.calls.length).toBeLessThan(watches / 2);
    encoded.mockRestore();
    expect(new Set(received.map(({ lines }) => lines()[1])).size).toBe(1);
  } finally {
    session.destroy();
  }
});
