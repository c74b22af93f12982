import { deserialize, serialize } from 'node:v8';
import { type JsonObject, turnTaker } from '../../src/base/index.ts';
import { roomAfter } from './object-size.ts';

/** As JSON; an object that is larger is a piece of its own. */
const pieceBytes = 256 * 1024;

/** Objects on their way to another thread, in order. */
export type ObjectPieces = readonly Uint8Array[];

/** Objects in pieces: a thread that gets all of them in one message is busy with nothing else until it has read it. */
export function cutObjects(objects: readonly JsonObject[]): ObjectPieces {
  const pieces: Uint8Array[] = [];
  let piece: JsonObject[] = [];
  let room = pieceBytes;
  for (const object of objects) {
    piece.push(object);
    room = roomAfter(room, object);
    if (room >= 0) continue;
    pieces.push(serialize(piece));
    piece = [];
    room = pieceBytes;
  }
  if (piece.length > 0) pieces.push(serialize(piece));
  return pieces;
}

/** The objects of pieces, while other work of this thread has its turns.
 *  @throws the signal's reason */
export async function joinObjects(pieces: ObjectPieces, signal: AbortSignal): Promise<JsonObject[]> {
  const takeTurn = turnTaker(signal);
  const objects: JsonObject[] = [];
  for (const piece of pieces) {
    await takeTurn();
    for (const object of deserialize(piece) as JsonObject[]) objects.push(object);
  }
  return objects;
}
