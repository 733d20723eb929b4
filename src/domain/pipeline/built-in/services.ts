import { heredoc } from './heredoc.ts';

/*
 * Services that come with Millrace, each in the official image of its maker. All parameters are optional. The
 * containers belong to the build's Pod: every step reaches the port at localhost. `stop` is empty, because
 * the containers end with the Pod.
 */
interface Service {
  name: string;
  params: readonly string[];
  image: string;
  start: string;
  ready: string;
  /** How long a slow machine may take until the service is ready. */
  timeout?: string;
}

/** The text as a string of HCL, in which `${` begins no template. */
const hclString = (text: string): string => JSON.stringify(text).replaceAll('${', () => '$${');

const definition = ({ name, params, image, start, ready, timeout = '120s' }: Service): string => `
service_type "${name}" {
  params = [${params.map((param) => JSON.stringify(param)).join(', ')}]
  start "docker" {
    image = ${hclString(image)}
    cmd   = ${heredoc(start)}
  }
  stop "exec" {}
  ready_check "docker" {
    image   = ${hclString(image)}
    cmd     = ${heredoc(ready)}
    timeout = "${timeout}"
  }
}
`;

const serviceList: readonly Service[] = [
  {
    name: 'kafka',
    params: ['version', 'port'],
    image: 'apache/kafka:${param_version:-4.1.0}',
    start: `
port=\${param_port:-9092}
export KAFKA_NODE_ID=1 KAFKA_PROCESS_ROLES=broker,controller KAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER
export KAFKA_LISTENERS="PLAINTEXT://:$port,CONTROLLER://:$((port + 1))"
export KAFKA_ADVERTISED_LISTENERS="PLAINTEXT://localhost:$port"
export KAFKA_CONTROLLER_QUORUM_VOTERS="1@localhost:$((port + 1))"
export KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
export KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=1 KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS=0
export KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR=1 KAFKA_TRANSACTION_STATE_LOG_MIN_ISR=1
exec /etc/kafka/docker/run
`,
    ready: `
/opt/kafka/bin/kafka-topics.sh --bootstrap-server "localhost:\${param_port:-9092}" --list
`,
  },
  {
    name: 'keycloak',
    params: ['version', 'port', 'admin', 'password'],
    image: 'keycloak/keycloak:${param_version:-26.4}',
    start: `
export KC_BOOTSTRAP_ADMIN_USERNAME="\${param_admin:-admin}" KC_BOOTSTRAP_ADMIN_PASSWORD="\${param_password:-admin}"
exec /opt/keycloak/bin/kc.sh start-dev --http-port="\${param_port:-8080}" --health-enabled=true
`,
    ready: `
exec bash -ec 'exec 3<>/dev/tcp/localhost/9000
  printf "GET /health/ready HTTP/1.0\\\\r\\\\nHost: localhost\\\\r\\\\n\\\\r\\\\n" >&3
  read -r answer <&3
  case $answer in *" 200 "*) ;; *) exit 1 ;; esac'
`,
    timeout: '300s',
  },
  {
    name: 'mariadb',
    params: ['version', 'port', 'root_password'],
    image: 'mariadb:${param_version:-11.8}',
    start: `
export MARIADB_ROOT_PASSWORD="\${param_root_password:-mariadb}"
exec docker-entrypoint.sh mariadbd --port="\${param_port:-3306}"
`,
    ready: `
export MYSQL_PWD="\${param_root_password:-mariadb}"
mariadb-admin ping --silent --protocol=tcp --host=127.0.0.1 --port="\${param_port:-3306}" --user=root
`,
  },
  {
    name: 'nats',
    params: ['version', 'port'],
    image: 'nats:${param_version:-2.12}-alpine',
    start: `
exec nats-server --addr 0.0.0.0 --port "\${param_port:-4222}" --http_port 8222 --jetstream
`,
    ready: `
wget -q -O /dev/null http://127.0.0.1:8222/healthz
`,
  },
  {
    name: 'postgresql',
    params: ['version', 'port', 'password'],
    image: 'postgres:${param_version:-18}',
    start: `
export POSTGRES_PASSWORD="\${param_password:-postgres}"
exec docker-entrypoint.sh postgres -p "\${param_port:-5432}"
`,
    ready: `
pg_isready --quiet --host=127.0.0.1 --port="\${param_port:-5432}" --username=postgres
`,
  },
  {
    name: 'rabbitmq',
    params: ['version', 'port'],
    image: 'rabbitmq:${param_version:-4.2}',
    start: `
export RABBITMQ_NODE_PORT="\${param_port:-5672}"
exec docker-entrypoint.sh rabbitmq-server
`,
    ready: `
rabbitmq-diagnostics --quiet check_port_connectivity
`,
  },
  {
    name: 'redis',
    params: ['version', 'port'],
    image: 'redis:${param_version:-8.2}',
    start: `
exec docker-entrypoint.sh redis-server --port "\${param_port:-6379}"
`,
    ready: `
answer=$(redis-cli -h 127.0.0.1 -p "\${param_port:-6379}" ping)
[ "$answer" = PONG ]
`,
  },
  {
    name: 'vault',
    params: ['version', 'port', 'root_token'],
    image: 'hashicorp/vault:${param_version:-1.20}',
    start: `
export VAULT_DEV_ROOT_TOKEN_ID="\${param_root_token:-root}" SKIP_SETCAP=1
export VAULT_DEV_LISTEN_ADDRESS="0.0.0.0:\${param_port:-8200}"
exec docker-entrypoint.sh server -dev
`,
    ready: `
VAULT_ADDR="http://127.0.0.1:\${param_port:-8200}" vault status >/dev/null
`,
  },
];

/** The definitions by name. */
export const services: ReadonlyMap<string, string> = new Map(
  serviceList.map((service) => [service.name, definition(service)]),
);
