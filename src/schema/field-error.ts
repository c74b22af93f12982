/** One violated rule; prints as `<field>: <message>`. `message` is the body without the field (`Invalid value: "x": …`).
 *  @see kube-apiserver, metav1.StatusCause */
export interface FieldError {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'InternalError';
  readonly message: string;
}
