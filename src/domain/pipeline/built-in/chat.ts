import { builtInCommand, builtInScript } from './built-in-script.ts';
import { defaultMessage } from './default-message.ts';

interface Chat {
  /** The maximum number of characters in a message. */
  maxCharacters: number;
  /**
   * A jq expression for the body of the request. `.` is the message, and `$written` the text that the author
   * of the pipeline wrote.
   */
  body: string;
}

/*
 * Only mentions in the text that the pipeline's author wrote ping people. Mentions in values that are filled
 * in, such as the name of a branch, ping nobody. Discord allows @everyone and @here only together, so an
 * invisible space breaks the one of the two that the author did not write.
 */
const SLACK: Chat = {
  maxCharacters: 30_000,
  body: `
    ([$written | match("<[!@][^<>]*>"; "g").string]) as $allowed
    | gsub("(?<tag><[!@][^<>]*>)"; if .tag | IN($allowed[]) then .tag else "&lt;" + .tag[1:] end)
    | {text: .}`,
};

const DISCORD: Chat = {
  maxCharacters: 1990,
  body: `
    ([$written | match("@(everyone|here)"; "g").string]) as $allowed
    | (if $allowed == [] then .
       else gsub("(?<tag>@(everyone|here))"; if .tag | IN($allowed[]) then .tag else "@\\u200b" + .tag[1:] end) end)
    | {content: .[0:2000], allowed_mentions: {
      parse: (if $allowed == [] then [] else ["everyone"] end),
      users: ([$written | match("<@!?([0-9]+)>"; "g").captures[0].string] | unique | .[0:100]),
      roles: ([$written | match("<@&([0-9]+)>"; "g").captures[0].string] | unique | .[0:100])}}`,
};

/*
 * The script of the types chatone (Slack) and chattwo (Discord). The webhook's URL is a secret: curl reads it
 * from its standard input, so it is in no argument list.
 */
const script = ({ maxCharacters, body }: Chat): string =>
  builtInScript(`
fail() { printf 'chat: %s\\n' "$1" >&2; exit 1; }
case \${param_webhook_url-} in
  https://* | http://*) ;;
  *) fail 'the parameter webhook_url is not a URL' ;;
esac

${defaultMessage}
message=\${NOTIFY_MESSAGE-}
if [ -z "$message" ]; then
  message=$(default_message)
  if [ -n "$link" ]; then message="$message - $link"; fi
fi

body=$private/body
printf '%s' "$message" |
  jq -Rs --arg written "\${NOTIFY_TEMPLATE-}" '.[0:${maxCharacters}] | ${body.trim()}' >"$body"
printf 'url = "%s"\\n' "$(printf '%s' "$param_webhook_url" | tr -d '\\r\\n' | sed 's/[\\\\"]/\\\\&/g')" |
  curl -q --config - --fail-with-body --silent --show-error --max-time 30 --retry 2 --max-redirs 0 \\
    --proto '=https,http' --header 'Content-Type: application/json' --data-binary "@$body" >&2
`);

/** A notification type that sends its message to an incoming webhook of a chat. */
export const chat = (name: 'chatone' | 'chattwo'): string => `
notification_type "${name}" {
  params = ["webhook_url", "base_url"]
  notify "shell" {
    cmd = ${builtInCommand(chatScripts[name])}
  }
}
`;

export const chatScripts = { chatone: script(SLACK), chattwo: script(DISCORD) };
