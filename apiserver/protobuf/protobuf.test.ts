import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonObject, TerminalError } from '../../src/base/index.ts';
import { decodeMessage, encodeEnveloped, encodeWatchFrame, ListEncoder, messageOfKind, openEnvelope } from './index.ts';
import type { MessageCodec } from './message-codec.ts';

const maxValues = 250_000;

function codec(apiVersion: string, kind: string): MessageCodec {
  const found = messageOfKind(apiVersion, kind);
  if (found === undefined) throw new Error(`${apiVersion} ${kind}: no message`);
  return found;
}

type KindObject = JsonObject & { readonly apiVersion: string; readonly kind: string };

function roundTrip(object: KindObject): JsonObject {
  const { apiVersion, kind } = object;
  const { raw, ...envelope } = openEnvelope(encodeEnveloped(codec(apiVersion, kind), object));
  return { ...envelope, ...decodeMessage(codec(apiVersion, kind), raw, maxValues) };
}

function decode(apiVersion: string, kind: string, bytes: Uint8Array): JsonObject {
  return decodeMessage(codec(apiVersion, kind), bytes, maxValues);
}

const objects: readonly { readonly name: string; readonly object: KindObject }[] = [
  {
    name: 'quantities, int-or-string, inlined structs and times',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p',
        creationTimestamp: '2024-02-03T04:05:06Z',
        labels: { a: 'é', b: '' },
        generation: 2 ** 40,
      },
      spec: {
        volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 0 } }],
        containers: [
          {
            name: 'c',
            resources: { limits: { cpu: '100m' } },
            livenessProbe: { httpGet: { port: 'http', path: '/' }, periodSeconds: 3 },
            readinessProbe: { tcpSocket: { port: 80 } },
          },
        ],
        securityContext: { supplementalGroups: [1, 2 ** 33], runAsUser: 0 },
      },
      status: {},
    },
  },
  {
    name: 'base64 and maps of bytes',
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data: { k: 'AAEC/w==' } },
  },
  {
    name: 'microseconds',
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'x' },
      spec: { renewTime: '2024-02-03T04:05:06.000789Z', leaseTransitions: 0 },
    },
  },
  {
    name: 'lists in messages of their own',
    object: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: { name: 'x' },
      spec: {},
      status: { user: { username: 'u', extra: { scopes: ['a', 'b'] } } },
    },
  },
  {
    name: 'schemas within schemas',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'x' },
      spec: {
        group: 'g',
        scope: 'Cluster',
        names: { plural: 'as', kind: 'A' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: false,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': false,
                default: { a: [1, null] },
                additionalProperties: false,
                properties: { a: { items: { type: 'string' } }, b: { additionalProperties: { maximum: 1.5 } } },
              },
            },
          },
        ],
      },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
    },
  },
];

test.each(objects)('$name are the same after writing and reading', ({ object }) => {
  expect(roundTrip(object)).toMatchObject(object);
});

test('zeros that Go leaves out are left out, those behind pointers stay', () => {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(0);
  writer.tag(5, WireType.Varint).int32(0);
  expect(decode('apps/v1', 'Deployment', wrap(2, writer.finish()))).toEqual({
    metadata: { creationTimestamp: null },
    spec: {
      replicas: 0,
      selector: null,
      strategy: {},
      template: { metadata: { creationTimestamp: null }, spec: { containers: null } },
    },
    status: {},
  });
});

function wrap(number: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
}

test('unknown fields are skipped', () => {
  const bytes = new BinaryWriter().tag(900, WireType.Varint).int64(5).tag(901, WireType.LengthDelimited).string('x');
  expect(decode('v1', 'ConfigMap', bytes.finish())).toEqual({ metadata: { creationTimestamp: null } });
});

test('packed numbers are read like single ones', () => {
  const packed = new BinaryWriter().tag(4, WireType.LengthDelimited).bytes(new Uint8Array([1, 2]));
  const pod = decode('v1', 'Pod', wrap(2, wrap(14, packed.finish())));
  expect(pod).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 2] } } });
});

test('a message that ends within a field is refused', () => {
  expect(() => decode('v1', 'ConfigMap', new Uint8Array([0x0a, 0xff, 0x01]))).toThrow(/unexpected EOF/);
});

test('a field of another wire type is refused by its Go name', () => {
  const bytes = new BinaryWriter().tag(1, WireType.Varint).int32(1).finish();
  expect(() => decode('v1', 'ConfigMap', bytes)).toThrow('proto: wrong wireType = 0 for field ObjectMeta');
});

test('a map key that would reach a prototype is refused', () => {
  const entry = new BinaryWriter().tag(1, WireType.LengthDelimited).string('__proto__').finish();
  expect(() => decode('v1', 'ConfigMap', wrap(2, entry))).toThrow(TerminalError);
});

test('schemas without end are refused', () => {
  let bytes = new Uint8Array();
  for (let depth = 0; depth < 2000; depth += 1) bytes = new Uint8Array(wrap(28, bytes));
  const schema = wrap(4, wrap(1, bytes));
  expect(() => decode('apiextensions.k8s.io/v1', 'CustomResourceDefinition', wrap(2, wrap(7, schema)))).toThrow(
    /nested deeper/,
  );
});

test('whatever the bytes are, they are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('Pod', 'Secret', 'Event', 'Node'), (bytes, kind) => {
      try {
        decode('v1', kind, bytes);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(TerminalError);
      }
    }),
    { numRuns: 2000 },
  );
});

test('whatever is done to the bytes of an object, they are read or refused', () => {
  const whole = objects.map(({ object }) => encodeEnveloped(codec(object.apiVersion, object.kind), object));
  const changes = fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...whole), changes, fc.nat(50), (bytes, list, cut) => {
      const broken = bytes.slice(0, bytes.length - cut);
      for (const [at, value] of list) broken[at % broken.length] = value;
      try {
        const { raw, apiVersion, kind } = openEnvelope(broken);
        const found = messageOfKind(apiVersion, kind);
        if (found !== undefined) JSON.stringify(decodeMessage(found, raw, maxValues));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(TerminalError);
      }
    }),
    { numRuns: 3000 },
  );
});

const emptyItems = (count: number, number: number): Uint8Array =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.from([number * 8 + WireType.LengthDelimited, 0])));

test.each([
  ['containers', 'Pod', wrap(2, emptyItems(100_000, 2))],
  ['owner references', 'Pod', wrap(1, emptyItems(60_000, 13))],
  ['items of a list', 'PodList', emptyItems(60_000, 2)],
  [
    'managed fields that are JSON',
    'Pod',
    wrap(1, wrap(17, wrap(7, wrap(1, Buffer.from(`[${'{},'.repeat(150_000)}{}]`))))),
  ],
])('very many small values are refused before they are made: %s', (_what, kind, bytes) => {
  expect(() => decode('v1', kind, bytes)).toThrow('the body has more than 250000 fields and items');
});

test('numbers that JSON cannot write are refused', () => {
  const maximum = new BinaryWriter().tag(9, WireType.Bit64).double(Number.NaN).finish();
  const bytes = wrap(2, wrap(7, wrap(4, wrap(1, maximum))));
  expect(() => decode('apiextensions.k8s.io/v1', 'CustomResourceDefinition', bytes)).toThrow(TerminalError);
});

test('custom kinds have no message', () => {
  expect(messageOfKind('apps.example.com/v1', 'Deployment')).toBeUndefined();
  expect(messageOfKind('constructor/v1', 'Pod')).toBeUndefined();
});

test('frames of a watch begin with their length', () => {
  const frame = encodeWatchFrame('ADDED', new Uint8Array([1, 2, 3]));
  expect(Buffer.from(frame).readUInt32BE(0)).toBe(frame.length - 4);
});

test('a list that is encoded piece by piece has the bytes that it has as a whole', () => {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'a' } };
  for (const count of [0, 1, 3]) {
    const items = Array.from({ length: count }, (_, index) => {
      return { metadata: { name: `p-${index}`, labels: { a: 'é'.repeat(index * 100) } }, spec: { containers: [] } };
    });
    const encoder = new ListEncoder(codec('v1', 'PodList'), list);
    const encoded = items.map((item) => encoder.item(item));
    const bytes = encoded.reduce((sum, { length }) => sum + length, 0);
    const whole = encodeEnveloped(codec('v1', 'PodList'), { ...list, items });
    expect(Buffer.concat([encoder.head(bytes), ...encoded, encoder.tail()])).toEqual(Buffer.from(whole));
  }
});
