import type { Clock, Logger } from '../src/base/index.ts';
import type { HoldWrite, ServiceResolver } from './admission/index.ts';
import type { ResourceType } from './core/index.ts';
import type { Manifest } from './manifests.ts';
import type { WebhookServerOptions } from './webhook-server.ts';

/** How to start a server. Nothing is required: then it is in memory, on a free loopback port. */
export interface ApiServerOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Keeps objects, certificates and tokens; one process at a time. Absent: in memory. */
  readonly dataDir?: string | undefined;
  /** CustomResourceDefinitions that are there, established, from the first request on. */
  readonly crds?: readonly Manifest[];
  /** Validating and MutatingWebhookConfigurations that are asked from the first request on. Where they name a Service, `webhookServer` is
   *  asked instead, for conversion of the `crds` too. */
  readonly webhooks?: readonly Manifest[];
  /** Who answers for webhooks. Default: a free loopback port, to be found with a certificate for it in `ApiServer.webhookServer`. */
  readonly webhookServer?: WebhookServerOptions;
  /** Where a Service is that webhooks are to be asked at. Default: at its Endpoints and EndpointSlices. */
  readonly resolveService?: ServiceResolver;
  /** Which writes wait until the webhook that validates them listens; asked from the first request on. Default: none. */
  readonly holdWrite?: HoldWrite | undefined;
  /** Resource types beside the built-in ones. */
  readonly extraTypes?: readonly ResourceType[];
  /** In which a client has to read a response, or what a watch begins with. Default 60 seconds. */
  readonly requestTimeoutMs?: number;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Whether workloads reach the status a healthy cluster would give them. Default true. */
  readonly simulation?: boolean;
  /** Where to write the kubeconfig, mode 0600. */
  readonly kubeconfigPath?: string | undefined;
  /** The admin's bearer token, instead of a random one. */
  readonly token?: string | undefined;
}
