const comparable = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const crossed: readonly (readonly [string, string, string])[] = [
  ['bool', 'bool', 'bool'],
  ['int', 'int', 'int64'],
  ['int', 'double', 'int64_double'],
  ['int', 'uint', 'int64_uint64'],
  ['uint', 'uint', 'uint64'],
  ['uint', 'double', 'uint64_double'],
  ['uint', 'int', 'uint64_int64'],
  ['double', 'double', 'double'],
  ['double', 'int', 'double_int64'],
  ['double', 'uint', 'double_uint64'],
  ['string', 'string', 'string'],
  ['bytes', 'bytes', 'bytes'],
  ['timestamp', 'timestamp', 'timestamp'],
  ['duration', 'duration', 'duration'],
];

const relations: readonly (readonly [string, string])[] = [
  ['_<_', 'less'],
  ['_<=_', 'less_equals'],
  ['_>_', 'greater'],
  ['_>=_', 'greater_equals'],
];

const relationLines = relations.flatMap(([operator, prefix]) =>
  crossed.map(([a, b, suffix]) => `${operator} ${prefix}_${suffix} (${a}, ${b}) bool`),
);

const timeParts: readonly (readonly [string, string])[] = [
  ['getFullYear', 'year'],
  ['getMonth', 'month'],
  ['getDayOfYear', 'day_of_year'],
  ['getDayOfMonth', 'day_of_month'],
  ['getDate', 'day_of_month_1_based'],
  ['getDayOfWeek', 'day_of_week'],
  ['getHours', 'hours'],
  ['getMinutes', 'minutes'],
  ['getSeconds', 'seconds'],
  ['getMilliseconds', 'milliseconds'],
];

const timeLines = timeParts.flatMap(([name, part], index) => [
  `${name} timestamp_to_${part} timestamp.() int`,
  `${name} timestamp_to_${part}_with_tz timestamp.(string) int`,
  ...(index < 6 ? [] : [`${name} duration_to_${part} duration.() int`]),
]);

const listLines = [
  ...comparable.map((type) => `isSorted list_${type}_is_sorted_bool list(${type}).() bool`),
  ...['int', 'uint', 'double', 'duration'].map((type) => `sum list_${type}_sum_${type} list(${type}).() ${type}`),
  ...comparable.map((type) => `max list_${type}_max_${type} list(${type}).() ${type}`),
  ...comparable.map((type) => `min list_${type}_min_${type} list(${type}).() ${type}`),
];

/** Operators, conversions and functions of the language itself, and what Kubernetes adds to lists. */
export const standardDeclarations: string = `
_?_:_ conditional (bool, A, A) A
_&&_ logical_and (bool, bool) bool
_||_ logical_or (bool, bool) bool
!_ logical_not (bool) bool
@not_strictly_false not_strictly_false (bool) bool
_==_ equals (A, A) bool
_!=_ not_equals (A, A) bool
_+_ add_bytes (bytes, bytes) bytes
_+_ add_double (double, double) double
_+_ add_duration_duration (duration, duration) duration
_+_ add_duration_timestamp (duration, timestamp) timestamp
_+_ add_timestamp_duration (timestamp, duration) timestamp
_+_ add_int64 (int, int) int
_+_ add_list (list(A), list(A)) list(A)
_+_ add_string (string, string) string
_+_ add_uint64 (uint, uint) uint
_/_ divide_double (double, double) double
_/_ divide_int64 (int, int) int
_/_ divide_uint64 (uint, uint) uint
_%_ modulo_int64 (int, int) int
_%_ modulo_uint64 (uint, uint) uint
_*_ multiply_double (double, double) double
_*_ multiply_int64 (int, int) int
_*_ multiply_uint64 (uint, uint) uint
-_ negate_double (double) double
-_ negate_int64 (int) int
_-_ subtract_double (double, double) double
_-_ subtract_duration_duration (duration, duration) duration
_-_ subtract_int64 (int, int) int
_-_ subtract_timestamp_duration (timestamp, duration) timestamp
_-_ subtract_timestamp_timestamp (timestamp, timestamp) duration
_-_ subtract_uint64 (uint, uint) uint
${relationLines.join('\n')}
_[_] index_list (list(A), int) A
_[_] index_map (map(A, B), A) B
_[_] optional_list_index_int (optional(list(V)), int) optional(V)
_[_] optional_map_index_value (optional(map(K, V)), K) optional(V)
@in in_list (A, list(A)) bool
@in in_map (A, map(A, B)) bool
size size_bytes (bytes) int
size bytes_size bytes.() int
size size_list (list(A)) int
size list_size list(A).() int
size size_map (map(A, B)) int
size map_size map(A, B).() int
size size_string (string) int
size string_size string.() int
type type (A) type(A)
bool bool_to_bool (bool) bool
bool string_to_bool (string) bool
bytes bytes_to_bytes (bytes) bytes
bytes string_to_bytes (string) bytes
double double_to_double (double) double
double int64_to_double (int) double
double string_to_double (string) double
double uint64_to_double (uint) double
duration duration_to_duration (duration) duration
duration int64_to_duration (int) duration
duration string_to_duration (string) duration
dyn to_dyn (A) dyn
int int64_to_int64 (int) int
int double_to_int64 (double) int
int duration_to_int64 (duration) int
int string_to_int64 (string) int
int timestamp_to_int64 (timestamp) int
int uint64_to_int64 (uint) int
string string_to_string (string) string
string bool_to_string (bool) string
string bytes_to_string (bytes) string
string double_to_string (double) string
string duration_to_string (duration) string
string int64_to_string (int) string
string timestamp_to_string (timestamp) string
string uint64_to_string (uint) string
string ip_to_string (ip) string
string cidr_to_string (cidr) string
timestamp timestamp_to_timestamp (timestamp) timestamp
timestamp int64_to_timestamp (int) timestamp
timestamp string_to_timestamp (string) timestamp
uint uint64_to_uint64 (uint) uint
uint double_to_uint64 (double) uint
uint int64_to_uint64 (int) uint
uint string_to_uint64 (string) uint
contains contains_string string.(string) bool
endsWith ends_with_string string.(string) bool
startsWith starts_with_string string.(string) bool
matches matches (string, string) bool
matches matches_string string.(string) bool
${timeLines.join('\n')}
${listLines.join('\n')}
indexOf list_a_index_of_int list(A).(A) int
lastIndexOf list_a_last_index_of_int list(A).(A) int
optional.of optional_of (V) optional(V)
optional.ofNonZeroValue optional_ofNonZeroValue (V) optional(V)
optional.none optional_none () optional(V)
value optional_value optional(V).() V
hasValue optional_hasValue optional(V).() bool
or optional_or_optional optional(V).(optional(V)) optional(V)
orValue optional_orValue_value optional(V).(V) V
_?._ select_optional_field (dyn, string) optional(V)
_[?_] list_optindex_optional_int (list(V), int) optional(V)
_[?_] optional_list_optindex_optional_int (optional(list(V)), int) optional(V)
_[?_] map_optindex_optional_value (map(K, V), K) optional(V)
_[?_] optional_map_optindex_optional_value (optional(map(K, V)), K) optional(V)
last list_last list(V).() optional(V)
first list_first list(V).() optional(V)
optional.unwrap optional_unwrap (list(optional(V))) list(V)
unwrapOpt optional_unwrapOpt list(optional(V)).() list(V)
cel.@mapInsert map_insert_key_value (map(K, V), K, V) map(K, V)
cel.@mapInsert map_insert_map (map(K, V), map(K, V)) map(K, V)
`;

/** Functions on texts, sets, addresses and other values that Kubernetes adds. */
export const extensionDeclarations: string = `
charAt string_char_at_int string.(int) string
indexOf string_index_of_string string.(string) int
indexOf string_index_of_string_int string.(string, int) int
lastIndexOf string_last_index_of_string string.(string) int
lastIndexOf string_last_index_of_string_int string.(string, int) int
lowerAscii string_lower_ascii string.() string
replace string_replace_string_string string.(string, string) string
replace string_replace_string_string_int string.(string, string, int) string
split string_split_string string.(string) list(string)
split string_split_string_int string.(string, int) list(string)
substring string_substring_int string.(int) string
substring string_substring_int_int string.(int, int) string
trim string_trim string.() string
upperAscii string_upper_ascii string.() string
format string_format string.(list(dyn)) string
strings.quote strings_quote (string) string
join list_join list(string).() string
join list_join_string list(string).(string) string
find string_find_string string.(string) string
findAll string_find_all_string string.(string) list(string)
findAll string_find_all_string_int string.(string, int) list(string)
sets.contains list_sets_contains_list (list(T), list(T)) bool
sets.equivalent list_sets_equivalent_list (list(T), list(T)) bool
sets.intersects list_sets_intersects_list (list(T), list(T)) bool
url string_to_url (string) url
getScheme url_get_scheme url.() string
getHost url_get_host url.() string
getHostname url_get_hostname url.() string
getPort url_get_port url.() string
getEscapedPath url_get_escaped_path url.() string
getQuery url_get_query url.() map(string, list(string))
isURL is_url_string (string) bool
ip string_to_ip (string) ip
ip cidr_ip cidr.() ip
family ip_family ip.() int
ip.isCanonical ip_is_canonical (string) bool
isUnspecified ip_is_unspecified ip.() bool
isLoopback ip_is_loopback ip.() bool
isLinkLocalMulticast ip_is_link_local_multicast ip.() bool
isLinkLocalUnicast ip_is_link_local_unicast ip.() bool
isGlobalUnicast ip_is_global_unicast ip.() bool
isIP is_ip (string) bool
cidr string_to_cidr (string) cidr
containsIP cidr_contains_ip_string cidr.(string) bool
containsIP cidr_contains_ip_ip cidr.(ip) bool
containsCIDR cidr_contains_cidr_string cidr.(string) bool
containsCIDR cidr_contains_cidr cidr.(cidr) bool
prefixLength cidr_prefix_length cidr.() int
masked cidr_masked cidr.() cidr
isCIDR is_cidr (string) bool
quantity string_to_quantity (string) quantity
isQuantity is_quantity_string (string) bool
sign quantity_sign (quantity) int
isGreaterThan quantity_is_greater_than quantity.(quantity) bool
isLessThan quantity_is_less_than quantity.(quantity) bool
compareTo quantity_compare_to quantity.(quantity) int
asApproximateFloat quantity_get_float quantity.() double
asInteger quantity_get_int quantity.() int
isInteger quantity_is_integer quantity.() bool
add quantity_add quantity.(quantity) quantity
add quantity_add_int quantity.(int) quantity
sub quantity_sub quantity.(quantity) quantity
sub quantity_sub_int quantity.(int) quantity
validate format-validate format.(string) optional(list(string))
format.named format-named (string) optional(format)
path authorizer_path authorizer.(string) pathCheck
group authorizer_group authorizer.(string) groupCheck
serviceAccount authorizer_serviceaccount authorizer.(string, string) authorizer
resource groupcheck_resource groupCheck.(string) resourceCheck
subresource resourcecheck_subresource resourceCheck.(string) resourceCheck
namespace resourcecheck_namespace resourceCheck.(string) resourceCheck
name resourcecheck_name resourceCheck.(string) resourceCheck
fieldSelector authorizer_fieldselector resourceCheck.(string) resourceCheck
labelSelector authorizer_labelselector resourceCheck.(string) resourceCheck
check pathcheck_check pathCheck.(string) decision
check resourcecheck_check resourceCheck.(string) decision
errored decision_errored decision.() bool
error decision_error decision.() string
allowed decision_allowed decision.() bool
reason decision_reason decision.() string
`;
