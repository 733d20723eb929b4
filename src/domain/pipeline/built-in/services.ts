export const services: Readonly<Record<string, string>> = {};
