/** Scenarios whose differences are not explained yet, and in what they differ. Each is a defect of Longshore until it is. */
export const openScenarios: Readonly<Record<string, string>> = {
  'C-053': 'Events are missing when many operators are installed at once',
  'E-012b': 'a Warning about a ClusterRole that is about to be collected',
  'E-023': 'Events are missing when many operators are installed at once',
  'E-025': 'a Deployment that is scaled leaves Succeeded for a moment',
  'E-051': 'what an operator of another package took over stays a component of the first',
  I4: 'an operator with an APIService whose Deployment was scaled to zero stays Installing',
  'I9a-E021': 'Events are missing when many operators are installed at once',
  'T36-E020': 'Events are missing when many operators are installed at once',
  'T42-T27': 'Events are missing when many operators are installed at once',
};
