/**
 * A pipeline of 1,000 lines and 100 job blocks, as a user with many services would write it. Some blocks
 * create several jobs.
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
  const jobs = Array.from({ length: 100 }, (_, i) => jobOf(i));
  const text = `${head.trimStart()}${jobs.join('')}`;
  const missing = 1000 - (text.split('\n').length - 1);
  if (missing < 0) throw new Error(`${-missing} lines too many`);
  return text + '# The rest is silence.\n'.repeat(missing);
}

/** Ten chains of ten jobs each; in each chain one block creates a job for every service. */
function jobOf(i: number): string {
  const step = i % 10;
  const get = `  get "git" "app" { ${step === 0 ? 'trigger = true' : `passed = ["job-${i - 1}"]`} }\n`;
  if (step === 9) {
    const cmd = '      cmd = "deploy ${each.key} --port ${each.value} --token ${var.token}"\n';
    const task = `  task "deploy" {\n    run "shell" {\n${cmd}    }\n  }\n`;
    return `job "job-${i}" {\n  for_each = var.services\n${get}${task}}\n`;
  }
  const image = `      image = "\${var.registry}/build:${i}"\n`;
  const cmd = `      cmd   = join(" && ", ["make test-${i}", "echo \${upper("done")} $BUILD_NUMBER"])\n`;
  return `job "job-${i}" {\n${get}  task "test" {\n    run "docker" {\n${image}${cmd}    }\n  }\n}\n`;
}
