const params = 'params = ["app_id", "installation_id", "private_key", "repository", "base_url"]';
export const hostcheckNotification = `notification_type "hostcheck" {\n  ${params}\n  notify "shell" {\n    cmd = "true"\n  }\n}\n`;
export const hostcheckResource = `resource_type "hostcheck" {\n  ${params}\n  push "shell" {\n    cmd = "true"\n  }\n}\n`;
