/** Choosing the roles of a user: each says what it may do. */
import { APP_ROLES, DASHBOARD_ROLES, type User } from '../../../models/user.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { textOr } from '../../texts.ts'
import { choiceAmong, labelled } from '../../kit/elements.ts'

export type Roles = Pick<User, 'appRole' | 'dashboardRole'>

/** `describedBy` is the id of what tells a problem with them. */
export function roleFields({ appRole, dashboardRole }: Roles, describedBy?: string) {
  const field = (name: keyof Roles, values: readonly string[], value: string): HTMLSelectElement =>
    choiceAmong(values, roleTitle, { name, value, 'aria-describedby': describedBy })
  // Being a guest is no role to give: it is having no e-mail address.
  const appRoles = APP_ROLES.filter((role) => role !== 'guestUser' || role === appRole)
  const app = field('appRole', appRoles, appRole)
  const dashboard = field('dashboardRole', DASHBOARD_ROLES, dashboardRole)
  return {
    elements: [app, dashboard].map((select) => labelled(fieldTitle(select.name), select)),
    chosen: () => ({ appRole: app.value, dashboardRole: dashboard.value }) as Roles,
  }
}

function roleTitle(role: string): string {
  const meaning = textOr(`role.${role}`, '')
  return meaning === '' ? valueTitle(role) : `${valueTitle(role)} – ${meaning}`
}
