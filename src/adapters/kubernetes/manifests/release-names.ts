/* Names of objects that the chart creates and the operator refers to. */

/** The operator binds both roles in the namespace of each team. */
export const CLUSTER_ROLES = {
  operator: (release: string) => `${release}-operator-team`,
  gateway: (release: string) => `${release}-gateway-team`,
};

export const SERVICE_ACCOUNTS = {
  operator: (release: string) => `${release}-operator`,
  gateway: (release: string) => `${release}-gateway-internal`,
};

export const webhookConfigurationOf = (release: string): string => `${release}-webhook`;
