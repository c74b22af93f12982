import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '../../src/base/index.ts';
import { startEnvelope } from './envelope.ts';
import type { MessageCodec } from './message-codec.ts';

const { LengthDelimited } = WireType;

/** Encodes a list piece by piece: `head`, each item, `tail`. Only the length of all items together has to be known before. */
export class ListEncoder {
  readonly #codec: MessageCodec;
  readonly #list: JsonObject;
  /** One for all items: a new one would begin with a small buffer each time. */
  readonly #writer = new BinaryWriter();

  /** `list` has kind, apiVersion and metadata, and no items. */
  constructor(codec: MessageCodec, list: JsonObject) {
    this.#codec = codec;
    this.#list = list;
  }

  item(item: JsonObject): Uint8Array {
    this.#codec.writeFields(this.#writer, { items: [item] });
    return this.#writer.finish();
  }

  /** What comes before items that have `itemBytes` together. */
  head(itemBytes: number): Uint8Array {
    const fields = new BinaryWriter();
    this.#codec.writeFields(fields, this.#list);
    const own = fields.finish();
    const writer = startEnvelope(this.#list);
    writer.tag(2, LengthDelimited).uint32(own.length + itemBytes);
    return writer.raw(own).finish();
  }

  tail(): Uint8Array {
    return new BinaryWriter().tag(3, LengthDelimited).string('').tag(4, LengthDelimited).string('').finish();
  }
}
