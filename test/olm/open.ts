/** Scenarios whose differences are not explained yet, and in what they differ. Each is a defect of Longshore until it is. */
export const openScenarios: Readonly<Record<string, string>> = {};
