import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { JsonObject } from '../../src/base/index.ts';
import { codecOf, descriptors } from '../../src/catalog/grpc/descriptors.ts';

/** What came, and the fault that it ended with, as `<code> <text>`; '' without one. */
export type RegistryAnswer = readonly [messages: readonly JsonObject[], fault: string];

/** A client of a registry on this machine. */
export interface RegistryCaller extends Disposable {
  /** Calls a method by its full name. */
  call(name: string, request: object, metadata?: Readonly<Record<string, string>>): Promise<RegistryAnswer>;
  /** For streams of another kind. */
  readonly client: Client;
}

const deadlineMs = 300_000;
const maxMessageBytes = 64 * 1024 * 1024;

function withoutTypes(message: JsonObject): JsonObject {
  const text = JSON.stringify(message, (key, value: unknown) => (key === '$typeName' ? undefined : value));
  return JSON.parse(text) as JsonObject;
}

/** Connects to the registry on a port of loopback. */
export function openRegistryCaller(port: number): RegistryCaller {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': maxMessageBytes,
  });
  return {
    client,
    call: async (name, request, metadata = {}) => {
      const [, service = '', methodName = ''] = /^(.+)\.(\w+)$/.exec(name) ?? [];
      const method = descriptors.getService(service)?.methods.find((one) => one.name === methodName);
      if (method === undefined) throw new Error(`${name}: no such method`);
      const sent = new Metadata();
      for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
      const { encode } = codecOf<object>(method.input);
      const { decode } = codecOf<JsonObject>(method.output);
      const messages: JsonObject[] = [];
      const options = { deadline: Date.now() + deadlineMs };
      const path = `/${service}/${methodName}`;
      const stream = client.makeServerStreamRequest(path, encode, decode, request, sent, options);
      try {
        for await (const message of stream) messages.push(withoutTypes(message as JsonObject));
        return [messages, ''];
      } catch (thrown) {
        const { code, details } = thrown as { readonly code: number; readonly details: string };
        return [messages, `${code} ${details}`];
      }
    },
    [Symbol.dispose]: () => client.close(),
  };
}
