import type { SessionCodec } from '#adapters/http/auth/session-token.ts';
import type { PageScript } from './assets.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { viewerOf, type PageRequest } from './page.ts';

export type Codec = Pick<SessionCodec, 'csrfToken'>;
export type PublicPage = (pageRequest: PageRequest) => Promise<Html | undefined>;

/**
 * The layout of a page for the public, with a link to sign in. `main` must have no actions, and no links that
 * only members can open.
 */
export function publicLayout(
  { request }: PageRequest,
  codec: Codec,
  parts: {
    title: string;
    breadcrumbs?: { name: string; url: string }[];
    events?: string;
    script?: PageScript;
    main: Html;
  },
): Html {
  const { main, ...layoutParts } = parts;
  return layout({
    ...layoutParts,
    viewer: viewerOf(request, codec),
    returnAfterSignIn: request.url,
    main: html`${main}
      <p>
        <span class="help">This is what the public may see. Members of the team see more.</span>
      </p>`,
  });
}
