import { sql } from 'slonik';
import { ids, rows, textArray, type Transaction } from '#adapters/database/connection/pool.ts';
import type { DebugMessage, DebugTransaction } from '#flows/builds/debug-ports.ts';

/** Once the messages of one answer have this many characters together, the answer is complete. */
const MAX_CHARACTERS = 256 * 1024;

/** Stores the messages of a shell until the other side has confirmed that it received them. */
export function debugMessages(
  connection: Transaction,
): Pick<DebugTransaction, 'backlog' | 'append' | 'drop' | 'messages'> {
  return {
    backlog: async (session, direction) =>
      await connection.oneFirst(rows<{ size: number }>()`
        SELECT coalesce(sum(length(message)), 0)::integer AS size FROM debug_messages
        WHERE session_id = ${session} AND direction = ${direction}`),
    async append(session, direction, messages) {
      const numbers = messages.map(({ sequence }) => sequence);
      await connection.query(rows()`
        INSERT INTO debug_messages (session_id, direction, sequence, message)
        SELECT ${session}, ${direction}, sequence, message
        FROM unnest(${ids(numbers)}, ${textArray(messages.map(({ message }) => message))})
          AS appended(sequence, message)`);
      const column = direction === 'input' ? sql.fragment`last_input` : sql.fragment`last_output`;
      await connection.query(rows()`
        UPDATE debug_sessions SET ${column} = ${numbers.at(-1) ?? 0} WHERE id = ${session}`);
    },
    async drop(session, direction, upTo) {
      await connection.query(rows()`
        DELETE FROM debug_messages WHERE session_id = ${session} AND direction = ${direction} AND sequence <= ${upTo}`);
    },
    async messages(session, direction, after) {
      const found = await connection.any(rows<DebugMessage>()`
        SELECT sequence, message FROM (
          SELECT sequence, message, sum(length(message)) OVER (ORDER BY sequence) - length(message) AS before
          FROM debug_messages
          WHERE session_id = ${session} AND direction = ${direction} AND sequence > ${after}) AS waiting
        WHERE before < ${MAX_CHARACTERS} ORDER BY sequence`);
      return [...found];
    },
  };
}
