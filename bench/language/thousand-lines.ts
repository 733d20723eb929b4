/**
 * A pipeline of 100 job blocks, as a user with many services would write it, filled up with comments to 1,000
 * lines. Ten of the blocks create three jobs each.
 */
export function thousandLines(): string {
  const head = `
variable "registry" {
  type    = string
  default = "registry.example.com/team"
}

variable "services" {
  type    = map(string)
  default = { api = "8080", web = "3000", worker = "9000" }
}

variable "token" {
  type = string
}

resource "git" "app" {
  params {
    url   = "https://example.com/team/app.git"
    name  = "app"
    token = var.token
  }
  check_interval = "@every 1m"
}

resource "cron" "night" {
  check_interval = "0 3 * * *"
}

`;
  const jobs = Array.from({ length: 100 }, (_, index) => jobOf(index));
  const text = `${head.trimStart()}${jobs.join('')}`;
  const missingLines = 1000 - (text.split('\n').length - 1);
  if (missingLines < 0) throw new Error(`${-missingLines} lines too many`);
  return text + '# One more line.\n'.repeat(missingLines);
}

/**
 * The job block with this index. The blocks form ten chains of ten. The last block of a chain creates a job
 * for every service.
 */
function jobOf(index: number): string {
  const step = index % 10;
  const get = `  get "git" "app" { ${step === 0 ? 'trigger = true' : `passed = ["job-${index - 1}"]`} }\n`;
  if (step === 9) {
    const cmd = '      cmd = "deploy ${each.key} --port ${each.value} --token ${var.token}"\n';
    const task = `  task "deploy" {\n    run "shell" {\n${cmd}    }\n  }\n`;
    return `job "job-${index}" {\n  for_each = var.services\n${get}${task}}\n`;
  }
  const image = `      image = "\${var.registry}/build:${index}"\n`;
  const cmd = `      cmd   = join(" && ", ["make test-${index}", "echo \${upper("done")} $BUILD_NUMBER"])\n`;
  return `job "job-${index}" {\n${get}  task "test" {\n    run "docker" {\n${image}${cmd}    }\n  }\n}\n`;
}
