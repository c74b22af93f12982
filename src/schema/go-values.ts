import { goQuote, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

/** A value as Go prints it in messages, without quotes, unlike a text. */
export interface GoValue {
  readonly goSyntax: string;
}

/** Whether a value is printed without quotes. */
export function isGoValue(value: unknown): value is GoValue {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'goSyntax');
}

/** A literal of Go, such as `"must be"` gives for the `%#v` of a struct that has no form in JSON. */
export function goLiteral(text: string): GoValue {
  return { goSyntax: text };
}

function quoted(value: JsonValue | undefined): string {
  return goQuote(typeof value === 'string' ? value : '');
}

function mapSyntax(map: JsonObject | undefined): string {
  if (map === undefined) return 'map[string]string(nil)';
  const entries = Object.keys(map)
    .toSorted()
    .map((key) => `${quoted(key)}:${quoted(map[key])}`);
  return `map[string]string{${entries.join(', ')}}`;
}

function listSyntax(list: readonly JsonValue[] | undefined): string {
  return list === undefined ? '[]string(nil)' : `[]string{${list.map(quoted).join(', ')}}`;
}

/** `map[string]string{"a":"b"}`; an absent map is `map[string]string(nil)`. */
export function goTextMap(map: JsonObject | undefined): GoValue {
  return goLiteral(mapSyntax(map));
}

/** `[]string{"a", "b"}` */
export function goTextList(list: readonly JsonValue[] | undefined): GoValue {
  return goLiteral(listSyntax(list));
}

/** `intstr.IntOrString{Type:0, IntVal:1, StrVal:""}`; absent counts as 0. */
export function goIntOrString(value: JsonValue | undefined): GoValue {
  const isText = typeof value === 'string';
  const number = typeof value === 'number' ? value : 0;
  return goLiteral(`intstr.IntOrString{Type:${isText ? 1 : 0}, IntVal:${number}, StrVal:${quoted(value)}}`);
}

function requirementSyntax(requirement: JsonValue): string {
  const { key, operator, values } = isJsonObject(requirement) ? requirement : {};
  const list = listSyntax(Array.isArray(values) ? values : undefined);
  return `v1.LabelSelectorRequirement{Key:${quoted(key)}, Operator:${quoted(operator)}, Values:${list}}`;
}

/** `v1.LabelSelector{MatchLabels:…, MatchExpressions:…}`; an absent selector is `null`. */
export function goLabelSelector(selector: JsonObject | undefined): GoValue {
  if (selector === undefined) return goLiteral('"null"');
  const { matchLabels, matchExpressions } = selector;
  const labels = mapSyntax(isJsonObject(matchLabels) ? matchLabels : undefined);
  const type = '[]v1.LabelSelectorRequirement';
  const expressions = Array.isArray(matchExpressions)
    ? `${type}{${matchExpressions.map(requirementSyntax).join(', ')}}`
    : `${type}(nil)`;
  return goLiteral(`v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:${expressions}}`);
}

/** `(*bool)(nil)`, or a pointer to somewhere. */
export function goPointer(type: string, isSet: boolean): string {
  return `(*${type})${isSet ? '(0xc000000000)' : '(nil)'}`;
}
