import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context, Span } from '@opentelemetry/api';
import {
  errorMessage,
  isJsonObject,
  type Logger,
  parseJson,
  type TracedWork,
  WaitingError,
  workChannel,
} from '../../src/base/index.ts';
import { packageVersion } from '../process/index.ts';

/** How long the end of the process waits for the last spans to be taken. */
const flushMs = 2_000;
const maxMessageCharacters = 500;

interface TracingOptions {
  /** Spans go to `<endpoint>/v1/traces`; undefined: nowhere. */
  readonly endpoint: string | undefined;
  /** Name of the service; OTEL_SERVICE_NAME overrides it. */
  readonly service: string;
  readonly log: Logger;
}

async function loadLibraries(): Promise<{
  api: typeof import('@opentelemetry/api');
  sdk: typeof import('@opentelemetry/sdk-trace-base');
  exporter: typeof import('@opentelemetry/exporter-trace-otlp-http');
  resources: typeof import('@opentelemetry/resources');
}> {
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, sdk, exporter, resources };
}

type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

/** Sends the work that is published on the channel as spans. At most 2,048 are queued; more are dropped, and nothing waits for them. */
class Tracing implements AsyncDisposable {
  readonly #api: Libraries['api'];
  readonly #provider: InstanceType<Libraries['sdk']['BasicTracerProvider']>;
  readonly #contexts = new AsyncLocalStorage<Context>();
  readonly #spans = new WeakMap<TracedWork, Span>();
  readonly #channel = tracingChannel<unknown, TracedWork>(workChannel);
  readonly #ends = {
    error: (work: TracedWork & { readonly error: unknown }): void => this.#fail(work, work.error),
    asyncEnd: (work: TracedWork): void => this.#end(work),
  };

  constructor({ api, sdk, exporter, resources }: Libraries, endpoint: string, service: string) {
    this.#api = api;
    const named = resources.resourceFromAttributes({ 'service.name': service, 'service.version': packageVersion() });
    const detected = resources.detectResources({ detectors: [resources.envDetector] });
    const spanProcessors = [
      new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url: `${endpoint}/v1/traces` })),
    ];
    this.#provider = new sdk.BasicTracerProvider({ resource: named.merge(detected), spanProcessors });
    this.#channel.start.bindStore(this.#contexts, (work) => this.#begin(work));
    this.#channel.error.subscribe(this.#ends.error as never);
    this.#channel.asyncEnd.subscribe(this.#ends.asyncEnd as never);
  }

  #parentOf({ parent }: TracedWork): Context {
    const { ROOT_CONTEXT, TraceFlags, trace } = this.#api;
    const own = this.#contexts.getStore();
    if (own !== undefined || parent === undefined) return own ?? ROOT_CONTEXT;
    const [, traceId = '', spanId = '', flags = '00'] =
      /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent) ?? [];
    const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }

  #begin(work: TracedWork): Context {
    const { SpanKind, trace } = this.#api;
    const kinds = { client: SpanKind.CLIENT, server: SpanKind.SERVER };
    const kind = work.kind === undefined ? SpanKind.INTERNAL : kinds[work.kind];
    const parent = this.#parentOf(work);
    const span = this.#provider.getTracer('longshore', packageVersion()).startSpan(work.name, { kind }, parent);
    this.#spans.set(work, span);
    return trace.setSpan(parent, span);
  }

  /** Waiting for something is no fault. */
  #fail(work: TracedWork, thrown: unknown): void {
    if (thrown instanceof WaitingError) return;
    const message = errorMessage(thrown).slice(0, maxMessageCharacters);
    this.#spans.get(work)?.setStatus({ code: this.#api.SpanStatusCode.ERROR, message });
  }

  #end(work: TracedWork): void {
    const span = this.#spans.get(work);
    span?.setAttributes(work.attributes);
    span?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#channel.start.unbindStore(this.#contexts);
    this.#channel.error.unsubscribe(this.#ends.error as never);
    this.#channel.asyncEnd.unsubscribe(this.#ends.asyncEnd as never);
    // Whether the last spans arrive is not worth a failure, nor a long wait.
    const sent = this.#provider.shutdown().catch(() => undefined);
    await Promise.race([sent, pause(flushMs, undefined, { ref: false })]);
  }
}

/** The message of a failure that the library reports, as JSON or as text; bounded. */
export function exporterMessage(text: string): string {
  let answer: unknown;
  try {
    answer = parseJson('traces', text);
  } catch {
    answer = undefined;
  }
  const message = isJsonObject(answer) && typeof answer['message'] === 'string' ? answer['message'] : text;
  return message.slice(0, maxMessageCharacters);
}

/** Sends traces until it is disposed; faults of the receiver are logged and stop nothing. Without an endpoint it loads and does nothing. */
export async function startTracing({ endpoint, service, log }: TracingOptions): Promise<AsyncDisposable> {
  if (endpoint === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const libraries = await loadLibraries();
  let reported = '';
  const report = (text: string): void => {
    const message = exporterMessage(text);
    if (message !== reported) log.warn({ endpoint, message }, 'traces rejected and dropped');
    reported = message;
  };
  const silent = (): void => undefined;
  const { diag, DiagLogLevel } = libraries.api;
  const logger = { error: report, warn: report, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return new Tracing(libraries, endpoint, service);
}
