import { Type } from 'typebox';

/** The response of every route that streams. */
export const Events = {
  200: { content: { 'text/event-stream': { schema: Type.Unsafe<string>({ type: 'string' }) } } },
};
