export const fs = 'resource_type "fs" {\n  params = ["path"]\n}\n';
