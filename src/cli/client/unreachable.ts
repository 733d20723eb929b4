import { isNativeError } from 'node:util/types';
import { CommandError } from '#cli/terminal.ts';

/** The server sent no response, broke it off, or does not answer like a Millrace gateway. */
export class Unreachable extends CommandError {}

/** Explains a failed connection by the error codes of sockets and certificates. */
export function toUnreachable(url: string, error: unknown): Unreachable {
  const codes = codesOf(error);
  const reason = codes.map((code) => REASONS[code]).find((text) => text !== undefined);
  return new Unreachable(`${url} cannot be reached: ${reason ?? codes[0] ?? innermostMessage(error)}`);
}

function innermostMessage(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  return error.cause === undefined ? error.message : innermostMessage(error.cause);
}

const UNKNOWN_SIGNER =
  "this machine does not trust the issuer of the server's certificate. " +
  "If you trust the issuer, pass the issuer's certificate with --ca-file.";

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused. Check the address and the port, and that Millrace runs there.',
  ENOTFOUND: 'no such host. Check the address.',
  EAI_AGAIN: 'its name cannot be resolved at the moment. Check your network.',
  ECONNRESET: 'it closed the connection. It may be restarting: try again in a minute.',
  UND_ERR_SOCKET: 'it closed the connection. It may be restarting: try again in a minute.',
  EHOSTUNREACH: 'no route to it. Check your network, such as a VPN.',
  ENETUNREACH: 'no route to it. Check your network, such as a VPN.',
  ETIMEDOUT: 'it did not answer in time. Check your network.',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time. Check your network.',
  TimeoutError: 'it did not answer in time. Check your network.',
  AbortError: 'it did not answer in time. Check your network.',
  CERT_HAS_EXPIRED: "the server's certificate has expired. Ask whoever runs the server to renew it.",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another name. Check the address.",
  EPROTO: 'it does not speak TLS. Check the port.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS. Check the port.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS. Check the port.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_SIGNER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_SIGNER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_SIGNER,
};

/** Codes of the error, of its causes, and of each address that was tried. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [];
  const { code, name, errors, cause }: Record<string, unknown> = fieldsOfError(error);
  const ownCodes: string[] = [];
  if (typeof code === 'string') ownCodes.push(code);
  // Most names of errors, such as TypeError, do not say what happened.
  if (typeof name === 'string' && name in REASONS) ownCodes.push(name);
  const codesOfAddresses = Array.isArray(errors) ? errors.flatMap((inner) => codesOf(inner, depth + 1)) : [];
  return [...ownCodes, ...codesOfAddresses, ...codesOf(cause, depth + 1)];
}

/** The fields that can lead to a code. `Reflect.get` also finds non-enumerable fields. */
function fieldsOfError(error: object): Record<string, unknown> {
  return Object.fromEntries(
    ['code', 'name', 'errors', 'cause'].map((key): [string, unknown] => [key, Reflect.get(error, key)]),
  );
}
