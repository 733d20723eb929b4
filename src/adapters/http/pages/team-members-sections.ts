import type { GroupRole } from '#domain/access/group-roles.ts';
import { ROLES, type Role } from '#domain/access/roles.ts';
import type { Member, TeamView } from '#flows/people/ports.ts';
import { htmlTable, type Column } from './data-table.ts';
import { formProblem, options, selectField, textField, type Choice, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, scrolling, timeElement, type Viewer } from './layout.ts';
import { settingsPath } from './settings-layout.ts';

/** What a person entered on the page of members, and why it was refused. */
export interface MembersState {
  adding: FormState;
  group: FormState;
  /** A change of a member's role that was refused. */
  refused?: { username: string; role: string; message: string };
}

interface MembersParts {
  team: TeamView;
  members: readonly Member[];
  /** Enabled identity providers that report groups. */
  providers: readonly Choice[];
  viewer: Viewer | undefined;
  mayChange: boolean;
  state: MembersState;
}

const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: role }));
const ROLE_MEANINGS: Record<Role, string> = {
  read: 'see everything',
  write: 'also start, cancel and check',
  maintain: 'also approve, and change pipelines and secrets',
  admin: 'also change members and this team',
};
const EXPLAINED_ROLES = ROLES.map((role) => ({ value: role, label: `${role}: ${ROLE_MEANINGS[role]}` }));

export function membersMain(parts: MembersParts): Html {
  const { team, members, mayChange } = parts;
  const isManaged = team.byManifest.includes('members');
  const isEditable = mayChange && !isManaged;
  return html`${isManaged && managedNote(team.name, 'members', 'spec.members')}
  ${memberTable(parts, isEditable)} ${members.length === 0 && html`<p>This team has no members yet.</p>`}
  ${isEditable && addMemberForm(parts)} ${groupsSection(parts)}`;
}

/** A note that says why people cannot change a setting here, and where to change it. */
export function managedNote(team: string, setting: string, field: string): Html {
  return html`<p class="team-note">
    A manifest sets the ${setting} of this team. Change <code>${field}</code> of the Team object
    <code>${team}</code>, where your cluster's manifests are kept.
  </p>`;
}

function memberTable({ team, members, viewer, state }: MembersParts, isEditable: boolean): Html {
  if (members.length === 0) return html``;
  const buttons: Column<Member>[] = isEditable
    ? [
        {
          title: 'Remove',
          titleHidden: true,
          cell: ({ username, addedAt }) =>
            addedAt !== undefined &&
            action({
              url: `${memberPath(team.name, username)}/delete`,
              viewer,
              label: 'Remove',
              about: `Remove ${username}`,
            }),
        },
      ]
    : [];
  return scrolling(
    'Members',
    htmlTable(members, [
      {
        title: 'Member',
        cell: ({ username, fullName }) =>
          html`${username}${username === viewer?.name && html` <span class="tag">you</span>`}${
            fullName !== '' && html` <span class="help">${fullName}</span>`
          }`,
      },
      {
        title: 'Role',
        cell: (member) => (isEditable ? roleForm(team.name, member, viewer, state) : member.role),
      },
      { title: 'By a group', cell: ({ groupRole }) => groupRole ?? '–' },
      { title: 'Added', cell: ({ addedAt }) => timeElement(addedAt) },
      ...buttons,
    ]),
  );
}

const memberPath = (team: string, username: string): string =>
  `${settingsPath(team)}/members/${encodeURIComponent(username)}`;

/**
 * The form for a member's own role, which the member has independently of groups. If the shown role comes
 * from a group, the page does not know the member's own role. Then no role is selected: otherwise an admin
 * could store the role of the group as the member's own role by accident.
 */
function roleForm(team: string, member: Member, viewer: Viewer | undefined, state: MembersState): Html {
  const { username, role, groupRole } = member;
  const isByGroup = groupRole === role;
  const choices = isByGroup ? [{ value: '', label: 'own role' }, ...ROLE_CHOICES] : ROLE_CHOICES;
  const refused = state.refused?.username === username ? state.refused : undefined;
  const id = `role-of-${username}`;
  return html`<form method="post" action="${memberPath(team, username)}" class="team-inline">
      ${csrfField(viewer)}
      <label class="visually-hidden" for="${id}">Role of ${username}</label>
      <select
        id="${id}"
        name="role"
        required
        ${refused !== undefined && html` aria-invalid="true" aria-describedby="${id}-problem" autofocus`}
      >
        ${options(choices, refused?.role ?? (isByGroup ? '' : role))}
      </select>
      <button type="submit" aria-label="Change the role of ${username}">Change</button>
    </form>
    ${
      refused !== undefined &&
      html`<span class="team-problem" role="alert" id="${id}-problem">${refused.message}</span>`
    }`;
}

function addMemberForm({ team, viewer, state: { adding } }: MembersParts): Html {
  return html`<section aria-labelledby="add-member">
    <h2 id="add-member">Add a member</h2>
    <form method="post" action="${settingsPath(team.name)}/members" class="team-form">
      ${csrfField(viewer)} ${formProblem(adding)}
      ${textField({
        id: 'member-name',
        name: 'username',
        label: 'Username',
        help: 'They need an account: they sign in once, or a global admin creates it.',
        state: adding,
        required: true,
        maxLength: 100,
      })}
      ${selectField({
        id: 'member-role',
        name: 'role',
        label: 'Role',
        state: adding,
        choices: EXPLAINED_ROLES,
        preset: 'write',
      })}
      <button type="submit">Add member</button>
    </form>
  </section>`;
}

function groupsSection(parts: MembersParts): Html {
  const { team, mayChange, providers } = parts;
  const isManaged = team.byManifest.includes('groups');
  const isEditable = mayChange && !isManaged;
  if (team.groups.length === 0 && !isEditable) return html``;
  return html`<section aria-labelledby="groups">
    <h2 id="groups">Roles by groups</h2>
    <p class="help">Everyone in a group of an identity provider has its role, from their next sign-in on.</p>
    ${isManaged && managedNote(team.name, 'groups', 'spec.groups')} ${groupTable(parts, isEditable)}
    ${isEditable && (providers.length > 0 ? addGroupForm(parts) : html`<p>${NO_PROVIDER}</p>`)}
  </section>`;
}

const NO_PROVIDER =
  'No identity provider reports groups here. A global admin can set the groups claim of a provider.';

function groupTable({ team, viewer, state }: MembersParts, isEditable: boolean): Html {
  if (team.groups.length === 0) return html`<p>No group gives a role yet.</p>`;
  const buttons: Column<GroupRole>[] = isEditable
    ? [
        {
          title: 'Remove',
          titleHidden: true,
          cell: ({ claim }) =>
            action({
              url: `${settingsPath(team.name)}/groups/delete`,
              viewer,
              label: 'Remove',
              about: `Remove the group ${claim}`,
              fields: html`<input type="hidden" name="claim" value="${claim}" />`,
            }),
        },
      ]
    : [];
  const table = htmlTable(team.groups, [
    { title: 'Group', cell: ({ claim }) => claim },
    { title: 'Provider', cell: ({ provider = 'the only one that reports groups' }) => provider },
    { title: 'Role', cell: ({ role }) => role },
    ...buttons,
  ]);
  return html`${state.group.problem?.field === undefined && formProblem(state.group)}${scrolling('Groups', table)}`;
}

function addGroupForm({ team, providers, viewer, state: { group } }: MembersParts): Html {
  return html`<details class="team-more" ${group.problem !== undefined && html` open`}>
    <summary>Add a group</summary>
    <form method="post" action="${settingsPath(team.name)}/groups" class="team-form">
      ${csrfField(viewer)}
      ${textField({
        id: 'group-claim',
        name: 'claim',
        label: 'Group',
        help: 'Its name as the provider reports it.',
        state: group,
        required: true,
        maxLength: 256,
      })}
      ${selectField({
        id: 'group-provider',
        name: 'provider',
        label: 'Provider',
        state: group,
        choices: providers,
      })}
      ${selectField({ id: 'group-role', name: 'role', label: 'Role of the group', state: group, choices: EXPLAINED_ROLES })}
      <button type="submit">Add group</button>
    </form>
  </details>`;
}
