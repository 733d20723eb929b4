import type { SessionCodec } from '#adapters/http/auth/session-token.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { viewerOf, type AskedPage } from './page.ts';

export type Codec = Pick<SessionCodec, 'csrfToken'>;
export type PublicPage = (asked: AskedPage) => Promise<Html | undefined>;

/** A page for strangers: no action, a way to sign in, and no way to where only members come. */
export function publicLayout(
  { request }: AskedPage,
  codec: Codec,
  parts: { title: string; above?: { name: string; url: string }[]; events?: string; main: Html },
): Html {
  const { main, ...more } = parts;
  return layout({
    ...more,
    viewer: viewerOf(request, codec),
    signIn: request.url,
    main: html`${main}
      <p>
        <span class="help">This is what everybody may see. Members of the team see more of it.</span>
      </p>`,
  });
}
