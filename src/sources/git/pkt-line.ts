import { TerminalError, TransientError } from '../../base/index.ts';
import type { ByteReader } from './byte-reader.ts';

/** `flush` for the packets that end a part: flush, delimiter and end of response. */
export type Packet = Buffer | 'flush';

/** What a server reports in place of an answer. */
function remoteError(text: string): TransientError | TerminalError {
  if (/not our ref|unadvertised object|no such remote ref/.test(text)) return new TerminalError('CommitNotFound', text);
  return new TransientError('CloneFailed', text);
}

/** @throws as what the server reports stands for */
export function throwRemoteError(reader: ByteReader, text: Buffer): never {
  throw remoteError(`remote: ${reader.shown(text)}`);
}

/** Reads a packet; undefined at the end of the stream.
 *  @throws TransientError CloneFailed, TransferBroken · TerminalError CommitNotFound, BodyTooLarge
 *  @see gitprotocol-common(5), "pkt-line Format" */
export async function readPacket(reader: ByteReader): Promise<Packet | undefined> {
  const head = await reader.takeOptional(4);
  if (head === undefined) return undefined;
  const text = head.toString('latin1');
  if (!/^[0-9a-f]{4}$/i.test(text)) {
    throw new TransientError(
      'CloneFailed',
      `expected a git server, got ${JSON.stringify(reader.shown(head))} as length`,
    );
  }
  const length = Number.parseInt(text, 16);
  if (length < 4) return 'flush';
  const packet = await reader.take(length - 4);
  if (packet.subarray(0, 4).toString('latin1') === 'ERR ') throwRemoteError(reader, packet.subarray(4));
  return packet;
}

/** A packet with a line of text. */
export function textPacket(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
}

export const flushPacket = '0000';
