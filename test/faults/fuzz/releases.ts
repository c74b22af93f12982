import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { errorMessage, TerminalError } from '../../../src/base/index.ts';
import { extractArchive, Staging } from '../../../src/content/index.ts';
import { type Keyring, readKeyring, verifySignedMessage } from '../../../src/openpgp/index.ts';
import { buildTaskGraph, readPayload, releaseLimits, takesPayload } from '../../../src/release/index.ts';
import { availableUpdates, parseUpdateGraph, readGraphData, updatesByTarget } from '../../../src/update-graph/index.ts';
import { tarFile } from '../../support/index.ts';
import { type FuzzTarget, promised, pureTarget, type Result } from './target.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const now = new Date('2025-01-01T00:00:00Z');
/** Made for this test; its private key was thrown away. */
const publicKey = [
  '-----BEGIN PGP PUBLIC KEY BLOCK-----',
  '',
  'xiYEZZIAgBtu/mYN/dqlgJYv2V8P3Unu24POyCxQz9l3V2AcE4S+5c0dUmVs',
  'ZWFzZSA8cmVsZWFzZUBleGFtcGxlLmNvbT7CwA8EExsKAIUFgmWSAIADCwkH',
  'CRBA29p9R+IWgkUUAAAAAAAcACBzYWx0QG5vdGF0aW9ucy5vcGVucGdwanMu',
  'b3Jn7NzJAWLyThlqEOlNXXa3UPptqXoEjBhAsyQVsIwWyhsFFQoIDgwEFgAC',
  'AQIZAQKbAwIeARYhBB+0c7E+tmPFwkLdCkDb2n1H4haCAAAAPaHQDHjk6f5X',
  'P8TrcUbbGbnnMx7aCIgKCCwp8f+5sUP5j50eW4lRe1LkNABfuuraOk2UT3bi',
  '4MAgtAorZE9loArOJgRlkgCAGZx+V7xevGqSp4heDzNEp2mNLn3Umyixr1qC',
  'T8wxMktVwroEGBsKAHAFgmWSAIAJEEDb2n1H4haCRRQAAAAAABwAIHNhbHRA',
  'bm90YXRpb25zLm9wZW5wZ3Bqcy5vcmcGiEEDoBIWCXWPlPc0KvdH/RLNDUPk',
  '0GoO7WG7IChsNAKbDBYhBB+0c7E+tmPFwkLdCkDb2n1H4haCAABzKAr90x0d',
  'tr/p3/GhxfI6hdK1OLb0ubPJ8w+dkO89QtEqwhNDbVqBxu6fdsctPPM8wqjf',
  'Fb/zV34phQfv3sEo+wQ=',
  '=TVqb',
  '-----END PGP PUBLIC KEY BLOCK-----',
].join('\n');
const signed = [
  'y/8AAADXYgAAAAAAeyJjcml0aWNhbCI6eyJ0eXBlIjoiYXRvbWljIGNvbnRhaW5lciBzaWduYXR1cmUiLCJpbWFnZSI6eyJkb2Nr',
  'ZXItbWFuaWZlc3QtZGlnZXN0Ijoic2hhMjU2OmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh',
  'YWFhYWFhYWFhYWFhYWFhYWEifSwiaWRlbnRpdHkiOnsiZG9ja2VyLXJlZmVyZW5jZSI6ImV4YW1wbGUuY29tL3I6MSJ9fX3C/wAA',
  'ALcEABsKAG0FgmZaZIAJEEDb2n1H4haCRRQAAAAAABwAIHNhbHRAbm90YXRpb25zLm9wZW5wZ3Bqcy5vcmfAUrIQ8OGlrcr+OZ59',
  'a7f4hhvypkBoe5ibM4KyzNs3chYhBB+0c7E+tmPFwkLdCkDb2n1H4haCAADBvQIxzb8cfOOILztcM63ZYb9A6ZmIgB7AkaRfLNAQ',
  'F4NlQlCiiK7NhFG3G1zqKqU53MEQ9Op3F+jCJzm1EKNwfQk=',
].join('');
const statement =
  '{"critical":{"type":"atomic container signature","image":{"docker-manifest-digest":' +
  `"${digest}"},"identity":{"docker-reference":"example.com/r:1"}}}`;

let ring: Promise<Keyring> | undefined;

/** What a message without a valid signature must never pass for. */
async function attemptMessage(input: Buffer): Promise<Result> {
  ring ??= readKeyring('ring', Buffer.from(publicKey));
  let content: Buffer;
  try {
    content = (await verifySignedMessage(input, await ring, now)).content;
  } catch (thrown) {
    promised(thrown instanceof Error && errorMessage(thrown).length < 1000, 'a refusal with a short message');
    return 'refused';
  }
  promised(content.toString() === statement, `a forged content: ${content.toString('latin1')}`);
  return 'accepted';
}

/** Messages of which some byte is another: one is accepted only with the content that was signed. */
export function signedMessages(): FuzzTarget {
  const words = ['\u0000', '\u0002', '\u0003', '\u00c2', '\u00cb', '\u00ff', statement];
  return pureTarget({ name: 'signed messages', seeds: [Buffer.from(signed, 'base64')], words }, attemptMessage);
}

function payloadTar(): Buffer {
  const annotations = 'annotations: {include.release.openshift.io/self-managed-high-availability: "true"}';
  const configMap = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, ${annotations}}\ndata: {a: "{{.ReleaseImage}}"}\n`;
  const stream = {
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: '1.0.0' },
    spec: { tags: [{ name: 'a', from: { kind: 'DockerImage', name: `example.com/a@${digest}` } }] },
  };
  const metadata = {
    kind: 'cincinnati-metadata-v0',
    version: '1.0.0',
    previous: ['0.9.0'],
    metadata: { url: 'https://e/1' },
  };
  return tarFile([
    { path: 'manifests/0000_00_engine_1.yaml', content: configMap('engine') },
    { path: 'release-manifests/0000_10_a_1.yaml', content: `${configMap('a')}---\n${configMap('b')}` },
    {
      path: 'release-manifests/0000_10_b_1.json',
      content: '{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"c"}}',
    },
    { path: 'release-manifests/image-references', content: JSON.stringify(stream) },
    { path: 'release-manifests/release-metadata', content: JSON.stringify(metadata) },
  ]);
}

/** Payloads as an image has them. */
export function releasePayloads(): FuzzTarget {
  const signal = new AbortController().signal;
  const words = ['../', '{{', '}}', '.Images.a', '- ', '&a [*a]', '\n---\n', '0000_', '"', '1.0.0'];
  return pureTarget({ name: 'release payloads', seeds: [payloadTar()], words }, async (input) => {
    await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, releaseLimits);
    const source = { what: 'release', hasWhiteouts: true, takes: takesPayload, signal };
    try {
      await extractArchive(
        (async function* () {
          yield await Promise.resolve(input);
        })(),
        staging,
        source,
      );
      const { manifests } = await readPayload(staging, { releaseImage: `r@${digest}`, clusterProfile: 'default' });
      const { nodes } = buildTaskGraph(manifests, { kind: 'Updating' });
      const tasks = nodes.reduce((sum, node) => sum + node.tasks.length, 0);
      promised(tasks === manifests.length, `${tasks} tasks of ${manifests.length} manifests`);
      return 'accepted';
    } catch (thrown) {
      if (thrown instanceof TerminalError) return 'refused';
      throw thrown;
    }
  });
}

const graph = {
  nodes: [
    { version: '1.0.0', payload: `r@${digest}`, metadata: { url: 'https://e/1' } },
    { version: '1.0.1', payload: 'r@b', metadata: { 'io.openshift.upgrades.graph.release.channels': 'stable' } },
    { version: '1.0.2', payload: 'r@c', metadata: {} },
  ],
  edges: [
    [0, 1],
    [1, 0],
  ],
  conditionalEdges: [
    {
      edges: [{ from: '1.0.0', to: '1.0.2' }],
      risks: [{ url: 'https://e', name: 'R', message: 'm', matchingRules: [{ type: 'Always' }] }],
    },
  ],
};

/** Responses of update services. */
export function updateGraphs(): FuzzTarget {
  const words = ['[', '{', ',', '-1', '1e9', '"1.0.0"', 'null', '__proto__', '[[0,0]]'];
  return pureTarget({ name: 'update graphs', seeds: [Buffer.from(JSON.stringify(graph))], words }, (input) => {
    try {
      const read = parseUpdateGraph(input.toString());
      const { available, conditional } = availableUpdates(read, { version: '1.0.0', channel: 'stable' });
      const images = new Set(conditional.map(({ release }) => release.image));
      promised(!available.some(({ image }) => images.has(image)), 'an update with risks that is offered without');
      updatesByTarget(read);
      return 'accepted';
    } catch (thrown) {
      if (thrown instanceof TerminalError) return 'refused';
      throw thrown;
    }
  });
}

/** Files of graph data. */
export function graphData(): FuzzTarget {
  const text = 'to: 1.0.1\nfrom: 1[.]0[.].*\nname: R\nurl: https://e\nmessage: m\nmatchingRules: [{type: Always}]\n';
  const words = ['(a+)+', '{1000}', '*', '[', '&a ', '*a', ': ', '- '];
  return pureTarget({ name: 'graph data', seeds: [Buffer.from(text)], words }, (input) => {
    try {
      readGraphData([{ path: 'blocked-edges/a.yaml', text: input.toString() }]);
      return 'accepted';
    } catch (thrown) {
      if (thrown instanceof TerminalError) return 'refused';
      throw thrown;
    }
  });
}
