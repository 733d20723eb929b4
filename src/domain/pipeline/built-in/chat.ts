export const chat = (name: string): string =>
  `notification_type "${name}" {\n  params = ["webhook_url", "base_url"]\n  notify "shell" {\n    cmd = "true"\n  }\n}\n`;
