/** Built-in kinds as `application/vnd.kubernetes.protobuf`: JSON objects to bytes and back, by field numbers that are generated. Main exports:
 *  `messageOfKind`, `decodeMessage`, `encodeEnveloped`. Knows no HTTP; custom resources have no protobuf form.
 *  @imports src/base
 *  @packages @bufbuild/protobuf */
export { decodeMessage, type Envelope, encodeEnveloped, encodeWatchFrame, openEnvelope } from './envelope.ts';
export { leftOutZeros } from './left-out-zeros.ts';
export { ListEncoder } from './list-encoder.ts';
export type { MessageCodec } from './message-codec.ts';
export { messageOfKind } from './messages.ts';
