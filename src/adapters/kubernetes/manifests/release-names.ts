/* Names of objects that the chart creates and the operator refers to. */

export const CLUSTER_ROLES = {
  /** Bound by the operator in each team namespace. */
  operator: (release: string) => `${release}-operator-team`,
  gateway: (release: string) => `${release}-gateway-team`,
};

export const SERVICE_ACCOUNTS = {
  operator: (release: string) => `${release}-operator`,
  gateway: (release: string) => `${release}-gateway-internal`,
};

export const webhookConfigurationOf = (release: string): string => `${release}-webhook`;
