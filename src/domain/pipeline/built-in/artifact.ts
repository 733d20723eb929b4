export const artifact = 'resource_type "artifact" {}\n';
