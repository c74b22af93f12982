import { deny, noInputs, requireMember, type SourceDefinition } from './definition.ts';

export const uploadDefinition: SourceDefinition<'upload'> = {
  type: 'upload',
  address: () => undefined,
  inputs: noInputs,
  isUploaded: true,
  pin: () => undefined,
  describe: () => undefined,
  rules: { 'source-member': requireMember('upload', deny) },
};
