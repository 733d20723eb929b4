import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';

/** The page that shows the OpenAPI document. It is rendered at the first request. */
export function openApiPage(): Route[] {
  let text = '';
  return [
    route({
      method: 'GET',
      url: '/openapi',
      needs: 'nothing',
      about: 'This API as a page.',
      schema: { response: { 200: { content: { 'text/html': { schema: Type.String() } } } } },
      handler: async (request, reply) => {
        text ||= renderDocument(request.server.swagger()).text;
        return reply.type('text/html; charset=utf-8').serializer(String).send(text);
      },
    }),
  ];
}

/** Renders a description: text between backticks becomes code, and a link becomes its text. */
function prose(text: string): Html[] {
  const parts = text.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, '$1').split('`');
  return parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

interface Operation {
  description?: string;
  parameters?: readonly {
    name?: string;
    in?: string;
    required?: boolean;
    description?: string;
    schema?: unknown;
  }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
}

function renderDocument({ info, paths = {} }: { info?: { version?: string }; paths?: object }): Html {
  const operations = Object.entries<object>({ ...paths }).flatMap(([path, methods]) =>
    Object.entries<Operation>({ ...methods }).map(([method, details]) => ({ method, path, details })),
  );
  return layout({
    title: 'The API',
    main: html`<h1>The API</h1>
      <p>
        Version ${info?.version}. Programs read <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
        Errors are <code>application/problem+json</code> with a stable <code>type</code>. Send a token as
        <code>Authorization: Bearer …</code>.
      </p>
      ${operations.map(operationSection)}`,
  });
}

function operationSection({
  method,
  path,
  details,
}: {
  method: string;
  path: string;
  details: Operation;
}): Html {
  const { description, parameters = [], requestBody, responses = {} } = details;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  return html`<details class="operation">
    <summary><code>${method.toUpperCase()} ${path}</code><span>${prose(description ?? '')}</span></summary>
    ${
      parameters.length > 0 &&
      html`<h2>Parameters</h2>
        <ul>
          ${parameters.map(
            ({ name, in: location, required = false, schema }) =>
              html`<li>
                <code>${name}</code> in ${location}${required && ', required'}:
                <code>${JSON.stringify(schema)}</code>
              </li>`,
          )}
        </ul>`
    }
    ${
      body !== undefined &&
      html`<h2>Body</h2>
        <pre tabindex="0">${JSON.stringify(body, null, 1)}</pre>`
    }
    ${Object.entries(responses).map(([code, { content = {} }]) => {
      const [[type, { schema }] = ['', {}]] = Object.entries(content);
      return html`<h2>${code} ${type}</h2>
        ${schema !== undefined && html`<pre tabindex="0">${JSON.stringify(schema, null, 1)}</pre>`}`;
    })}
  </details>`;
}
