import type { Http2Session, ServerHttp2Session } from 'node:http2';
import { endExcessiveSession } from './open-requests.ts';

/** Frames of a body with less on average cost more than what is in them. */
const smallBytes = 64;
/** Of those a connection may have so many more than of larger ones. */
const maxSmallFrames = 2_000;
/** Of each body: most have one, which may be small, and a connection may have any number of these. */
const ordinaryFrames = 8;

/** What the smaller frames of a connection lack, less what its larger ones have more. */
class FrameSizes {
  readonly #session: Http2Session;
  #lackingBytes = 0;

  constructor(session: Http2Session) {
    this.#session = session;
  }

  add(sizeBytes: number): void {
    this.#lackingBytes = Math.max(0, this.#lackingBytes + smallBytes - sizeBytes);
    if (this.#lackingBytes > smallBytes * maxSmallFrames) endExcessiveSession(this.#session);
  }
}

/** Ends connections of HTTP/2 on which bodies arrive in very many frames of a few bytes: node reads two megabytes of a connection at once, two hundred thousand
 *  such frames, and others have no turn meanwhile. Of HTTP/1.1, the parser takes turns. */
export function limitSmallFrames(session: ServerHttp2Session): void {
  const sizes = new FrameSizes(session);
  session.on('stream', (stream) => {
    const push = stream.push.bind(stream);
    let frames = 0;
    stream.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
      frames += 1;
      if (chunk !== null && frames > ordinaryFrames) sizes.add(chunk.length);
      return push(chunk, encoding);
    };
  });
}
