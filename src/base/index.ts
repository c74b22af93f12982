/** Words with no Kubernetes in them: errors, log, clock, deadlines, digests, JSON and YAML, limits, certificates.
 *  Does no I/O but hashing, certificate signing, looking up names, making folders, replacing files, naming the holder of a lock and listening for HTTP; knows no other folder.
 *  @imports nothing
 *  @packages @peculiar/x509, js-yaml, pino, reflect-metadata */
export { mapLimit, withDeadline } from './abort.ts';
export { groupsOfAddress, isLinkLocalAddress, isLocalAddress, isPrivateAddress } from './addresses.ts';
export { formatAge, formatDuration } from './ages.ts';
export { base62 } from './base62.ts';
export { formatBoundedYaml, jsonAsYaml } from './bounded-yaml.ts';
export {
  type KeyUsage,
  readSigningRequest,
  type SigningPolicy,
  type SigningRequest,
  signCertificateRequest,
} from './certificate-requests.ts';
export {
  type CertificateRequest,
  type CertifiedKey,
  certificateExpiryMs,
  certificateStartMs,
  createCertificateAuthority,
  isServingCertificate,
  issueCertificate,
  splitCertificates,
} from './certificates.ts';
export { isStillGood, readCertifiedKey, replaceCertifiedKey } from './certified-key-file.ts';
export { type Clock, formatTimestamp, remainingMs, steadyClock, systemClock } from './clock.ts';
export { type ConnectionLimits, type LimitedRequest, limitConnections, peerOf, placesOf } from './connection-limits.ts';
export { isSha256Digest, sha256Digest, verifyStream } from './digest.ts';
export { replaceFile, syncDirectory, syncFile, writeSecretFile } from './durable-files.ts';
export {
  errorMessage,
  fileProblem,
  isDiskFull,
  isMachineShortage,
  TerminalError,
  TransientError,
  WaitingError,
} from './errors.ts';
export { type FairStep, FairTurns } from './fair-turns.ts';
export { type FieldPath, formatPath } from './field-path.ts';
export { fileRoom } from './file-room.ts';
export { firstIndexes, firstRepeated, isRepeated } from './first-indexes.ts';
export { parseGoDuration } from './go-duration.ts';
export { goJson, goJsonHash, goMembers } from './go-json.ts';
export { goQuote } from './go-quote.ts';
export { readHolder, writeHolder } from './holder.ts';
export { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
export { formatPrettyJson } from './indented-length.ts';
export { joinName } from './join-name.ts';
export { inFewPieces, JoinedPieces, joinStream } from './joined-pieces.ts';
export {
  assertHarmless,
  assertHarmlessText,
  countValues,
  decodeJson,
  hasMoreValues,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxNestingDepth,
  mayHaveForbiddenKey,
  parseJson,
  sortedKeys,
} from './json.ts';
export { isTrueAt, listAt, listOfTexts, objectAt, objectsAt, scalarText, textAt, valueAt } from './json-members.ts';
export { type JsonProblem, jsonSyntaxProblem } from './json-syntax.ts';
export { isSelected, type LabelSelector } from './label-selector.ts';
export { type ContentLimits, defaultContentLimits, maxMetadataFileBytes } from './limits.ts';
export { createLogger, type Logger, type LogLevel, silentLogger } from './log.ts';
export { lookupInTurn } from './lookup-turns.ts';
export { makeFolder } from './make-folder.ts';
export { nearest } from './nearest.ts';
export { nodeHttp } from './node-http.ts';
export { normalizePath } from './normalize-path.ts';
export { oldSpaceBytes } from './old-space.ts';
export { endExcessiveSession, OpenRequests } from './open-requests.ts';
export { pacePlainConnectionsOf } from './paced-answers.ts';
export { paceConnectionsOf, withoutRenegotiation } from './paced-connections.ts';
export { type PlainError } from './plain-error.ts';
export { printable, printableLine } from './printable.ts';
export { hasReadableLogin, noProxies, type ProxySettings, proxyFor, readProxySettings } from './proxy.ts';
export { RecentCounts } from './recent-counts.ts';
export { redactUrl } from './redact.ts';
export { lazily, remember, rememberReading } from './remember.ts';
export { cutText, serverText, withoutSecret } from './server-text.ts';
export {
  createReplaceableCertificate,
  createServingAuthority,
  createServingCertificate,
  type ReplaceableCertificate,
  type ServingCertificate,
  type ServingPair,
} from './serving-certificate.ts';
export { type RoomShare, SharedRoom } from './shared-room.ts';
export { limitSmallFrames } from './small-frames.ts';
export { threadMemory } from './thread-memory.ts';
export { ThreadPool } from './thread-pool.ts';
export { TokenGuesses } from './token-guesses.ts';
export { type TracedWork, traced, workChannel } from './traced.ts';
export { trimEnd } from './trim-end.ts';
export { type TakeTurn, turnTaker } from './turns.ts';
export { type JobContext, type JobHandlers, sendEvent, serveJobs } from './worker-jobs.ts';
export type { JobTypes } from './worker-messages.ts';
export { type JobOptions, WorkerThread, type WorkerThreadOptions, workerUrl } from './worker-thread.ts';
export { formatYaml, parseYaml, parseYamlDocuments, type YamlFault, type YamlReading, yamlFault } from './yaml.ts';
export { SourceText } from './yaml-documents.ts';
export { formatYamlPieces } from './yaml-pieces.ts';
export { type TextPosition, YamlPositions } from './yaml-positions.ts';
