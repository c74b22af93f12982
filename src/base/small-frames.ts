import type { ServerHttp2Session } from 'node:http2';
import { endExcessiveSession } from './open-requests.ts';

/** Frames of a body with less on average cost more than what is in them. */
const smallBytes = 64;
/** Of those a connection may have so many more than of larger ones. */
const maxSmallFrames = 2_000;
/** Of each body: most have one, which may be small, and a connection may have any number of these. */
const ordinaryFrames = 8;

/** Ends connections of HTTP/2 on which bodies arrive in very many frames of a few bytes: node reads two megabytes of a connection at once, two hundred thousand
 *  such frames, and others have no turn meanwhile. Of HTTP/1.1, the parser takes turns. */
export function limitSmallFrames(session: ServerHttp2Session): void {
  /** What smaller frames lack, less what larger ones have more. */
  let lackingBytes = 0;
  const count = (sizeBytes: number): void => {
    lackingBytes = Math.max(0, lackingBytes + smallBytes - sizeBytes);
    if (lackingBytes > smallBytes * maxSmallFrames) endExcessiveSession(session);
  };
  session.on('stream', (stream) => {
    const push = stream.push.bind(stream);
    let frames = 0;
    stream.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
      frames += 1;
      if (chunk !== null && frames > ordinaryFrames) count(chunk.length);
      return push(chunk, encoding);
    };
  });
}
