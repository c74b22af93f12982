import type { IncomingMessage } from 'node:http';
import { isJsonObject, parseJson, TerminalError } from '../base/index.ts';
import { kubeErrorOf } from './kube-error.ts';
import type { KubeObject } from './kube-object.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

const maxLineBytes = 16 * 1024 * 1024;

async function* linesOf(body: IncomingMessage): AsyncIterable<string> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    let chunk = part as Buffer;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
      yield Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8');
      rest = [];
      bytes = 0;
      chunk = chunk.subarray(end + 1);
    }
    bytes += chunk.length;
    if (bytes > maxLineBytes) throw new TerminalError('EventTooLarge', `watch: an event exceeds ${maxLineBytes} bytes`);
    if (chunk.length > 0) rest.push(chunk);
  }
}

/** The events of an open watch, in order.
 *  @throws KubeUnavailable when the server ends it with an error (for instance 410 Expired) */
export async function* readWatch(body: IncomingMessage): AsyncIterable<WatchEvent> {
  for await (const line of linesOf(body)) {
    if (line.trim() === '') continue;
    const event = parseJson('watch event', line);
    if (!isJsonObject(event) || !isJsonObject(event['object'])) continue;
    if (event['type'] === 'ERROR') {
      const code = event['object']['code'];
      throw kubeErrorOf('watch', { status: typeof code === 'number' ? code : 500, body: event['object'] });
    }
    yield event as unknown as WatchEvent;
  }
}
