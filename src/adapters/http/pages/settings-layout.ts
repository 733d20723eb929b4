import { html, type Html } from './html.ts';
import { layout, type Viewer } from './layout.ts';
import { teamBreadcrumbs } from './paths.ts';

interface Section {
  name: string;
  url: string;
}

export const settingsPath = (team: string): string => `/teams/${encodeURIComponent(team)}`;

const teamSections = (team: string): Section[] => {
  const base = settingsPath(team);
  return [
    { name: 'General', url: `${base}/settings` },
    { name: 'Members', url: `${base}/members` },
    { name: 'Secrets', url: `${base}/secrets` },
    { name: 'Audit log', url: `${base}/audit` },
  ];
};

/** The sections for global admins. */
const INSTALLATION_SECTIONS: readonly Section[] = [
  { name: 'Teams', url: '/admin/teams' },
  { name: 'Accounts', url: '/users' },
  { name: 'Sign-in', url: '/admin/oauth-providers' },
  { name: 'Audit log', url: '/admin/audit' },
];

interface SettingsParts {
  title: string;
  /** Name of the current section. */
  section: string;
  viewer: Viewer | undefined;
  main: Html;
}

/** A page of the settings of a team, with links to the other pages of its settings. */
export function teamSettingsLayout({
  team,
  displayName = team,
  ...parts
}: SettingsParts & { team: string; displayName?: string; parent?: Section }): Html {
  const { parent } = parts;
  return layoutWithSections({
    ...parts,
    breadcrumbs: [...teamBreadcrumbs(team), ...(parent === undefined ? [] : [parent])],
    sections: teamSections(team),
    navigationLabel: `Settings of ${displayName}`,
  });
}

/** A page of the settings of the installation, with links to the other ones. Only for global admins. */
export function installationSettings(parts: SettingsParts & { parent?: Section }): Html {
  const { parent } = parts;
  const breadcrumbs = [{ name: 'Installation', url: '/admin' }, ...(parent === undefined ? [] : [parent])];
  return layoutWithSections({
    ...parts,
    breadcrumbs,
    sections: INSTALLATION_SECTIONS,
    navigationLabel: 'Installation',
  });
}

function layoutWithSections(
  parts: SettingsParts & { breadcrumbs: Section[]; sections: readonly Section[]; navigationLabel: string },
): Html {
  const { title, viewer, breadcrumbs, sections, section, navigationLabel, main } = parts;
  return layout({
    title,
    viewer,
    breadcrumbs,
    main: html`<h1>${title}</h1>
      <nav aria-label="${navigationLabel}" class="team-sections">
        <ul>
          ${sections.map(
            ({ name, url }) =>
              html`<li>
                <a href="${url}" ${name === section && html` aria-current="page"`}>${name}</a>
              </li>`,
          )}
        </ul>
      </nav>
      ${main}`,
  });
}
