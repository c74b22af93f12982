import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../src/base/index.ts';
import { startWebServer, type WebServer } from '../support/index.ts';

interface Request {
  readonly operation: 'create' | 'update' | 'delete' | 'exists';
  readonly machine: { readonly metadata: { readonly name: string } };
}

/** A provider that both implementations ask, by the protocol of docs/actuators.md. Its instances are names. */
export class ScenarioProvider implements AsyncDisposable {
  readonly #instances = new Set<string>();
  readonly #answers = new Map<string, JsonObject>();
  #server: WebServer | undefined;
  /** In order. */
  calls: string[] = [];

  async open(): Promise<void> {
    this.#server = await startWebServer((request, response) => void this.#handle(request, response));
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  setAnswer(operation: string, answer: JsonObject | null): void {
    if (answer === null) this.#answers.delete(operation);
    else this.#answers.set(operation, answer);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { operation, machine } = JSON.parse(await text(request)) as Request;
    const { name } = machine.metadata;
    if (operation === 'create' || operation === 'delete') this.calls.push(`${operation} ${name}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.#answers.get(operation) ?? this.#do(operation, name)));
  }

  #do(operation: Request['operation'], name: string): JsonObject {
    if (operation === 'create') this.#instances.add(name);
    if (operation === 'delete') this.#instances.delete(name);
    const exists = this.#instances.has(name);
    return { exists, instance: { providerID: `test:///${name}`, state: 'running' } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}
