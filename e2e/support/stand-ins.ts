/*
 * The pipeline of every construct names hosts, images and programs that no cluster has. Its end-to-end test
 * replaces these and changes nothing else.
 */

/** The image of the steps; it has git, jq, curl and a shell. */
const IMAGE = `localhost/millrace:${process.env['IMAGE_TAG'] ?? 'dev'}`;

interface Outside {
  /** URL of a git server that has the repositories shop.git and docs.git. */
  forge: string;
  /** Host and port of everything else. */
  server: string;
}

const hosts = ({ forge, server }: Outside): Record<string, string> => ({
  'https://git.example.org/shop/': `${forge}/`,
  '"registry.example.org/shop"': `"${server}/shop"`,
  'https://$param_repository/tags': 'http://$param_repository/tags',
  'https://keychain.example.org': `http://${server}`,
  'https://pager.example.org': `http://${server}`,
  'https://${each.value}.shop.example.org': `http://${server}/\${each.value}`,
  'registry.example.org/tools/skopeo:1.18': IMAGE,
  'docker.io/library/golang:1.26': IMAGE,
  'docker.io/curlimages/curl:8.17.0': IMAGE,
});

/** Programs that the image lacks → scripts in the repositories, or commands that the image has. */
const programs: Record<string, string> = {
  'go test ./...': '../../bin/go test ./...',
  '"python3"': '"shop/bin/python3"',
  'make -C shop': 'shop/bin/make -C shop',
  'make -C docs': 'docs/bin/make -C docs',
  'skopeo copy': 'echo skopeo copy',
  'mobile/sign': 'echo mobile/sign',
  'pg_ctl --pgdata \\"$WORKDIR/.database\\" start': 'echo version $param_version; touch .database',
  'pg_ctl --pgdata \\"$WORKDIR/.database\\" stop': 'rm .database',
  '"pg_isready"': '"test"\n    args     = ["-e", ".database"]',
};

/**
 * The installation of the tests has no external URL, so it issues no identity tokens. identity.test.ts tests
 * identity tokens.
 */
const withoutIssuer = { '  identity "cloud" {\n    audience = "sts.amazonaws.com"\n  }\n\n': '' };

/** Replaces what no cluster has. Throws if the text does not contain something that should be replaced. */
export function withStandIns(text: string, outside: Outside): string {
  return Object.entries({ ...hosts(outside), ...programs, ...withoutIssuer }).reduce(
    (replaced, [from, to]) => {
      if (!replaced.includes(from)) throw new Error(`config/samples/everything.hcl has no ${from}`);
      return replaced.replaceAll(from, () => to);
    },
    text,
  );
}

const script = (body: string): string => `#!/bin/sh -e\n${body}\n`;

/** The files of the repository of the shop, by path. Paths below `bin`, and `deploy`, are programs. */
export const SHOP: Readonly<Record<string, string>> = {
  'services/cart/main.go': 'package cart\n',
  'services/catalog/main.go': 'package catalog\n',
  'services/payment/main.go': 'package payment\n',
  'scripts/licences.sh': 'echo all licences are known\n',
  'bin/go': script('echo "go $*" with $GOFLAGS'),
  'bin/python3': script('ls "$WORKDIR/.database" >/dev/null; echo "python3 $*"'),
  'bin/make': script('echo "make $*"; mkdir -p out'),
  deploy: script('echo "deploy $*"; [ "$1" != --blue-green ]'),
};

export const DOCS: Readonly<Record<string, string>> = {
  'index.md': '# Shop\n',
  'bin/make': script('echo "make $*"; [ "$3" = spelling ] || echo language=en >>"$SVC_OUTPUT"'),
};
