const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
const dictionaryBytes = [0, 1, 2, 4] as const;
const contentSizeBytes = [0, 2, 4, 8] as const;

/** Each costs a call of the decoder, however small it is; tools write one for each file, and a few. */
const maxFrames = 250_000;

/** What comes next, and how many bytes of it must be there to be understood. */
interface Step {
  readonly name: 'magic' | 'skippable' | 'descriptor' | 'header' | 'block';
  readonly neededBytes: number;
}

const magicStep: Step = { name: 'magic', neededBytes: 4 };
const blockStep: Step = { name: 'block', neededBytes: 3 };

/** With a code of the codec, for it is a complaint about the input all the same. */
function corrupt(text: string): Error {
  return Object.assign(new Error(text), { code: 'ZSTD_error_corruption_detected' });
}

/** Cuts a zstd stream where its frames end, and drops skippable frames: Node's decoder ends, without a word, after the first frame whose end lies
 *  within a piece, and tools that want to read single files out of a layer write one frame a file.
 *  @see RFC 8878, 3.1 */
class FrameCutter {
  #step: Step = magicStep;
  #head: Buffer = Buffer.alloc(0);
  #passBytes = 0;
  #isSkipping = false;
  #hasChecksum = false;
  #isLastBlock = false;
  #out: Buffer[] = [];
  #frameCount = 0;
  readonly #onWindow: (sizeBytes: number) => void;

  constructor(onWindow: (sizeBytes: number) => void) {
    this.#onWindow = onWindow;
  }

  /** Whether the stream may end here. */
  get isBetweenFrames(): boolean {
    return this.#step.name === 'magic' && this.#head.length === 0 && this.#passBytes === 0;
  }

  /** The same bytes; no piece crosses the end of a frame. */
  *cut(chunk: Buffer): Generator<Buffer> {
    let rest = chunk;
    while (rest.length > 0) {
      rest = this.#passBytes > 0 ? this.#pass(rest) : this.#gather(rest);
      if (this.isBetweenFrames) yield* this.#flush();
    }
    yield* this.#flush();
  }

  *#flush(): Generator<Buffer> {
    if (this.#out.length > 0) yield Buffer.concat(this.#out);
    this.#out = [];
  }

  #pass(rest: Buffer): Buffer {
    const piece = rest.subarray(0, this.#passBytes);
    if (!this.#isSkipping) this.#out.push(piece);
    this.#passBytes -= piece.length;
    if (this.#passBytes === 0) this.#endPass();
    return rest.subarray(piece.length);
  }

  /** After a block comes the next one; after the last one, and after a skippable frame, another frame. */
  #endPass(): void {
    this.#step = this.#isSkipping || this.#isLastBlock ? magicStep : blockStep;
    this.#isSkipping = false;
  }

  #gather(rest: Buffer): Buffer {
    const missingBytes = this.#step.neededBytes - this.#head.length;
    this.#head = Buffer.concat([this.#head, rest.subarray(0, missingBytes)]);
    if (this.#head.length === this.#step.neededBytes) this.#understand(this.#head);
    return rest.subarray(missingBytes);
  }

  #understand(head: Buffer): void {
    switch (this.#step.name) {
      case 'magic':
        this.#frameCount += 1;
        if (this.#frameCount > maxFrames) throw corrupt(`more than the limit of ${maxFrames} frames`);
        this.#step = afterMagic(head.readUInt32LE(0));
        return;
      case 'skippable':
        this.#begin(head.readUInt32LE(4), { isSkipping: true });
        return;
      case 'descriptor':
        this.#hasChecksum = ((head[4] ?? 0) & 4) !== 0;
        this.#step = { name: 'header', neededBytes: 5 + headerBytes(head[4] ?? 0) };
        if (this.#step.neededBytes > head.length) return;
        this.#endHeader();
        return;
      case 'header':
        this.#endHeader();
        return;
      case 'block':
        this.#beginBlock(head.readUIntLE(0, 3));
        return;
      default:
        this.#step.name satisfies never;
    }
  }

  #endHeader(): void {
    this.#onWindow(windowBytesOf(this.#head));
    this.#out.push(this.#head);
    this.#head = Buffer.alloc(0);
    this.#step = blockStep;
  }

  #beginBlock(header: number): void {
    const type = (header >> 1) & 3;
    if (type === 3) throw corrupt('a block of an unknown type');
    this.#isLastBlock = (header & 1) === 1;
    this.#out.push(this.#head);
    const contentBytes = type === 1 ? 1 : header >> 3;
    this.#begin(contentBytes + (this.#isLastBlock && this.#hasChecksum ? 4 : 0), { isSkipping: false });
  }

  #begin(passBytes: number, { isSkipping }: { readonly isSkipping: boolean }): void {
    this.#head = Buffer.alloc(0);
    this.#passBytes = passBytes;
    this.#isSkipping = isSkipping;
    if (passBytes === 0) this.#endPass();
  }
}

function afterMagic(magic: number): Step {
  if (magic === frameMagic) return { name: 'descriptor', neededBytes: 5 };
  if ((magic & 0xfffffff0) >>> 0 === skippableMagic) return { name: 'skippable', neededBytes: 8 };
  throw corrupt('no zstd frame where one is expected');
}

/** Of what follows the descriptor: window, dictionary and content size. */
function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = (descriptor >> 6) as 0 | 1 | 2 | 3;
  const sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : contentSizeBytes[sizeFlag];
  return (isSingleSegment ? 0 : 1) + dictionaryBytes[(descriptor & 3) as 0 | 1 | 2 | 3] + sizeBytes;
}

/** By the header of a frame; one of a single segment refers to all of its content.
 *  @see RFC 8878, 3.1.1.1 */
function windowBytesOf(header: Buffer): number {
  const descriptor = header[4] ?? 0;
  if ((descriptor & 0x20) !== 0) {
    const sizeFlag = (descriptor >> 6) as 0 | 1 | 2 | 3;
    const sizeBytes = sizeFlag === 0 ? 1 : contentSizeBytes[sizeFlag];
    const at = header.length - sizeBytes;
    return sizeBytes === 8 ? Number(header.readBigUInt64LE(at)) : header.readUIntLE(at, sizeBytes);
  }
  const window = header[5] ?? 0;
  const baseBytes = 2 ** (10 + (window >> 3));
  return baseBytes + (baseBytes / 8) * (window & 7);
}

/** Pieces of a zstd stream of any number of frames, for Node's decoder: none goes beyond the end of a frame. `onWindow` gets the size of each frame's window
 *  before its pieces: so much of what is decompressed the decoder has in memory.
 *  @throws Error with a code of the codec, when the stream is none or ends within a frame */
export async function* cutZstdFrames(
  source: AsyncIterable<Buffer>,
  onWindow: (sizeBytes: number) => void,
): AsyncGenerator<Buffer> {
  const cutter = new FrameCutter(onWindow);
  for await (const chunk of source) yield* cutter.cut(chunk);
  if (!cutter.isBetweenFrames) throw corrupt('unexpected end of file');
}
