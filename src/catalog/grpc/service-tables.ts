/** Messages and services of one `.proto` file. A field is `<number> <type>`: `[]` behind the number is a list, `|name` makes it one of
 *  those of that name. */
export interface ServiceTable {
  readonly file: string;
  readonly package: string;
  /** Files whose messages are used. */
  readonly imports?: readonly string[];
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  /** Service → method → the message it takes and the one it answers with; `stream ` before one that comes many times. */
  readonly services: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>>;
}

const api = { group: '1 string', version: '2 string', kind: '3 string', plural: '4 string' };
const typed = { type: '1 string', value: '2 string' };

/** What an operator registry serves. @see docs/spec/catalogs.md#grpc-api */
const registry: ServiceTable = {
  file: 'registry.proto',
  package: 'api',
  messages: {
    Channel: { name: '1 string', csvName: '2 string', deprecation: '3 Deprecation' },
    PackageName: { name: '1 string' },
    Package: {
      name: '1 string',
      channels: '2[] Channel',
      defaultChannelName: '3 string',
      deprecation: '4 Deprecation',
    },
    GroupVersionKind: api,
    Dependency: typed,
    Property: typed,
    Deprecation: { message: '1 string' },
    Bundle: {
      csvName: '1 string',
      packageName: '2 string',
      channelName: '3 string',
      csvJson: '4 string',
      object: '5[] string',
      bundlePath: '6 string',
      providedApis: '7[] GroupVersionKind',
      requiredApis: '8[] GroupVersionKind',
      version: '9 string',
      skipRange: '10 string',
      dependencies: '11[] Dependency',
      properties: '12[] Property',
      replaces: '13 string',
      skips: '14[] string',
      deprecation: '15 Deprecation',
    },
    ChannelEntry: { packageName: '1 string', channelName: '2 string', bundleName: '3 string', replaces: '4 string' },
    ListPackageRequest: {},
    ListBundlesRequest: {},
    GetPackageRequest: { name: '1 string' },
    GetBundleRequest: { pkgName: '1 string', channelName: '2 string', csvName: '3 string' },
    GetBundleInChannelRequest: { pkgName: '1 string', channelName: '2 string' },
    GetAllReplacementsRequest: { csvName: '1 string' },
    GetReplacementRequest: { csvName: '1 string', pkgName: '2 string', channelName: '3 string' },
    GetAllProvidersRequest: api,
    GetLatestProvidersRequest: api,
    GetDefaultProviderRequest: api,
  },
  services: {
    Registry: {
      ListPackages: ['ListPackageRequest', 'stream PackageName'],
      GetPackage: ['GetPackageRequest', 'Package'],
      GetBundle: ['GetBundleRequest', 'Bundle'],
      GetBundleForChannel: ['GetBundleInChannelRequest', 'Bundle'],
      GetChannelEntriesThatReplace: ['GetAllReplacementsRequest', 'stream ChannelEntry'],
      GetBundleThatReplaces: ['GetReplacementRequest', 'Bundle'],
      GetChannelEntriesThatProvide: ['GetAllProvidersRequest', 'stream ChannelEntry'],
      GetLatestChannelEntriesThatProvide: ['GetLatestProvidersRequest', 'stream ChannelEntry'],
      GetDefaultBundleThatProvides: ['GetDefaultProviderRequest', 'Bundle'],
      ListBundles: ['ListBundlesRequest', 'stream Bundle'],
    },
  },
};

const experimental: ServiceTable = {
  file: 'experimental_registry.proto',
  package: 'api',
  imports: ['google/protobuf/struct.proto'],
  messages: { ExperimentalListPackageCustomSchemasRequest: { schema: '1 string', packageName: '2 string' } },
  services: {
    ExperimentalRegistry: {
      ExperimentalListPackageCustomSchemas: [
        'ExperimentalListPackageCustomSchemasRequest',
        'stream google.protobuf.Struct',
      ],
    },
  },
};

/** @see https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
const health: ServiceTable = {
  file: 'grpc/health/v1/health.proto',
  package: 'grpc.health.v1',
  messages: { HealthCheckRequest: { service: '1 string' }, HealthCheckResponse: { status: '1 ServingStatus' } },
  enums: { ServingStatus: ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] },
  services: {
    Health: {
      Check: ['HealthCheckRequest', 'HealthCheckResponse'],
      Watch: ['HealthCheckRequest', 'stream HealthCheckResponse'],
    },
  },
};

/** Both versions have the same messages. @see https://github.com/grpc/grpc/blob/master/doc/server-reflection.md */
function reflection(version: string): ServiceTable {
  return {
    file: `grpc/reflection/${version}/reflection.proto`,
    package: `grpc.reflection.${version}`,
    messages: {
      ServerReflectionRequest: {
        host: '1 string',
        file_by_filename: '3|message_request string',
        file_containing_symbol: '4|message_request string',
        file_containing_extension: '5|message_request ExtensionRequest',
        all_extension_numbers_of_type: '6|message_request string',
        list_services: '7|message_request string',
      },
      ExtensionRequest: { containing_type: '1 string', extension_number: '2 int32' },
      ServerReflectionResponse: {
        valid_host: '1 string',
        original_request: '2 ServerReflectionRequest',
        file_descriptor_response: '4|message_response FileDescriptorResponse',
        all_extension_numbers_response: '5|message_response ExtensionNumberResponse',
        list_services_response: '6|message_response ListServiceResponse',
        error_response: '7|message_response ErrorResponse',
      },
      FileDescriptorResponse: { file_descriptor_proto: '1[] bytes' },
      ExtensionNumberResponse: { base_type_name: '1 string', extension_number: '2[] int32' },
      ListServiceResponse: { service: '1[] ServiceResponse' },
      ServiceResponse: { name: '1 string' },
      ErrorResponse: { error_code: '1 int32', error_message: '2 string' },
    },
    services: {
      ServerReflection: { ServerReflectionInfo: ['stream ServerReflectionRequest', 'stream ServerReflectionResponse'] },
    },
  };
}

/** Everything that is served over gRPC. */
export const serviceTables: readonly ServiceTable[] = [
  registry,
  experimental,
  health,
  reflection('v1'),
  reflection('v1alpha'),
];
